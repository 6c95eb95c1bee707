// SPDX-License-Identifier: BSD-2-Clause
/* Discriminators of LLVM: what clang 14 wrote, and numbers at the ends of their ranges */
#include "selftests/kit/kit.h"
#include "userspace/lib/code/dwarf/discriminator.h"

static const struct {
	unsigned int d;
	unsigned int base;
	unsigned int copies;
} rows[] = {
	{ 0, 0, 1 },
	{ 2, 1, 1 },
	{ 12, 6, 1 },
	{ 0x1f << 1, 31, 1 },
	{ (0x40 | 0x20) << 1, 32, 1 },
	{ (0x1fc0 | 0x3f) << 1, 0xfff, 1 },
	{ 1 | 4 << 2, 0, 4 },		/* a loop that was unrolled */
	{ 6 | 8 << 8, 3, 8 },
	{ 0x61 << 1 | 2 << 15, 33, 2 },
	{ 6 | 1 << 7 | 5 << 9, 3, 1 },	/* a third number: which of the copies */
	{ UINT32_MAX, 0, 1 },
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		kit_ok(discriminator_base(rows[i].d) == rows[i].base, "%#x: block %u", rows[i].d,
		       discriminator_base(rows[i].d));
		kit_ok(discriminator_copies(rows[i].d) == rows[i].copies, "%#x: %u copies",
		       rows[i].d, discriminator_copies(rows[i].d));
	}
	return kit_done();
}
