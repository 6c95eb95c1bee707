// SPDX-License-Identifier: BSD-2-Clause
/* Machine code that translations are made of */
#include "../layout.h"
#include "../thread.h"
#include "cache.h"
#include "emit.h"
#include "number.h"

#define RCX 1
#define RBX 3
#define RSI 6
#define RDI 7

void put_spill(void)
{
	CODE(0x65, 0x48, 0x89, 0x0c, 0x25);	/* mov %rcx, %gs:W_RCX */
	put4(W_RCX);
}

void put_unspill(void)
{
	CODE(0x65, 0x48, 0x8b, 0x0c, 0x25);	/* mov %gs:W_RCX, %rcx */
	put4(W_RCX);
}

/* What is RIP-relative is within 2 GB, for all of it is below. */
static void put_relative(u64 to)
{
	s64 distance = (s64)to - (s64)(here() + 4);

	if (distance != (s32)distance)
		die("out of reach", to);
	put4((u32)distance);
}

void put_jump(u32 to)
{
	*out++ = 0xe9;
	put_relative(to);
}

void put_record_spilled(u32 record)
{
	CODE(0x65, 0x48, 0x8b, 0x0c, 0x25);	/* mov %gs:W_CURSOR, %rcx */
	put4(W_CURSOR);
	CODE(0xc7, 0x01);			/* movl $record, (%rcx) */
	put4(record);
	CODE(0x48, 0x8d, 0x49, 0x04);		/* lea 4(%rcx), %rcx */
	CODE(0x65, 0x48, 0x89, 0x0c, 0x25);	/* mov %rcx, %gs:W_CURSOR */
	put4(W_CURSOR);
}

void put_record(u32 record)
{
	put_spill();
	put_record_spilled(record);
	put_unspill();
}

void put_push(u32 addr)
{
	u64 value = number_addr(addr);

	*out++ = 0x68;
	put4((u32)value);
	if (value == (u64)(s32)value)
		return;
	CODE(0xc7, 0x44, 0x24, 4);		/* movl $, 4(%rsp) */
	put4((u32)(value >> 32));
}

void put_pop(u32 n)
{
	CODE(0x48, 0x8d, 0xa4, 0x24);		/* lea n(%rsp), %rsp */
	put4(n);
}

void put_load_return(void)
{
	CODE(0x48, 0x8b, 0x0c, 0x24);		/* mov (%rsp), %rcx */
}

void put_pop_rcx(void)
{
	*out++ = 0x59;
}

static bool is_prefix_kept(u8 byte)
{
	return byte != 0x66 && byte != 0xf2 && byte != 0xf3 && byte != 0x3e;	/* BND, NOTRACK */
}

static u64 operand_of(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	return number_addr(addr) + insn->len + (u64)softpt_x86_signed(code + insn->disp, 4);
}

/* mov $value, %r */
static void put_address(unsigned int r, u64 value)
{
	*out++ = 0x48;
	*out++ = (u8)(0xb8 | r);
	put4((u32)value);
	put4((u32)(value >> 32));
}

/* MOV in place of the instruction, with its operand. @first: of its opcode; @wide: REX.W */
static void put_load(const u8 *code, const struct softpt_x86 *insn, u32 addr, u8 first, u8 wide)
{
	u64 operand = insn->rip_relative ? operand_of(code, insn, addr) : 0;
	unsigned int at = 0;

	if (operand >= SOFTPT_XL_FAR) {
		put_address(RCX, operand);
		run_again();
		*out++ = 0x40 | wide;
		CODE(0x8b, 0x09);		/* mov (%rcx), %rcx */
		return;
	}
	for (; code[at] != first && code[at] != insn->rex; at++)
		if (is_prefix_kept(code[at]))
			*out++ = code[at];
	*out++ = 0x40 | wide | (insn->rex & 3);
	*out++ = 0x8b;
	*out++ = (code[insn->modrm] & 0xc7) | RCX << 3;
	if (insn->rip_relative) {
		put_relative(operand);
		return;
	}
	for (at = insn->modrm + 1u; at < insn->len; at++)
		*out++ = code[at];
}

void put_load_target(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	put_load(code, insn, addr, 0xff, 8);
}

void put_load_value(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	put_load(code, insn, addr, 0x0f, insn->rex & 8);
	CODE(0x65, 0x48, 0x89, 0x0c, 0x25);	/* mov %rcx, %gs:W_SCRATCH */
	put4(W_SCRATCH);
}

bool put_copy(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	s64 moved;
	s32 disp;

	memcpy(out, code, insn->len);
	if (insn->rip_relative) {
		moved = (s64)operand_of(code, insn, addr) - (here() + insn->len);
		disp = (s32)moved;
		if (disp != moved)
			return false;
		memcpy(out + insn->disp, &disp, 4);
	}
	out += insn->len;
	return true;
}

/* A VEX or EVEX prefix, which is behind the others; NULL: there is none */
static const u8 *vector_prefix(const u8 *code)
{
	for (;; code++) {
		switch (*code) {
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66:
		case 0x67: case 0xf0: case 0xf2: case 0xf3:
			continue;
		case 0x62: case 0xc4: case 0xc5:
			return code;
		}
		return NULL;
	}
}

/* One that the instruction does not use: with a memory operand it names RSI and RDI, if at all. */
static unsigned int free_register(const u8 *code, const struct softpt_x86 *insn)
{
	unsigned int reg = code[insn->modrm] >> 3 & 7, other = reg;
	const u8 *vector = vector_prefix(code);

	if (vector)
		other = ~(vector[*vector == 0xc5 ? 1 : 2] >> 3) & 7;
	if (reg != RSI && other != RSI)
		return RSI;
	return reg != RDI && other != RDI ? RDI : RBX;
}

void put_far_copy(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	const unsigned int r = free_register(code, insn);
	const u8 *vector = vector_prefix(code);
	unsigned int at;

	CODE(0x65, 0x48, 0x89);			/* mov %r, %gs:W_SCRATCH */
	*out++ = (u8)(0x04 | r << 3);
	*out++ = 0x25;
	put4(W_SCRATCH);
	put_address(r, operand_of(code, insn, addr));
	run_begin(addr, r == RSI ? RUN_RSI : r == RDI ? RUN_RDI : RUN_RBX);
	memcpy(out, code, insn->disp);
	out[insn->modrm] = (u8)((code[insn->modrm] & 0x38) | r);
	if (vector && *vector != 0xc5)
		out[vector - code + 1] |= 0x20;		/* B, inverted */
	for (at = 0; insn->rex && at < insn->modrm; at++)
		if (code[at] == insn->rex) {
			out[at] &= ~1;
			break;
		}
	out += insn->disp;
	for (at = insn->disp + 4u; at < insn->len; at++)
		*out++ = code[at];
	CODE(0x65, 0x48, 0x8b);
	*out++ = (u8)(0x04 | r << 3);
	*out++ = 0x25;
	put4(W_SCRATCH);
}

u8 *put_jcc(u8 condition)
{
	*out++ = 0x0f;
	*out++ = 0x80 | condition;
	out += 4;
	return out - 4;
}

u8 *put_unless(u32 value)
{
	CODE(0x48, 0x8d, 0x89);			/* lea -value(%rcx), %rcx */
	put4(-value);
	CODE(0xe3, 5, 0xe9);			/* jrcxz over the jump */
	out += 4;
	return out - 4;
}

void put_here(u8 *from)
{
	u32 distance = here() - (u32)(uintptr_t)(from + 4);

	memcpy(from, &distance, 4);
}

void put_count(const u32 *counter)
{
	put_spill();
	CODE(0x8b, 0x0c, 0x25);			/* mov counter, %ecx */
	put4((u32)(uintptr_t)counter);
	CODE(0x8d, 0x49, 0x01);			/* lea 1(%rcx), %ecx */
	CODE(0x89, 0x0c, 0x25);
	put4((u32)(uintptr_t)counter);
	put_unspill();
}

void put_nop5(void)
{
	CODE(0x0f, 0x1f, 0x44, 0, 0);
}

void put_nop7(void)
{
	CODE(0x0f, 0x1f, 0x80, 0, 0, 0, 0);
}
