/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of random programs, as bytes: straight.c */
#ifndef RANDOM_EMIT_H
#define RANDOM_EMIT_H

#include <string.h>

#include "random.h"

/* Where the program is written */
extern uint8_t *out;

/* The next number of the program's own */
unsigned int pick(unsigned int n);
uint64_t pick64(void);

static inline void insn(void)
{
	boundary[(uintptr_t)out - CODE] = 1;
}

static inline void put(unsigned int n, uint64_t bytes)
{
	memcpy(out, &bytes, n);
	out += n;
}

#define INSN(n, bytes) do { insn(); put(n, bytes); } while (0)

/* OPCODE of two registers */
void two(unsigned int n, unsigned int opcode, unsigned int r, unsigned int b, bool wide);
/* An instruction that is no branch, or some, in @b; rarely one that faults, or changes a block */
void any(struct block *b);
/* What is changed is known when all blocks have their place. */
void resolve_patches(void);

#endif /* RANDOM_EMIT_H */
