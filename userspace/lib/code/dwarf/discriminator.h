/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What LLVM writes into the discriminators of its line tables: up to three numbers, each of 7 or 14
 * bits, or of one bit where it is 0 (llvm/IR/DebugInfoMetadata.h, "Encoding of discriminators").
 */
#ifndef SOFTPT_CODE_DWARF_DISCRIMINATOR_H
#define SOFTPT_CODE_DWARF_DISCRIMINATOR_H

#define DISCRIMINATOR_ZERO	0x01	/* one bit: the number is 0 */
#define DISCRIMINATOR_LONG	0x40	/* the number has 14 bits */

static inline unsigned int discriminator_number(unsigned int d)
{
	if (d & DISCRIMINATOR_ZERO)
		return 0;
	return d & DISCRIMINATOR_LONG ? (d >> 2 & 0xfe0) | (d >> 1 & 0x1f) : d >> 1 & 0x1f;
}

static inline unsigned int discriminator_behind(unsigned int d)
{
	if (d & DISCRIMINATOR_ZERO)
		return d >> 1;
	return d >> (d & DISCRIMINATOR_LONG ? 14 : 7);
}

/* Which of the basic blocks of a line */
static inline unsigned int discriminator_base(unsigned int d)
{
	return discriminator_number(d);
}

/* How many copies of an instruction a loop has that was unrolled or vectorized */
static inline unsigned int discriminator_copies(unsigned int d)
{
	const unsigned int copies = discriminator_number(discriminator_behind(d));

	return copies ? copies : 1;
}

#endif /* SOFTPT_CODE_DWARF_DISCRIMINATOR_H */
