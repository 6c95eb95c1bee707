/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an x86 instruction does to control flow, to TF and to single-stepping. The kernel's own
 * decoder is not exported to modules. This one classifies only what the step source needs, and is a
 * table lookup for most instructions.
 *
 * Pure C, also built in user space (selftests/host/unit/x86/insn-test.c).
 */
#ifndef _SOFTPT_INSN_H
#define _SOFTPT_INSN_H

#include "../types.h"

#define SOFTPT_INSN_MAX	15	/* bytes of the longest instruction */

enum softpt_insn_kind {
	SOFTPT_INSN_OTHER	= 0,	/* no branch; REP may stay at itself */
	SOFTPT_INSN_JCC,		/* LOOP and JCXZ too */
	SOFTPT_INSN_JMP,
	SOFTPT_INSN_CALL,
	SOFTPT_INSN_IJMP,
	SOFTPT_INSN_ICALL,
	SOFTPT_INSN_RET,
	SOFTPT_INSN_FAR,		/* far jump, call or return */
	SOFTPT_INSN_IRET,		/* far, and loads the flags */
	SOFTPT_INSN_SYSCALL,		/* SYSCALL, SYSENTER, INT 80h */
	SOFTPT_INSN_TRAP,		/* INT n, INT3, INT1, INTO */
	SOFTPT_INSN_PUSHF,
	SOFTPT_INSN_POPF,
	SOFTPT_INSN_MOVSS,		/* no trap until the next instruction is done */
	SOFTPT_INSN_CPUID,		/* the same on some virtual machines */
	SOFTPT_INSN_XBEGIN,		/* goes on behind itself or at its handler */
	SOFTPT_INSN_PTWRITE,
	SOFTPT_INSN_SHORT,		/* not all bytes are there that decide */
};

struct softpt_insn {
	u8 kind;	/* enum softpt_insn_kind */
	/* Bytes of JCC, JMP, CALL, ICALL, IJMP, MOVSS, CPUID, XBEGIN, PTWRITE; else 0 */
	u8 len;
	u8 size;	/* bytes that PUSHF pushes, or PTWRITE reads */
	/* Of PTWRITE, for softpt_operand_decode() */
	u8 modrm;	/* where its ModRM byte is */
	u8 rex;		/* the prefix, or 0 */
	u8 segment;	/* the override's prefix, or 0 */
	u8 width;	/* bytes of an address */
};

struct softpt_insn softpt_insn_classify(const u8 *code, unsigned int n, bool long_mode);
struct softpt_insn softpt_insn_classify_16(const u8 *code, unsigned int n);

/* Whether the trap of @insn may come only when the instruction behind it has retired, too */
static inline bool softpt_insn_holds_trap(struct softpt_insn insn)
{
	return insn.kind == SOFTPT_INSN_MOVSS || insn.kind == SOFTPT_INSN_CPUID;
}

#endif /* _SOFTPT_INSN_H */
