/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where an instruction finds its operand: a register, or an address made of registers.
 *
 * Pure C, also built in user space (selftests/host/unit/x86/insn-test.c).
 */
#ifndef _SOFTPT_OPERAND_H
#define _SOFTPT_OPERAND_H

#include "../types.h"
#include "insn.h"

/* Registers as instructions number them, and the IP behind the instruction */
enum softpt_reg {
	SOFTPT_REG_BX	= 3,
	SOFTPT_REG_SP	= 4,
	SOFTPT_REG_BP	= 5,
	SOFTPT_REG_SI	= 6,
	SOFTPT_REG_DI	= 7,
	SOFTPT_REG_IP	= 16,
	SOFTPT_REG_NR,
	SOFTPT_REG_NONE	= SOFTPT_REG_NR,
};

/* In the order of the processor's encoding */
enum softpt_segment {
	SOFTPT_SEG_ES,
	SOFTPT_SEG_CS,
	SOFTPT_SEG_SS,
	SOFTPT_SEG_DS,
	SOFTPT_SEG_FS,
	SOFTPT_SEG_GS,
};

/**
 * struct softpt_operand - the operand of a ModRM byte
 * @memory: else it is the register @base
 * @size: bytes
 * @width: bytes of an offset in the segment
 * @base: enum softpt_reg
 * @index: enum softpt_reg
 * @scale: the index is shifted left by it
 * @segment: enum softpt_segment
 * @disp: displacement
 */
struct softpt_operand {
	bool memory;
	u8 size;
	u8 width;
	u8 base;
	u8 index;
	u8 scale;
	u8 segment;
	s32 disp;
};

/**
 * struct softpt_operand_state - the registers that the address of an operand is made of
 * @reg: by number; SOFTPT_REG_IP is the address behind the instruction
 * @base: of the operand's segment, if that is FS or GS
 * @selector: of the operand's segment
 * @long_mode: 64-bit mode, else 32-bit mode in a flat code segment
 */
struct softpt_operand_state {
	u64 reg[SOFTPT_REG_NR];
	u64 base;
	u16 selector;
	bool long_mode;
};

#define SOFTPT_FLAT_DATA	0x2b	/* the selector that Linux gives to 32-bit programs */

struct softpt_operand softpt_operand_decode(const u8 *code, struct softpt_insn insn,
					    bool long_mode);
u64 softpt_operand_register(const struct softpt_operand *op,
			    const struct softpt_operand_state *state);
bool softpt_operand_address(const struct softpt_operand *op,
			    const struct softpt_operand_state *state, u64 *address);

#endif /* _SOFTPT_OPERAND_H */
