/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of an x86 instruction, as they are needed to copy one of 64-bit mode to another
 * address, and to find the next one in any mode (SDM vol. 2, chapter 2 and appendix A).
 *
 * Pure C, also built in user space (selftests/host/unit/x86/decode-test.c).
 */
#ifndef _SOFTPT_X86_DECODE_H
#define _SOFTPT_X86_DECODE_H

#include "../types.h"

#define SOFTPT_X86_MAX	15	/* bytes of the longest instruction */

enum softpt_x86_kind {
	SOFTPT_X86_OTHER	= 0,	/* no branch; it may fault */
	SOFTPT_X86_JCC,
	SOFTPT_X86_LOOP,		/* LOOP, LOOPE, LOOPNE, JRCXZ */
	SOFTPT_X86_JMP,
	SOFTPT_X86_CALL,
	SOFTPT_X86_IJMP,
	SOFTPT_X86_ICALL,
	SOFTPT_X86_RET,
	SOFTPT_X86_SYSCALL,
	SOFTPT_X86_TRAP,		/* INT3, INT1, UD2, HLT: always a fault or a trap */
	SOFTPT_X86_REFUSED,		/* unknown, or not to be copied: far, INT n, GS, XBEGIN */
	SOFTPT_X86_SHORT,		/* not all bytes are there that decide */
};

/**
 * struct softpt_x86 - an instruction
 * @kind: enum softpt_x86_kind
 * @len: bytes; at least 1, also where it is refused
 * @rex: the REX prefix, or 0
 * @opcode: the last byte of the opcode
 * @map: 0: one byte; 1: 0F; 2: 0F 38; 3: 0F 3A; others: of VEX and EVEX
 * @modrm: where its ModRM byte is, or 0
 * @disp: where its displacement is, or 0: of a memory operand
 * @imm: where its immediate is
 * @imm_len: bytes of the immediate
 * @rip_relative: @disp has 4 bytes, and counts from the instruction's end
 * @rep: a string instruction with a REP prefix
 */
struct softpt_x86 {
	u8 kind;
	u8 len;
	u8 rex;
	u8 opcode;
	u8 map;
	u8 modrm;
	u8 disp;
	u8 imm;
	u8 imm_len;
	bool rip_relative;
	bool rep;
};

/**
 * softpt_x86_decode() - take an instruction apart
 * @code: its bytes, and whatever follows
 * @n: how many bytes there are
 * @insn: filled in
 */
void softpt_x86_decode(const u8 *code, unsigned int n, struct softpt_x86 *insn);

/**
 * softpt_x86_decode_in() - take an instruction of any mode apart
 * @code: its bytes, and whatever follows
 * @n: how many bytes there are
 * @bits: 16, 32 or 64: of the code segment
 * @insn: filled in; in 16- and 32-bit code @kind is right for SOFTPT_X86_SHORT only
 */
void softpt_x86_decode_in(const u8 *code, unsigned int n, unsigned int bits,
			  struct softpt_x86 *insn);

/* The immediate or displacement of @size bytes at @at, sign-extended */
static inline s64 softpt_x86_signed(const u8 *at, unsigned int size)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (u64)at[i] << 8 * i;
	return size < 8 ? (s64)(value << (64 - 8 * size)) >> (64 - 8 * size) : (s64)value;
}

/* Where a direct branch at @ip goes */
static inline u64 softpt_x86_target(const struct softpt_x86 *insn, const u8 *code, u64 ip)
{
	return ip + insn->len + softpt_x86_signed(code + insn->imm, insn->imm_len);
}

#endif /* _SOFTPT_X86_DECODE_H */
