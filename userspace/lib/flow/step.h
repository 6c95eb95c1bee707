/* SPDX-License-Identifier: BSD-2-Clause */
/* A path, step by step */
#ifndef SOFTPT_FLOW_STEP_H
#define SOFTPT_FLOW_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>

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
	FLOW_STRIDE,		/* several jumps: those of @stride, and nothing else is valid */
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

/* What is a step. More than is asked for is no harm. */
enum flow_level {
	FLOW_COUNTS,		/* no branch within what is traced */
	FLOW_CALLS,		/* jumps that are noted to stay in their function are none */
	FLOW_STRIDES,		/* branches, many of them in steps of several */
	FLOW_BRANCHES,
	FLOW_INSNS,		/* every instruction */
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
 * @when: it was
 * @instructions: since the step before, FLOW_INSN and FLOW_PTWRITE not counted as steps
 * @undone_instructions: of them, in a transaction that was aborted
 * @branches: that were none, since the step before
 * @widest: the widest bound of those, in TSC ticks
 * @note: of a jump, where the reader writes CODE_STAYS or CODE_ENTERS to; NULL: nowhere
 * @value: of PTWRITE
 * @call: of FLOW_END: number, plus 1, of the system call; 0: it is none, or not known
 * @offset: in the stream, of FLOW_LOST: what can't be followed is before it
 * @undone: the instruction was in a transaction that was aborted
 * @aborted: and this is where that was
 * @resumed: FLOW_BEGIN behind what was lost: anyone may run there
 * @error: why the path is lost
 * @stride: of FLOW_STRIDE, valid until the next step
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
	struct softpt_flow_time when;
	uint64_t instructions;
	uint64_t undone_instructions;
	uint64_t branches;
	uint64_t widest;
	uint8_t *note;
	uint64_t value;
	uint64_t call;
	uint64_t offset;
	bool undone;
	bool aborted;
	bool resumed;
	const char *error;
	struct flow_stride *stride;
};

/* How far off a time may be; 0: that is not known */
static inline uint64_t flow_bound(const struct softpt_flow_time *when)
{
	const uint64_t before = when->tsc - when->min, behind = when->max - when->tsc;

	if (!when->bounded)
		return 0;
	return before > behind ? before : behind;
}

#endif /* SOFTPT_FLOW_STEP_H */
