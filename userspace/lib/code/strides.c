// SPDX-License-Identifier: BSD-2-Clause
/*
 * A loop goes the same few ways all the time. What is found of a way is kept in a table, by its
 * first block and its outcomes; another one that falls on the same place replaces it.
 */
#include <stdlib.h>

#include "../../../kmod/x86/insn.h"
#include "code/strides.h"

#define TABLE_BITS		14
#define INSTRUCTIONS_MAX	4096	/* of a stride, about */

/* Strides of an epoch before are none. */
struct strides {
	uint32_t epoch;
	struct stride table[1 << TABLE_BITS];
};

struct strides *strides_new(void)
{
	return calloc(1, sizeof(struct strides));
}

void strides_free(struct strides *s)
{
	free(s);
}

void strides_forget(struct strides *s)
{
	if (s)
		s->epoch++;
}

/* ---- how often ---- */

/* Go the way once more. All its links are known, for no block has gone since it was found. */
static void settle(struct stride *stride)
{
	unsigned int left = 31 - __builtin_clz(stride->key), taken = 0;
	struct code_block *block = stride->from;

	while (taken < stride->bits) {
		const bool outcome = block->kind == SOFTPT_INSN_JCC &&
				     stride->key >> (left - 1 - taken) & 1;

		block->times += stride->times;
		if (outcome)
			block->taken += stride->times;
		taken += block->kind == SOFTPT_INSN_JCC;
		block = outcome || block->kind == SOFTPT_INSN_JMP ? block->to : block->next;
	}
	stride->times = 0;
}

void strides_settle(struct strides *s)
{
	size_t i;

	for (i = 0; s && i < 1 << TABLE_BITS; i++)
		if (s->table[i].times && s->table[i].epoch == s->epoch)
			settle(&s->table[i]);
}

/* ---- ways ---- */

/* A way that is being found */
struct way {
	struct stride stride;	/* up to its last branch that an outcome was needed for */
	struct code_block *at;
	unsigned int instructions;
	unsigned int branches;
	bool known;		/* no note and no block was missing */
};

/* Whether the jump at the end of the block is no step. Notes of a generation before are none. */
static bool is_quiet(const struct code_blocks *b, struct way *way)
{
	const uint8_t note = way->at->generation == b->generation ? way->at->note : 0;

	if (!note)
		way->known = false;
	return note == CODE_STAYS;
}

static bool go(struct way *way, struct code_block *to)
{
	way->instructions += way->at->insns;
	way->at = to;
	way->known &= !!to;
	return to;
}

static bool take_outcome(struct code_blocks *b, struct way *way, bool taken)
{
	struct code_block *block = way->at;

	if ((taken && !is_quiet(b, way)) ||
	    !go(way, taken ? code_blocks_target(b, block) : code_blocks_next(b, block)))
		return false;
	way->branches++;
	way->stride.last = block;
	way->stride.to = way->at;
	way->stride.instructions = way->instructions;
	way->stride.branches = way->branches;
	way->stride.bits++;
	return true;
}

/* Up to the next branch that needs an outcome. Return: whether no step comes before it */
static bool find_branch(struct code_blocks *b, struct way *way)
{
	while (way->at->insns && way->instructions < INSTRUCTIONS_MAX) {
		switch (way->at->kind) {
		case SOFTPT_INSN_JCC:
			return true;
		case SOFTPT_INSN_OTHER:
			if (!go(way, code_blocks_next(b, way->at)))
				return false;
			break;
		case SOFTPT_INSN_JMP:
			if (!is_quiet(b, way) || !go(way, code_blocks_target(b, way->at)))
				return false;
			way->branches++;
			break;
		default:
			return false;
		}
	}
	return false;
}

static struct stride *slot_of(struct strides *s, const struct code_block *from, uint16_t key)
{
	const uint64_t hash = ((uintptr_t)from ^ (uint64_t)key << 48) * 0x9e3779b97f4a7c15ull;

	return &s->table[hash >> (64 - TABLE_BITS)];
}

static void find(struct code_blocks *b, struct stride *stride, struct code_block *from,
		 unsigned int n, unsigned int bits)
{
	struct way way = { .at = from, .known = true };

	while (way.stride.bits < n && find_branch(b, &way) &&
	       take_outcome(b, &way, bits >> (n - 1 - way.stride.bits) & 1))
		;
	*stride = way.stride;
	stride->from = from;
	stride->known = way.known;
}

struct stride *strides_at(struct strides *s, struct code_blocks *b, struct code_block *from,
			  unsigned int n, unsigned int bits)
{
	const uint16_t key = 1u << n | bits;
	struct stride *stride = slot_of(s, from, key);

	if (stride->known && stride->from == from && stride->key == key &&
	    stride->generation == b->generation && stride->epoch == s->epoch)
		return stride;
	if (stride->times && stride->epoch == s->epoch)
		settle(stride);
	find(b, stride, from, n, bits);
	stride->key = key;
	stride->generation = b->generation;
	stride->epoch = s->epoch;
	return stride;
}
