// SPDX-License-Identifier: BSD-2-Clause
/*
 * A loop goes the same few ways all the time. What is found of a way is kept in a table, by its
 * first block and its outcomes; another one that falls on the same place replaces it.
 */
#include <stdlib.h>

#include "../../../kmod/x86/insn.h"
#include "code/strides.h"

#define INSTRUCTIONS_MAX	4096	/* of a stride, about */

/* Strides of an epoch before are none. */
struct strides {
	uint32_t epoch;
	uint64_t found;
	size_t size;		/* of a stride in @table */
	bool branches;		/* are kept */
	uint8_t *table;
};

struct strides *strides_new(bool branches)
{
	struct strides *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->branches = branches;
	s->size = sizeof(struct stride);
	if (branches)
		s->size += STRIDE_BRANCHES * sizeof(struct stride_branch);
	s->table = calloc(STRIDES, s->size);
	if (s->table)
		return s;
	free(s);
	return NULL;
}

static struct stride *stride_in(const struct strides *s, size_t place)
{
	return (struct stride *)(s->table + place * s->size);
}

void strides_free(struct strides *s)
{
	if (s)
		free(s->table);
	free(s);
}

unsigned int strides_place(const struct strides *s, const struct stride *stride)
{
	return ((const uint8_t *)stride - s->table) / s->size;
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
	struct stride *stride;
	size_t i;

	for (i = 0; s && i < STRIDES; i++) {
		stride = stride_in(s, i);
		if (stride->times && stride->epoch == s->epoch)
			settle(stride);
	}
}

/* ---- ways ---- */

/* A way that is being found, up to its last branch that an outcome was needed for */
struct way {
	struct stride *stride;
	bool keeps;		/* its branches */
	struct code_block *at;
	unsigned int before;	/* instructions up to that */
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

/* The branch at the end of @block has led to @way->at. */
static void add_branch(struct way *way, const struct code_block *block)
{
	const uint64_t to = way->at->addr;

	if (way->keeps)
		way->stride->branch[way->branches] = (struct stride_branch){
			.from = block->last, .to = to,
			.instructions = way->instructions - way->before, .size = block->size,
			.bit = block->kind == SOFTPT_INSN_JCC,
			.taken = block->kind == SOFTPT_INSN_JMP || to != block->end,
		};
	way->branches++;
	way->before = way->instructions;
}

static bool take_outcome(struct code_blocks *b, struct way *way, bool taken)
{
	struct code_block *block = way->at;

	if ((taken && !is_quiet(b, way)) ||
	    !go(way, taken ? code_blocks_target(b, block) : code_blocks_next(b, block)))
		return false;
	add_branch(way, block);
	way->stride->last = block;
	way->stride->to = way->at;
	way->stride->instructions = way->instructions;
	way->stride->branches = way->branches;
	way->stride->bits++;
	return true;
}

/* Up to the next branch that needs an outcome. Return: whether no step comes before it */
static bool find_branch(struct code_blocks *b, struct way *way)
{
	struct code_block *block;

	while (way->at->insns && way->instructions < INSTRUCTIONS_MAX &&
	       way->branches < STRIDE_BRANCHES) {
		block = way->at;
		switch (block->kind) {
		case SOFTPT_INSN_JCC:
			return true;
		case SOFTPT_INSN_OTHER:
			if (!go(way, code_blocks_next(b, block)))
				return false;
			break;
		case SOFTPT_INSN_JMP:
			if (!is_quiet(b, way) || !go(way, code_blocks_target(b, block)))
				return false;
			add_branch(way, block);
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

	return stride_in(s, hash >> (64 - STRIDES_LOG2));
}

static void find(struct strides *s, struct code_blocks *b, struct stride *stride,
		 struct code_block *from, unsigned int n, unsigned int bits)
{
	struct way way = { .stride = stride, .keeps = s->branches, .at = from, .known = true };

	*stride = (struct stride){ .from = from, .found = ++s->found };
	while (stride->bits < n && find_branch(b, &way) &&
	       take_outcome(b, &way, bits >> (n - 1 - stride->bits) & 1))
		;
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
	find(s, b, stride, from, n, bits);
	stride->key = key;
	stride->generation = b->generation;
	stride->epoch = s->epoch;
	return stride;
}
