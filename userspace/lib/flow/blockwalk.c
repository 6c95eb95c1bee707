// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records and code -> transfers of control. A block is walked as a whole, up to the instruction at
 * its end that may need a record; what comes between two instructions cuts it.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../kmod/x86/insn.h"
#include "flow/blockbranch.h"
#include "flow/blocktell.h"
#include "flow/blockwalk.h"
#include "flow/stride/walk.h"

/*
 * Instructions in a row that no packet is needed for. A path that got lost may come to a loop
 * that has no way out; real code without a branch that has a packet is shorter.
 */
#define AIMLESS_MAX	(1u << 20)

/* ---- begin and end ---- */

struct block_walk *block_walk_new_at(const struct input_stream *stream, const struct input *in,
				     enum flow_level level, uint64_t offset)
{
	struct block_walk *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->stream = stream;
	w->level = level;
	w->untold = true;
	w->lost = LOST_SYNC;
	flow_resume_begin_at(&w->resume, stream, offset);
	if (level == FLOW_CALLS)
		w->jumps = code_jumps_new();
	if (!flow_records_open(&w->records, in, stream, offset))
		return w;
	code_jumps_free(w->jumps);
	free(w);
	return NULL;
}

struct block_walk *block_walk_new(const struct input_stream *stream, const struct input *in,
				  enum flow_level level)
{
	return block_walk_new_at(stream, in, level, 0);
}

bool block_walk_begin_at(struct block_walk *w, const struct input *in,
			 const struct flow_start *start)
{
	struct flow_records records;

	if (flow_records_open(&records, in, w->stream, start->offset))
		return false;
	flow_records_close(&w->records);
	w->records = records;
	flow_resume_begin_at(&w->resume, w->stream, start->offset);
	w->start_at = *start;
	return true;
}

/* What counts as well goes branch by branch: a stride that is cut was not executed as it is. */
static bool takes_strides(const struct block_walk *w)
{
	return w->level < FLOW_STRIDES || (w->level == FLOW_STRIDES && !w->counts);
}

void block_walk_set_code(struct block_walk *w, struct code_image *code)
{
	w->code = code;
	w->blocks = code_image_blocks(code);
	w->counts = w->blocks->ran;
	w->strides = takes_strides(w) ? code_image_strides(code, w->level == FLOW_STRIDES) : NULL;
	w->block = NULL;
}

void block_walk_set_view(struct block_walk *w, struct code_view *view)
{
	w->code = view->image;
	w->blocks = &view->blocks;
	w->counts = false;
	w->strides = view->strides;
	w->block = NULL;
}

void block_walk_free(struct block_walk *w)
{
	if (!w)
		return;
	flow_records_close(&w->records);
	code_jumps_free(w->jumps);
	free(w);
}

/* ---- events ---- */

static void take_tsx(struct block_walk *w)
{
	const struct softpt_record *rec = w->records.next;

	w->speculative = rec->value & SOFTPT_MODE_INTX;
	w->aborted = rec->value & SOFTPT_MODE_ABORT;
	w->async = w->aborted;
	w->aborts = w->speculative && flow_aborts(w->stream, rec->offset);
	flow_records_take(&w->records);
}

static bool is_async(const struct softpt_record *rec)
{
	return rec->flags & SOFTPT_REC_HAS_IP && flow_is_async(rec->value >> 8);
}

/*
 * A walk can begin at this PSB if nothing else is to be known of it. Directly behind a packet no
 * instruction is untold, whatever steps are asked for. No compressed return is of a call before it.
 */
static void pass_psb(struct block_walk *w)
{
	const struct softpt_record *psb = w->records.next;

	if (w->on && !w->speculative && !w->async && !w->aborted && w->bits == w->next_bits &&
	    !w->aimless)
		w->passed = (struct flow_start){
			.offset = psb->offset, .ip = w->ip, .tsc = psb->tsc,
		};
	w->calls = 0;
	w->psb_ip = flow_psb_ip(w->stream, psb->offset);
	if (w->psb_ip == w->ip)
		w->psb_ip = 0;
	flow_records_take(&w->records);
	w->psb = flow_records_before(&w->records);
}

bool block_walk_passed(struct block_walk *w, struct flow_start *start)
{
	*start = w->passed;
	w->passed.offset = 0;
	return start->offset;
}

/* What comes before the instruction at hand. Return: whether something did; @made: a step of it */
static bool take_event(struct block_walk *w, struct flow_step *step, bool *made)
{
	const struct softpt_record *rec = w->records.next;
	const bool here = rec && rec->flags & SOFTPT_REC_HAS_IP && rec->ip == w->ip;

	*made = true;
	if (!rec || w->records.damage)
		return false;
	switch (rec->kind) {
	case SOFTPT_REC_OVF:
		return block_overflow(w, step);
	case SOFTPT_REC_INTR:
		return here && block_interrupt(w, step, rec->value);
	case SOFTPT_REC_TIP:
		return w->async && block_interrupt(w, step, rec->ip);
	case SOFTPT_REC_DISABLE:
		return (here || w->async) && block_disable(w, step, w->ip);
	case SOFTPT_REC_TSX:
		if (!here && rec->flags & SOFTPT_REC_HAS_IP)
			return false;
		take_tsx(w);
		break;
	case SOFTPT_REC_CFE:
		if (!here && is_async(rec))
			return false;
		w->async = here && is_async(rec);
		flow_records_take(&w->records);
		break;
	case SOFTPT_REC_MODE:
		w->next_bits = rec->value;
		flow_records_take(&w->records);
		break;
	case SOFTPT_REC_PSB:
		pass_psb(w);
		break;
	default:
		return false;
	}
	*made = false;
	return true;
}

/* Nothing is traced. */
static bool wait_for_begin(struct block_walk *w, struct flow_step *step)
{
	const struct softpt_record *rec = w->records.next;
	bool made;

	if (!rec || w->records.damage)
		return block_fail(w, step);
	if (rec->kind == SOFTPT_REC_ENABLE)
		return block_begin(w, step);
	if (rec->kind == SOFTPT_REC_PTW)
		return block_ptwrite(w, step);
	if (rec->kind == SOFTPT_REC_TSX)
		take_tsx(w);
	else if (rec->kind == SOFTPT_REC_CFE)
		flow_records_take(&w->records);
	else
		return take_event(w, step, &made) ? made : block_lose(w, step, LOST_FIT);
	return false;
}

/* ---- instructions ---- */

/* Instructions that are not a whole block */
static void count_part(struct block_walk *w, uint64_t last, uint64_t end, unsigned int n)
{
	block_count(w, w->ip, last, end - last, n);
	if (w->counts)
		w->blocks->ran(w->blocks->ctx, &(struct code_run){
			.addr = w->ip, .last = last, .end = end, .insns = n, .times = 1,
		});
}

/* Before which instruction of the block behind the one at hand something comes. 0: none */
static uint64_t cut_at(const struct block_walk *w)
{
	const struct softpt_record *rec = w->records.next;

	if (!rec || w->records.damage || !(rec->flags & SOFTPT_REC_HAS_IP) ||
	    rec->ip <= w->ip || rec->ip > w->block->last)
		return 0;
	switch (rec->kind) {
	case SOFTPT_REC_INTR:
	case SOFTPT_REC_DISABLE:
	case SOFTPT_REC_TSX:
	case SOFTPT_REC_CFE:
		return rec->ip;
	}
	return 0;
}

/* Instructions before @to. Return: false where none begins there, and none was counted */
static bool walk_to(struct block_walk *w, uint64_t to)
{
	uint64_t at = w->ip, last = at;
	unsigned int n = 0;

	for (; at < to; n++) {
		last = at;
		at = code_blocks_step(w->blocks, w->block, at);
	}
	if (at != to)
		return false;
	count_part(w, last, to, n);
	w->ip = to;
	return true;
}

/* Up to the end of the block. In the midst of it instructions are counted one by one. */
static void walk_block(struct block_walk *w)
{
	struct code_block *b = w->block;

	if (w->ip != b->addr && b->last != w->ip)
		walk_to(w, b->last);
	if (w->ip == b->addr) {
		block_count(w, b->addr, b->last, b->size, b->insns);
		if (w->counts)
			b->times++;
	} else {
		count_part(w, b->last, b->end, 1);
	}
	w->ip = b->last;
}

/* Behind an instruction that is no branch */
static bool go_on(struct block_walk *w, struct flow_step *step)
{
	const struct softpt_record *rec = w->records.damage ? NULL : w->records.next;
	struct code_block *b = w->block;

	block_go_to(w, b->end, code_blocks_next(w->blocks, b));
	return b->kind == SOFTPT_INSN_PTWRITE && rec && rec->kind == SOFTPT_REC_PTW &&
	       (!(rec->flags & SOFTPT_REC_HAS_IP) || rec->ip == b->last) && block_ptwrite(w, step);
}

static bool is_branch(const struct code_block *b)
{
	return b->kind != SOFTPT_INSN_OTHER && b->kind != SOFTPT_INSN_PTWRITE;
}

/* One instruction, which is a step unless it is a branch */
static bool walk_insn(struct block_walk *w, struct flow_step *step)
{
	struct code_block *b = w->block;
	uint64_t next;

	if (w->ip == b->last) {
		count_part(w, w->ip, b->end, 1);
		w->waits = true;
		return !is_branch(b) && block_tell_insn(w, step);
	}
	next = code_blocks_step(w->blocks, b, w->ip);
	count_part(w, w->ip, next, 1);
	w->ip = next;
	return block_tell_insn(w, step);
}

/* The block at hand, or what comes before its end. Return: whether that made a step */
static bool walk(struct block_walk *w, struct flow_step *step)
{
	uint64_t cut;

	if (w->aimless > AIMLESS_MAX)
		return block_lose(w, step, LOST_FIT);
	if (w->level == FLOW_INSNS)
		return walk_insn(w, step);
	cut = cut_at(w);
	if (cut && walk_to(w, cut))
		return false;
	walk_block(w);
	w->waits = true;
	return false;
}

static bool advance(struct block_walk *w, struct flow_step *step)
{
	bool made;

	if (!w->on)
		return wait_for_begin(w, step);
	if (w->level < FLOW_STRIDES)
		block_pass_strides(w);
	if (!w->waits && take_event(w, step, &made))
		return made;
	if (!w->blocks || !block_find(w))
		return block_lose(w, step, LOST_CODE);
	if (w->waits)
		return is_branch(w->block) ? block_end(w, step) : go_on(w, step);
	if (!w->block->insns)
		return block_lose(w, step, code_image_has(w->code, w->ip) ? LOST_INSN : LOST_CODE);
	return walk(w, step);
}

/* ---- places ---- */

static uint8_t bits_of(uint8_t exec)
{
	return exec & SOFTPT_MODE_CSL ? 64 : exec & SOFTPT_MODE_CSD ? 32 : 16;
}

/* Whether the next record is what says that the program is at the place */
static bool is_told(const struct block_walk *w, const struct flow_place *place)
{
	return place->packet != FLOW_NO_PACKET && w->records.next &&
	       w->records.next->offset == place->sync;
}

/*
 * A stream whose begin was overwritten, or that was lost, goes on amid a program: that is a step,
 * for who runs there is to be found out anew. Return: whether it made one
 */
static bool synchronize(struct block_walk *w, struct flow_step *step)
{
	struct flow_place place;

	if (!flow_resume_find(&w->resume, flow_records_before(&w->records), &place)) {
		w->done = true;
		return !w->resume.found && block_lose(w, step, LOST_SYNC);
	}
	if (w->start_at.offset)
		place.ip = w->start_at.ip;
	w->start_at.offset = 0;
	w->lost = NULL;
	w->aborted = false;
	w->async = false;
	w->next_bits = bits_of(place.exec);
	w->speculative = place.intx;
	w->aborts = place.intx && flow_aborts(w->stream, place.at);
	w->calls = 0;
	w->waits = false;
	flow_records_skip(&w->records, place.packet == FLOW_NO_PACKET ? place.at : place.sync);
	if (!place.has_ip)
		return false;
	block_arrive(w, place.ip);
	step->kind = FLOW_BEGIN;
	step->packet = place.packet;
	step->to = place.ip;
	step->resumed = w->begun;
	w->begun = true;
	if (is_told(w, &place))
		block_at_record(w, step);
	else
		block_between(w, step);
	w->records.last = step->when;
	w->records.late = false;
	return true;
}

bool block_walk_next(struct block_walk *w, struct flow_step *step)
{
	bool made = false;

	block_end_stride(w);
	if (w->level == FLOW_STRIDES && block_stride(w, step))
		return true;
	memset(step, 0, sizeof(*step));
	while (!made && !w->done)
		made = w->lost ? synchronize(w, step) : advance(w, step);
	return made;
}
