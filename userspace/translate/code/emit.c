// SPDX-License-Identifier: BSD-2-Clause
/* Machine code that translations are made of */
#include "../layout.h"
#include "../thread.h"
#include "cache.h"
#include "emit.h"

#define RCX 1

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
	*out++ = 0x68;
	put4(addr);
}

void put_table_jump(void)
{
	CODE(0xff, 0x24, 0xcd);			/* jmp *XL_TABLE(, %rcx, 8) */
	put4(XL_TABLE);
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

/* MOV in place of JMP or CALL, with its operand */
void put_load_target(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	u32 end = addr + insn->len;
	unsigned int at = 0;

	for (; code[at] != 0xff && code[at] != insn->rex; at++)
		if (is_prefix_kept(code[at]))
			*out++ = code[at];
	*out++ = 0x48 | (insn->rex & 3);
	*out++ = 0x8b;
	*out++ = (code[insn->modrm] & 0xc7) | RCX << 3;
	if (insn->rip_relative) {
		put_relative(end + softpt_x86_signed(code + insn->disp, 4));
		return;
	}
	for (at = insn->modrm + 1u; at < insn->len; at++)
		*out++ = code[at];
}

void put_copy(const u8 *code, const struct softpt_x86 *insn, u32 addr)
{
	s64 moved = (s64)addr - here();
	s32 disp;

	memcpy(out, code, insn->len);
	if (insn->rip_relative) {
		moved += softpt_x86_signed(code + insn->disp, 4);
		disp = (s32)moved;
		if (disp != moved)
			die("a RIP-relative operand is out of reach", addr);
		memcpy(out + insn->disp, &disp, 4);
	}
	out += insn->len;
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
