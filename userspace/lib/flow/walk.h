/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a stream: ipt.c, built where libipt is installed */
#ifndef SOFTPT_FLOW_WALK_H
#define SOFTPT_FLOW_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/image.h"
#include "input/input.h"

enum flow_kind {
	FLOW_BEGIN,		/* tracing begins or goes on at @to */
	FLOW_END,		/* tracing ends behind @from: the kernel, another program */
	FLOW_JUMP,
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_INTERRUPT,		/* asynchronous, within the traced code */
	FLOW_OVERFLOW,		/* packets were lost */
	FLOW_LOST,		/* the decoder lost its way at @from: @error */
	FLOW_CUT,		/* the stream ends behind @from, amid a block */
	FLOW_INSN,		/* an instruction at @from that is no branch */
	FLOW_PTWRITE,		/* the one at @from wrote @value */
};

/* What packet a step needed: where its time comes from */
enum flow_packet {
	FLOW_NO_PACKET,
	FLOW_TNT,
	FLOW_TIP,
	FLOW_TNT_OR_TIP,	/* a return, compressed or not */
	FLOW_ENABLE,
	FLOW_DISABLE,
	FLOW_INTR,
	FLOW_OVF,
	FLOW_PTW,
	FLOW_PSB,		/* the first, amid a program */
};

/**
 * struct flow_step - a transfer of control, or an instruction
 * @kind: what it is
 * @packet: where its packet is in the stream
 * @taken: of a conditional branch
 * @bits: 16, 32 or 64: the mode of the instruction
 * @size: of it in bytes, 0: none
 * @raw: its bytes
 * @from: address of the instruction
 * @behind: of the one that follows it in memory
 * @to: where control went, 0: unknown
 * @start: of the block that the instruction ends
 * @sync: offset in the stream of the PSB that the decoder last passed
 * @instructions: since the step before, FLOW_INSN and FLOW_PTWRITE not counted as steps
 * @undone_instructions: of them, in a transaction that was aborted
 * @value: of PTWRITE
 * @offset: in the stream, of FLOW_LOST: what can't be followed is before it
 * @undone: the instruction was in a transaction that was aborted
 * @aborted: and this is where that was
 * @resumed: FLOW_BEGIN behind what was lost: anyone may run there
 * @error: why the path is lost
 */
struct flow_step {
	enum flow_kind kind;
	enum flow_packet packet;
	bool taken;
	uint8_t bits;
	uint8_t size;
	uint8_t raw[15];
	uint64_t from;
	uint64_t behind;
	uint64_t to;
	uint64_t start;
	uint64_t sync;
	uint64_t instructions;
	uint64_t undone_instructions;
	uint64_t value;
	uint64_t offset;
	bool undone;
	bool aborted;
	bool resumed;
	const char *error;
};

struct flow_walk;

#ifdef HAVE_LIBIPT
#define WITHOUT_LIBIPT	false
/* @every: every instruction is a step. Return: NULL without memory */
struct flow_walk *flow_walk_new(const struct input_stream *stream, const struct input *in,
				bool every);
/* Whose code runs from now on; must stay while it is used */
void flow_walk_set_code(struct flow_walk *w, struct code_image *code);
/* Return: false at the end of the stream */
bool flow_walk_next(struct flow_walk *w, struct flow_step *step);
void flow_walk_free(struct flow_walk *w);
#else
#define WITHOUT_LIBIPT	true
#define flow_walk_new(stream, in, every) ((struct flow_walk *)NULL)
#define flow_walk_set_code(w, code) ((void)(w), (void)(code))
#define flow_walk_next(w, step) ((void)(w), (void)(step), false)
#define flow_walk_free(w) ((void)(w))
#endif

#endif /* SOFTPT_FLOW_WALK_H */
