// SPDX-License-Identifier: BSD-2-Clause
/* Where the branch at the end of a block goes */
#include "../../../kmod/x86/insn.h"
#include "flow/blockbranch.h"
#include "flow/blocktell.h"

/* Whether the call at the end of the block was before the PSB: no packet lies between. */
static bool is_before_psb(const struct block_walk *w)
{
	return w->psb_ip && flow_records_before(&w->records) == w->psb &&
	       (w->psb_ip < w->block->addr || w->psb_ip > w->block->last);
}

static void push(struct block_walk *w)
{
	/* A call of what follows it is how code finds out where it is (SDM, "RET compression"). */
	if (w->block->kind == SOFTPT_INSN_CALL && w->block->target == w->block->end)
		return;
	if (is_before_psb(w))
		return;
	w->psb_ip = 0;
	w->back[w->top++ % RETURNS] = w->block->end;
	if (w->calls < RETURNS)
		w->calls++;
}

static uint64_t pop(struct block_walk *w)
{
	w->calls--;
	return w->back[--w->top % RETURNS];
}

static enum flow_kind kind_of(const struct code_block *b)
{
	if (b->kind == SOFTPT_INSN_CALL || b->kind == SOFTPT_INSN_ICALL)
		return FLOW_CALL;
	return b->kind == SOFTPT_INSN_RET ? FLOW_RETURN : FLOW_JUMP;
}

/* The branch at the end of the block has gone to @to. */
static bool branch(struct block_walk *w, struct flow_step *step, enum flow_packet packet,
		   uint64_t to)
{
	step->kind = kind_of(w->block);
	step->packet = packet;
	step->to = to;
	step->taken = w->block->kind != SOFTPT_INSN_JCC || to != w->block->end;
	block_tell_last(w, step);
	return true;
}

/* Whether nobody asks for the jump at the end of the block. Strides need a note of it. */
static bool is_quiet(const struct block_walk *w, bool taken)
{
	if (w->level == FLOW_COUNTS && taken)
		w->block->note = CODE_STAYS;
	if (w->level == FLOW_COUNTS)
		return true;
	return w->level == FLOW_CALLS && !w->last_undone &&
	       (!taken || w->block->note == CODE_STAYS);
}

static bool direct(struct block_walk *w, struct flow_step *step)
{
	struct code_block *b = w->block, *to = code_blocks_target(w->blocks, b);
	const bool quiet = (b->kind == SOFTPT_INSN_JMP && is_quiet(w, true)) ||
			   w->level == FLOW_COUNTS;

	if (quiet) {
		w->branches++;
	} else {
		branch(w, step, FLOW_NO_PACKET, b->target);
		block_between(w, step);
		step->note = &b->note;
	}
	if (b->kind == SOFTPT_INSN_CALL)
		push(w);
	block_go_to(w, b->target, to);
	return !quiet;
}

static bool conditional(struct block_walk *w, struct flow_step *step, bool taken)
{
	struct code_block *b = w->block, *to = taken ? code_blocks_target(w->blocks, b) :
						       code_blocks_next(w->blocks, b);
	const bool quiet = is_quiet(w, taken);

	if (taken && w->counts)
		b->taken++;
	if (quiet) {
		block_pass(w, flow_records_take(&w->records));
	} else {
		branch(w, step, FLOW_TNT, taken ? b->target : b->end);
		block_at_record(w, step);
		step->note = &b->note;
	}
	w->aimless = 0;
	block_go_to(w, taken ? b->target : b->end, to);
	return !quiet;
}

static bool indirect(struct block_walk *w, struct flow_step *step)
{
	const struct code_block *b = w->block;
	const uint64_t to = w->records.next->ip;
	uint8_t *note = NULL;
	bool quiet;

	if (!(w->records.next->flags & SOFTPT_REC_HAS_IP))
		return block_fail(w, step);
	if (b->kind == SOFTPT_INSN_IJMP && w->jumps)
		note = code_jumps_note(w->jumps, w->blocks, b, to);
	quiet = w->level == FLOW_COUNTS || (note && *note == CODE_STAYS && !w->last_undone);
	if (quiet) {
		block_pass(w, flow_records_take(&w->records));
	} else {
		branch(w, step, b->kind == SOFTPT_INSN_RET ? FLOW_TNT_OR_TIP : FLOW_TIP, to);
		block_at_record(w, step);
		step->note = note;
	}
	if (b->kind == SOFTPT_INSN_ICALL)
		push(w);
	else if (b->kind == SOFTPT_INSN_RET && w->calls)
		pop(w);
	block_arrive(w, to);
	return !quiet;
}

static bool compressed(struct block_walk *w, struct flow_step *step)
{
	const bool quiet = w->level == FLOW_COUNTS;
	uint64_t to;

	if (!w->calls)
		return block_lose(w, step, LOST_CALL);
	to = pop(w);
	if (quiet) {
		block_pass(w, flow_records_take(&w->records));
	} else {
		branch(w, step, FLOW_TNT_OR_TIP, to);
		block_at_record(w, step);
	}
	w->aimless = 0;
	block_go_to(w, to, NULL);
	return !quiet;
}

/* Whether the branch leads out of what is traced, as the record says that comes next */
static bool leaves(const struct block_walk *w, const struct softpt_record *rec)
{
	const struct code_block *b = w->block;

	if (rec->kind != SOFTPT_REC_DISABLE || rec->flags & SOFTPT_REC_HAS_IP)
		return false;
	if (!(rec->flags & SOFTPT_REC_HAS_VALUE))
		return b->kind == SOFTPT_INSN_FAR;
	switch (b->kind) {
	case SOFTPT_INSN_JCC:
	case SOFTPT_INSN_JMP:
	case SOFTPT_INSN_CALL:
		return b->target == rec->value;
	}
	return true;
}

/* The instruction at the end of the block, which is counted. Return: whether that made a step */
bool block_end(struct block_walk *w, struct flow_step *step)
{
	const struct softpt_record *rec = w->records.damage ? NULL : w->records.next;
	const struct code_block *b = w->block;

	if (rec && leaves(w, rec))
		return block_tell_branch(w, step) || block_disable(w, step, 0);
	if (b->kind == SOFTPT_INSN_JMP || b->kind == SOFTPT_INSN_CALL)
		return direct(w, step);
	if (!rec)
		return block_fail(w, step);
	if (rec->kind == SOFTPT_REC_CFE) {	/* at no place that the path came to */
		flow_records_take(&w->records);
		return false;
	}
	if (b->kind == SOFTPT_INSN_JCC) {
		if (flow_records_bits(&w->records))
			return conditional(w, step, flow_records_peek(&w->records, 0, 1));
		return block_fail(w, step);
	}
	if (rec->kind == SOFTPT_REC_TIP)
		return indirect(w, step);
	if (b->kind == SOFTPT_INSN_RET && flow_records_bits(&w->records) &&
	    flow_records_peek(&w->records, 0, 1))
		return compressed(w, step);
	return block_fail(w, step);
}
