/* SPDX-License-Identifier: BSD-2-Clause */
/* The last blocks that a thread has executed, and a place among them */
#ifndef SOFTPT_TOOL_GDB_PAST_H
#define SOFTPT_TOOL_GDB_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "calls.h"

struct flow_process;

/* Code that was executed from its first instruction to its last; @call: of what it was a part */
struct block {
	uint64_t ip;
	uint64_t tsc;
	uint32_t bytes;
	uint32_t call;
};

/**
 * struct past - what is kept of a thread
 * @tid: the thread
 * @comm: its name
 * @process: what it ran last; what it ran before an exec is not kept
 * @most: blocks that are kept
 * @block: the last of them, from @first on, round and round
 * @room: in @block
 * @first: the oldest
 * @n: how many there are
 * @calls: of these blocks
 * @thread: it, while the walk's threads are valid
 * @end: address behind the last block
 * @end_call: the call there
 * @end_tsc: its time
 * @cached: block whose instructions are in @start, plus 1; 0: none
 * @start: of each instruction, from the begin of the block
 * @starts: how many
 * @next: in a list
 */
struct past {
	uint32_t tid;
	char comm[16];
	struct flow_process *process;
	size_t most;
	struct block *block;
	size_t room;
	size_t first;
	size_t n;
	struct calls calls;
	const struct softpt_flow_thread *thread;
	uint64_t end;
	uint32_t end_call;
	uint64_t end_tsc;
	size_t cached;
	uint32_t *start;
	size_t starts;
	struct past *next;
};

/* A place: the instruction of a block that comes next; @block is n behind the last */
struct place {
	size_t block;
	size_t insn;
};

/* A row of SOFTPT_FLOW_BLOCK. Return: 0 or -ENOMEM */
int past_add(struct past *h, const struct softpt_flow_row *row);
/* Behind the last row. Return: 0 or -ENOMEM */
int past_end(struct past *h);
void past_free(struct past *h);

const struct block *past_block(const struct past *h, size_t i);
/* The address at a place; 0: no memory to know it */
uint64_t past_ip(struct past *h, const struct place *p);
/* The call at a place */
uint32_t past_call(const struct past *h, const struct place *p);
uint64_t past_tsc(const struct past *h, const struct place *p);
/* To the last instruction of its block */
void past_last(struct past *h, struct place *p);
/* An instruction on, or back. Return: false: there is none */
bool past_step(struct past *h, struct place *p, bool back);

#endif /* SOFTPT_TOOL_GDB_PAST_H */
