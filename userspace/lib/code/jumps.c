// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "code/jumps.h"

#define TABLE_BITS	10

struct jump {
	const struct code_block *from;
	uint64_t to;
	uint32_t generation;
	uint8_t note;
};

struct code_jumps {
	struct jump table[1 << TABLE_BITS];
};

struct code_jumps *code_jumps_new(void)
{
	return calloc(1, sizeof(struct code_jumps));
}

void code_jumps_free(struct code_jumps *jumps)
{
	free(jumps);
}

uint8_t *code_jumps_note(struct code_jumps *jumps, const struct code_blocks *b,
			 const struct code_block *from, uint64_t to)
{
	const uint64_t hash = ((uintptr_t)from ^ to << 16) * 0x9e3779b97f4a7c15ull;
	struct jump *jump = &jumps->table[hash >> (64 - TABLE_BITS)];

	if (jump->from != from || jump->to != to || jump->generation != b->generation)
		*jump = (struct jump){ .from = from, .to = to, .generation = b->generation };
	return &jump->note;
}
