// SPDX-License-Identifier: BSD-2-Clause
/* Steps of what a walk has come to */
#include "flow/blocktell.h"

/* The last instruction, and the block that a step ends there */
void block_tell_last(struct block_walk *w, struct flow_step *step)
{
	step->bits = w->last_bits;
	step->size = w->last_size;
	step->from = w->last;
	step->behind = w->last + w->last_size;
	step->undone = w->last_undone;
	if (w->level == FLOW_INSNS && w->code)
		code_image_read(w->code, w->last, step->raw, w->last_size);
	if (step->kind == FLOW_INSN || step->kind == FLOW_PTWRITE)
		return;
	step->start = w->start;
	step->instructions = w->instructions;
	step->undone_instructions = w->undone;
	step->branches = w->branches;
	step->widest = w->widest;
	w->instructions = 0;
	w->undone = 0;
	w->branches = 0;
	w->widest = 0;
}

void block_at_record(struct block_walk *w, struct flow_step *step)
{
	step->when = *flow_records_take(&w->records);
}

void block_between(struct block_walk *w, struct flow_step *step)
{
	flow_records_between(&w->records, &step->when);
}

bool block_tell_insn(struct block_walk *w, struct flow_step *step)
{
	step->kind = FLOW_INSN;
	block_tell_last(w, step);
	block_between(w, step);
	return true;
}

/* The branch at the end of the block is not done, but it was there. */
bool block_tell_branch(struct block_walk *w, struct flow_step *step)
{
	if (w->level != FLOW_INSNS || !w->waits || w->told)
		return false;
	w->told = true;
	return block_tell_insn(w, step);
}

/* What is lost in one piece is told once. */
bool block_lose(struct block_walk *w, struct flow_step *step, const char *why)
{
	bool untold = w->untold;

	if (block_tell_branch(w, step))
		return true;
	w->lost = why;
	w->on = false;
	w->untold = false;
	w->aimless = 0;
	if (!untold)
		return false;
	step->kind = FLOW_LOST;
	block_tell_last(w, step);
	step->error = why;
	step->offset = flow_records_offset(&w->records);
	block_between(w, step);
	return true;
}

/* No record is left for what comes next. */
static bool end(struct block_walk *w, struct flow_step *step)
{
	if (block_tell_branch(w, step))
		return true;
	w->done = true;
	if (!w->instructions)
		return false;
	step->kind = FLOW_CUT;
	block_tell_last(w, step);
	block_between(w, step);
	return true;
}

/* Tracing was switched off, and nothing tells where. */
static bool is_off(const struct softpt_record *rec)
{
	return rec && rec->kind == SOFTPT_REC_DISABLE &&
	       !(rec->flags & (SOFTPT_REC_HAS_IP | SOFTPT_REC_HAS_VALUE));
}

/* The record that comes next is not what the code needs, or there is none. */
bool block_fail(struct block_walk *w, struct flow_step *step)
{
	if (!w->records.damage && is_off(w->records.next))
		flow_records_pass(&w->records);
	if (w->records.damage)
		return block_lose(w, step, softpt_strerror(w->records.damage));
	return w->records.next ? block_lose(w, step, LOST_FIT) : end(w, step);
}

/* ---- events ---- */

/* @behind: of what is asynchronous, the instruction that comes next */
static bool tell_event(struct block_walk *w, struct flow_step *step, enum flow_kind kind,
		       enum flow_packet packet, uint64_t behind)
{
	step->kind = kind;
	step->packet = packet;
	block_tell_last(w, step);
	if (behind)
		step->behind = behind;
	step->aborted = w->aborted && kind != FLOW_BEGIN;
	w->aborted = false;
	block_at_record(w, step);
	return true;
}

bool block_begin(struct block_walk *w, struct flow_step *step)
{
	step->to = w->records.next->ip;
	block_arrive(w, step->to);
	return tell_event(w, step, FLOW_BEGIN, FLOW_ENABLE, 0);
}

/* Tracing ends, behind a branch or before the instruction at @at. */
bool block_disable(struct block_walk *w, struct flow_step *step, uint64_t at)
{
	w->on = false;
	w->async = false;
	block_go_to(w, 0, NULL);
	step->call = w->records.call;
	return tell_event(w, step, FLOW_END, FLOW_DISABLE, at);
}

bool block_interrupt(struct block_walk *w, struct flow_step *step, uint64_t to)
{
	const uint64_t at = w->ip;

	step->to = to;
	block_arrive(w, to);
	return tell_event(w, step, FLOW_INTERRUPT, FLOW_INTR, at);
}

bool block_overflow(struct block_walk *w, struct flow_step *step)
{
	const struct softpt_record *rec = w->records.next;

	w->on = false;
	w->calls = 0;
	w->speculative = false;
	step->to = rec->ip;
	if (rec->flags & SOFTPT_REC_HAS_IP)
		block_arrive(w, rec->ip);
	return tell_event(w, step, FLOW_OVERFLOW, FLOW_OVF, 0);
}

/* It changes nothing of the path. */
bool block_ptwrite(struct block_walk *w, struct flow_step *step)
{
	const struct softpt_record *rec = w->records.next;

	step->kind = FLOW_PTWRITE;
	step->packet = FLOW_PTW;
	step->value = rec->value;
	block_tell_last(w, step);
	step->from = rec->ip;
	block_at_record(w, step);
	return true;
}
