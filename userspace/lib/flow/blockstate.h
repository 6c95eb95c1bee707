/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own walk: what its parts share */
#ifndef SOFTPT_FLOW_BLOCKSTATE_H
#define SOFTPT_FLOW_BLOCKSTATE_H

#include "code/image.h"
#include "code/jumps.h"
#include "code/strides.h"
#include "flow/packets.h"
#include "flow/records.h"
#include "flow/step.h"
#include "flow/stride/stride.h"

/* Why a path is lost */
#define LOST_CODE	"no memory mapped at this address"
#define LOST_INSN	"unknown instruction"
#define LOST_FIT	"packets and code don't fit"
#define LOST_CALL	"compressed return without call"
#define LOST_SYNC	"no PSB"

#define RETURNS		64	/* that a processor knows, for RET compression (SDM) */

/**
 * struct block_walk - where a walk is
 * @stream: the packets
 * @records: what they say
 * @resume: where it can go on when it is lost
 * @code: the code; NULL: not known yet
 * @blocks: those of @code
 * @level: what is a step
 * @done: the stream is at its end
 * @lost: why the path is not known; NULL: it is
 * @untold: of what was lost nothing is told yet: an instruction was found
 * @begun: a place to begin at was found
 * @on: the program is traced, and known to be at @ip
 * @ip: the instruction that comes next, or the branch that waits
 * @bits: 16, 32 or 64: of the code segment
 * @next_bits: behind the next packet with an IP
 * @block: that @ip is in; NULL: to be looked up
 * @generation: of @block
 * @waits: the instruction at the end of @block is counted, and what follows is not known yet
 * @told: and was told as an instruction
 * @aimless: instructions since the last packet
 * @back: where calls return to, for RET compression
 * @top: the newest is before it, modulo RETURNS
 * @calls: how many of @back are valid
 * @instructions: since the last step
 * @undone: of them, in a transaction that was aborted
 * @branches: since the last step, that were no steps
 * @widest: bound of those
 * @start: the first of @instructions
 * @last: the newest instruction, also of steps before
 * @last_size: its bytes
 * @last_bits: and its mode
 * @last_undone: it was in a transaction that was aborted
 * @speculative: in a transaction
 * @aborts: that is aborted
 * @aborted: it was, and the next event leaves it
 * @strides: those of @code; NULL: outcomes go one by one
 * @jumps: notes of indirect jumps; NULL: there are none
 * @counts: blocks count how often they are executed
 * @stride: the step that was made last, where it is one
 * @strode: it is one, and its outcomes are not past: their times may be asked for
 * @kept: branches of it, while others walk
 * @start_at: where it is to begin; its offset is 0 once it has
 * @passed: the newest PSB that another walk can begin at; its offset is 0 once that was told
 * @psb: past the newest PSB, as flow_records_before()
 * @psb_ip: where the program was then: behind the @ip of that time, with no packet between; 0:
 *	at it
 * @async: the branch that comes next is none of the code's: its FUP is of the record before
 */
struct block_walk {
	const struct input_stream *stream;
	struct flow_records records;
	struct flow_resume resume;
	struct code_image *code;
	struct code_blocks *blocks;
	enum flow_level level;
	bool done;
	const char *lost;
	bool untold;
	bool begun;
	bool on;
	uint64_t ip;
	uint8_t bits;
	uint8_t next_bits;
	struct code_block *block;
	uint32_t generation;
	bool waits;
	bool told;
	uint64_t aimless;
	uint64_t back[RETURNS];
	unsigned int top;
	unsigned int calls;
	uint64_t instructions;
	uint64_t undone;
	uint64_t branches;
	uint64_t widest;
	uint64_t start;
	uint64_t last;
	uint8_t last_size;
	uint8_t last_bits;
	bool last_undone;
	bool speculative;
	bool aborts;
	bool aborted;
	struct flow_start start_at;
	struct flow_start passed;
	uint64_t psb;
	uint64_t psb_ip;
	bool async;
	struct strides *strides;
	struct code_jumps *jumps;
	bool counts;
	struct flow_stride stride;
	bool strode;
	struct stride_branch kept[STRIDE_BRANCHES];
};

static inline void block_go_to(struct block_walk *w, uint64_t ip, struct code_block *block)
{
	w->ip = ip;
	w->block = block;
	w->waits = false;
	w->told = false;
}

/* The newest instruction */
static inline void block_pass_insn(struct block_walk *w, uint64_t last, uint8_t size)
{
	w->last = last;
	w->last_size = size;
	w->last_bits = w->bits;
	w->last_undone = w->speculative && w->aborts;
	w->async = false;
	w->untold = true;
}

/* @n instructions, of which a step is to tell */
static inline void block_count(struct block_walk *w, uint64_t from, uint64_t last, uint8_t size,
			       unsigned int n)
{
	if (!w->instructions)
		w->start = from;
	w->instructions += n;
	block_pass_insn(w, last, size);
	if (w->last_undone)
		w->undone += n;
	w->aimless += n;
}

static inline void block_widen(struct block_walk *w, uint64_t bound)
{
	if (bound > w->widest)
		w->widest = bound;
}

/* A branch is no step. */
static inline void block_pass(struct block_walk *w, const struct softpt_flow_time *when)
{
	w->branches++;
	block_widen(w, flow_bound(when));
}

/* Behind a packet with an IP */
static inline void block_arrive(struct block_walk *w, uint64_t ip)
{
	w->bits = w->next_bits;
	w->aimless = 0;
	w->async = false;
	w->on = true;
	block_go_to(w, ip, NULL);
}

/* Look up the block at hand. Return: false: there is none, for want of memory */
static inline bool block_find(struct block_walk *w)
{
	if (w->block && w->generation == w->blocks->generation)
		return true;
	w->generation = w->blocks->generation;
	w->block = code_blocks_at(w->blocks, w->ip, w->bits);
	w->waits &= w->block && w->block->last == w->ip;
	return w->block;
}

#endif /* SOFTPT_FLOW_BLOCKSTATE_H */
