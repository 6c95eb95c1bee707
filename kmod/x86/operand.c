// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ModRM and SIB bytes (SDM vol. 2, section 2.1.5, and 2.2.1 for 64-bit mode) */

#include "operand.h"

/* The bits with which REX widens the register numbers */
#define REX_X	2
#define REX_B	1

static s32 disp_at(const u8 *p, unsigned int size)
{
	u32 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (u32)p[i] << 8 * i;
	if (size == 1)
		return (s32)(value ^ 0x80) - 0x80;
	return size == 2 ? (s32)(value ^ 0x8000) - 0x8000 : (s32)value;
}

static bool is_stack(u8 reg)
{
	return reg == SOFTPT_REG_SP || reg == SOFTPT_REG_BP;
}

/* 16-bit addressing: one of eight sums */
static void decode16(const u8 *p, struct softpt_operand *op)
{
	static const u8 base[] = {
		SOFTPT_REG_BX, SOFTPT_REG_BX, SOFTPT_REG_BP, SOFTPT_REG_BP,
		SOFTPT_REG_SI, SOFTPT_REG_DI, SOFTPT_REG_BP, SOFTPT_REG_BX,
	};
	u8 mod = p[0] >> 6, rm = p[0] & 7;

	op->base = base[rm];
	if (rm < 4)
		op->index = rm & 1 ? SOFTPT_REG_DI : SOFTPT_REG_SI;
	if (!mod && rm == 6) {
		op->base = SOFTPT_REG_NONE;
		op->disp = disp_at(p + 1, 2);
	} else {
		op->disp = disp_at(p + 1, mod);
	}
}

/* Return: the byte behind it */
static const u8 *decode_sib(const u8 *p, u8 rex, struct softpt_operand *op)
{
	u8 index = (*p >> 3 & 7) | (rex & REX_X ? 8 : 0);

	op->base = *p & 7;
	op->scale = *p >> 6;
	if (index != SOFTPT_REG_SP)
		op->index = index;
	return p + 1;
}

/* With a base of 5 and no displacement there is no base: in 64-bit mode the IP, without SIB. */
static void decode(const u8 *p, u8 rex, bool long_mode, struct softpt_operand *op)
{
	static const u8 disp_size[] = { 0, 1, 4 };
	u8 mod = *p >> 6, rm = *p & 7;

	p++;
	op->base = rm;
	if (rm == SOFTPT_REG_SP)
		p = decode_sib(p, rex, op);
	if (mod || op->base != SOFTPT_REG_BP) {
		op->disp = disp_at(p, disp_size[mod]);
		op->base |= rex & REX_B ? 8 : 0;
		return;
	}
	op->disp = disp_at(p, 4);
	if (rm == SOFTPT_REG_SP || !long_mode)
		op->base = SOFTPT_REG_NONE;
	else
		op->base = SOFTPT_REG_IP;
}

static u8 segment(struct softpt_insn insn, const struct softpt_operand *op)
{
	switch (insn.segment) {
	case 0:
		return is_stack(op->base) ? SOFTPT_SEG_SS : SOFTPT_SEG_DS;
	case 0x26:
		return SOFTPT_SEG_ES;
	case 0x2e:
		return SOFTPT_SEG_CS;
	case 0x36:
		return SOFTPT_SEG_SS;
	case 0x64:
		return SOFTPT_SEG_FS;
	case 0x65:
		return SOFTPT_SEG_GS;
	}
	return SOFTPT_SEG_DS;
}

/**
 * softpt_operand_decode() - what an instruction's ModRM byte says
 * @code: the instruction, whole
 * @insn: a PTWRITE, as softpt_insn_classify() has it
 * @long_mode: it runs in 64-bit mode, else in 32-bit mode
 *
 * Return: the operand.
 */
struct softpt_operand softpt_operand_decode(const u8 *code, struct softpt_insn insn, bool long_mode)
{
	struct softpt_operand op = {
		.memory = code[insn.modrm] < 0xc0, .size = insn.size, .width = insn.width,
		.base = SOFTPT_REG_NONE, .index = SOFTPT_REG_NONE,
	};
	const u8 *p = code + insn.modrm;

	if (!op.memory)
		op.base = (*p & 7) | (insn.rex & REX_B ? 8 : 0);
	else if (op.width == 2)
		decode16(p, &op);
	else
		decode(p, insn.rex, long_mode, &op);
	op.segment = segment(insn, &op);
	return op;
}

/* Where in its segment it is */
static u64 offset(const struct softpt_operand *op, const u64 *reg)
{
	u64 sum = op->disp;

	if (op->base != SOFTPT_REG_NONE)
		sum += reg[op->base];
	if (op->index != SOFTPT_REG_NONE)
		sum += reg[op->index] << op->scale;
	switch (op->width) {
	case 2:
		return sum & 0xffff;
	case 4:
		return sum & 0xffffffff;
	}
	return sum;
}

/* Whether the base of a segment is known in 32-bit mode. A null selector is no segment. */
static bool is_known(u8 segment, u16 selector)
{
	switch (segment) {
	case SOFTPT_SEG_CS:
		return true;
	case SOFTPT_SEG_FS:
	case SOFTPT_SEG_GS:
		return selector & ~3;
	}
	return selector == SOFTPT_FLAT_DATA;
}

/**
 * softpt_operand_register() - the value of an operand
 * @op: a register
 * @state: of the processor
 */
u64 softpt_operand_register(const struct softpt_operand *op,
			    const struct softpt_operand_state *state)
{
	u64 value = state->reg[op->base];

	return op->size == 8 ? value : value & 0xffffffff;
}

/**
 * softpt_operand_address() - the linear address of an operand
 * @op: in memory
 * @state: of the processor
 * @address: the answer
 *
 * The limits of FS and GS in 32-bit mode are not looked at.
 *
 * Return: false in 32-bit mode for a segment that may be anywhere.
 */
bool softpt_operand_address(const struct softpt_operand *op,
			    const struct softpt_operand_state *state, u64 *address)
{
	bool based = op->segment == SOFTPT_SEG_FS || op->segment == SOFTPT_SEG_GS;

	*address = offset(op, state->reg) + (based ? state->base : 0);
	if (state->long_mode)
		return true;
	*address &= 0xffffffff;
	return is_known(op->segment, state->selector);
}
