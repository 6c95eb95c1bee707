// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "flow/stride/walk.h"

/* The stride that the outcomes behind the next @skip lead to. Return: NULL: there is none */
static struct stride *next_stride(const struct block_walk *w, unsigned int skip)
{
	unsigned int n = flow_records_bits(&w->records) - skip;
	struct stride *s;

	if (!n || w->ip != w->block->addr)
		return NULL;
	n = n < STRIDE_BITS ? n : STRIDE_BITS;
	s = strides_at(w->strides, w->blocks, w->block, n, flow_records_peek(&w->records, skip, n));
	return s->bits ? s : NULL;
}

/* Whether outcomes come next, nothing lies before them, and it is known where they are of */
static bool is_ready(struct block_walk *w)
{
	return w->on && !w->waits && !w->speculative && flow_records_bits(&w->records) &&
	       !w->records.damage && block_find(w);
}

/* ---- where branches are no steps ---- */

static void take_stride(struct block_walk *w, struct stride *s)
{
	block_count(w, w->ip, s->last->last, s->last->size, s->instructions);
	if (w->counts)
		s->times++;
	w->aimless = 0;
	w->branches += s->branches;
	block_go_to(w, s->to->addr, s->to);
}

void block_pass_strides(struct block_walk *w)
{
	struct stride *s;
	unsigned int taken;

	while (w->strides && is_ready(w)) {
		for (taken = 0; (s = next_stride(w, taken)); taken += s->bits)
			take_stride(w, s);
		if (!taken)
			return;
		block_widen(w, flow_records_take_bits(&w->records, taken));
	}
}

/* ---- where all together are one ---- */

static void go_to_end(struct block_walk *w, struct code_block *block)
{
	const struct stride_branch *last = &w->stride.branch[w->stride.n - 1];

	block_pass_insn(w, last->from, last->size);
	w->aimless = 0;
	block_go_to(w, last->to, block);
}

/* Instructions before it that were not told yet would be of its first branch. */
bool block_stride(struct block_walk *w, struct flow_step *step)
{
	const struct stride *s;

	if (!w->strides || w->done || w->lost || w->instructions || !is_ready(w))
		return false;
	s = next_stride(w, 0);
	if (!s)
		return false;
	w->stride.start = w->ip;
	w->stride.branch = s->branch;
	w->stride.n = s->branches;
	w->stride.cut = false;
	w->stride.told = 0;
	w->stride.bits = 0;
	w->stride.outcomes = s->bits;
	w->stride.instructions = s->instructions;
	w->stride.timed = false;
	w->stride.records = &w->records;
	w->stride.place = strides_place(w->strides, s);
	w->stride.found = s->found;
	w->strode = true;
	go_to_end(w, s->to);
	step->kind = FLOW_STRIDE;
	step->stride = &w->stride;
	return true;
}

void block_end_stride(struct block_walk *w)
{
	if (w->strode && w->stride.outcomes)
		flow_records_take_bits(&w->records, w->stride.outcomes);
	w->strode = false;
}

void block_walk_keep(struct block_walk *w)
{
	if (!w->strode || w->stride.branch == w->kept)
		return;
	memcpy(w->kept, w->stride.branch, w->stride.n * sizeof(*w->kept));
	w->stride.branch = w->kept;
}

void block_walk_cut(struct block_walk *w)
{
	if (!w->strode || w->stride.told == w->stride.n)
		return;
	w->stride.cut = true;
	w->stride.n = w->stride.told + 1;
	w->stride.outcomes = w->stride.bits + w->stride.branch[w->stride.told].bit;
	go_to_end(w, NULL);
}
