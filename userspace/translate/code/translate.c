// SPDX-License-Identifier: BSD-2-Clause
/*
 * Blocks as they are first translated: each by itself, with counters that tell when it is hot and
 * where it goes.
 */
#include "../guest.h"
#include "cache.h"
#include "condition.h"
#include "describe.h"
#include "emit.h"
#include "link.h"
#include "number.h"
#include "pages.h"
#include "record.h"
#include "table.h"
#include "translate.h"

struct lock xl_lock;

void put_body(const struct block *b, const u8 *code, struct softpt_x86 *last)
{
	struct run *run = run_begin(b->addr, 0);
	u32 i, addr = b->addr;

	for (i = 0; i < b->insns; i++, addr += last->len, code += last->len) {
		*last = block_insn[i];
		if (last->kind != SOFTPT_X86_OTHER || (b->is_value && addr == b->last))
			continue;
		if (put_copy(code, last, addr))
			continue;
		run->len = (u16)(here() - run->cache);
		put_far_copy(code, last, addr);
		run = run_begin(addr + last->len, 0);
	}
	run->len = (u16)(here() - run->cache);
}

void put_side_exit(u8 *from, bool taken, u32 target, const u32 *counter)
{
	u8 *before = cache_enter(REGION_STUB);

	put_here(from);
	if (counter)
		put_count(counter);
	put_record(describe_exit(SOFTPT_X86_JCC, taken));
	link_jump(target);
	cache_leave(before);
}

void put_indirect(const struct block *b, const u8 *code, const struct softpt_x86 *last,
		  bool counted)
{
	const u32 flags = RUN_SPILLED | RUN_RECORDED;

	if (b->kind != SOFTPT_X86_RET)
		put_unspill();		/* the operand may be of RCX */
	run_begin(b->last, flags);
	if (b->kind == SOFTPT_X86_RET) {
		put_pop_rcx();
		if (b->pop)
			put_pop(b->pop);
	} else {
		put_load_target(code + (b->last - b->addr), last, b->last);
	}
	if (counted && b->rip_relative) {
		CODE(0x89, 0x0c, 0x25);		/* mov %ecx, counts[].target */
		put4((u32)(uintptr_t)&counts[block_number(b)].target);
	}
	if (b->kind == SOFTPT_X86_ICALL) {
		run_begin(b->last, flags);
		put_push(b->end);
	}
	put_table_jump();
}

/* A conditional branch: one outcome in a stub, the other straight on */
static void end_jcc(const struct block *b, const struct softpt_x86 *last, bool prefer,
		    bool counted)
{
	u8 *from = put_jcc((last->opcode & 15) ^ prefer);

	put_side_exit(from, !prefer, prefer ? b->end : b->target,
		      counted ? &counts[block_number(b)].taken : NULL);
	put_record(describe_exit(SOFTPT_X86_JCC, prefer));
	link_jump(prefer ? b->target : b->end);
}

/* LOOP and JRCXZ have short displacements only. */
static void end_loop(const struct block *b, const u8 *code, const struct softpt_x86 *last)
{
	u8 *from;

	memcpy(out, code + (b->last - b->addr), last->len - 1u);
	out += last->len - 1;
	CODE(5, 0xe9);			/* taken: over the jump */
	from = out;
	out += 4;
	put_side_exit(from, false, b->end, NULL);
	put_record(describe_exit(SOFTPT_X86_JCC, 1));
	link_jump(b->target);
}

/* It takes place in the copy, and the program is told of the original. */
static void end_trap(const struct block *b, const u8 *code, const struct softpt_x86 *last)
{
	struct run *run = run_begin(b->last, 0);

	memcpy(out, code + (b->last - b->addr), last->len);
	out += last->len;
	run->len = last->len;
	link_leave(LINK_REFUSED, b->last);
}

/* INT n faults, but for the system calls of 32-bit programs. */
static bool is_fault(const u8 *code, const struct softpt_x86 *last)
{
	return !last->map && last->opcode == 0xcd && code[last->len - 1] != 0x80;
}

/* No processor has to know it: its operand is read, and the recorder told. */
static void end_value(const struct block *b, const u8 *code, const struct softpt_x86 *last)
{
	put_spill();
	run_begin(b->last, RUN_SPILLED);
	put_load_value(code + (b->last - b->addr), last, b->last);
	put_record_spilled(describe_exit(b->kind, -1));
	put_unspill();
	link_leave(LINK_VALUE, b->end);
}

void put_end(const struct block *b, const u8 *code, const struct softpt_x86 *last, bool prefer,
	     bool counted)
{
	if (b->is_value) {
		end_value(b, code, last);
		return;
	}
	switch (b->kind) {
	case SOFTPT_X86_JCC:
		end_jcc(b, last, prefer, counted);
		break;
	case SOFTPT_X86_LOOP:
		end_loop(b, code, last);
		break;
	case SOFTPT_X86_CALL:
		run_begin(b->last, 0);
		put_push(b->end);
		describe_call(b);
		put_record(describe_exit(b->kind, -1));
		link_jump(b->target);
		break;
	case SOFTPT_X86_JMP:
	case SOFTPT_X86_OTHER:
		put_record(describe_exit(b->kind, -1));
		if (b->single)
			link_leave(LINK_EACH, b->end);
		else
			link_jump(b->kind == SOFTPT_X86_JMP ? b->target : b->end);
		break;
	case SOFTPT_X86_RET:
	case SOFTPT_X86_IJMP:
	case SOFTPT_X86_ICALL:
		if (b->kind == SOFTPT_X86_ICALL)
			describe_call(b);
		put_spill();
		put_record_spilled(describe_exit(b->kind, -1));
		put_indirect(b, code, last, counted);
		break;
	case SOFTPT_X86_SYSCALL:
		put_record(describe_exit(b->kind, -1));
		link_leave(LINK_SYSCALL, b->end);
		break;
	case SOFTPT_X86_TRAP:
		end_trap(b, code, last);
		break;
	default:
		if (is_fault(code + (b->last - b->addr), last))
			end_trap(b, code, last);
		else
			link_leave(LINK_REFUSED, b->last);
	}
}

/* Count down; the runtime is entered when it gets to 0. */
static void put_heat(const struct block *b)
{
	u32 left = (u32)(uintptr_t)&counts[block_number(b)].left;
	u8 *go;

	put_spill();
	CODE(0x8b, 0x0c, 0x25);			/* mov left, %ecx */
	put4(left);
	CODE(0x8d, 0x49, 0xff);			/* lea -1(%rcx), %ecx */
	CODE(0x89, 0x0c, 0x25);
	put4(left);
	CODE(0x67, 0xe3, 2, 0xeb);		/* jecxz over the short jump */
	go = out++;
	put_unspill();
	link_leave(LINK_HOT, b->addr);
	*go = (u8)(out - go - 1);
	put_unspill();
}

struct block *translate(u64 addr)
{
	static u8 code[BLOCK_CODE];
	const u32 number = number_of(addr);
	struct block *b = number ? block_find(number) : NULL;
	struct softpt_x86 last;

	if (b)
		return b;
	if (cache_full() || describe_full())
		die("more code than there is room for", addr);
	b = block_read(addr, code, condition_any() && READ_ONCE(process->native));
	if (!b)
		return NULL;
	pages_translated(b->addr, b->end);
	if (pages_made(b->addr, b->end))
		record_bytes(current(), b, code);
	counts[block_number(b)] = (struct count){ .left = HOT_AFTER };
	run_of(block_number(b));
	cache_enter(REGION_COLD);
	describe_begin();
	describe_step(b, false);
	align_to(16);
	b->indirect = here();
	put_unspill();
	put_nop7();
	b->direct = here();
	put_heat(b);
	block_add(b);
	put_body(b, code, &last);
	put_end(b, code, &last, false, true);
	return b;
}

/*
 * Jumps to its old entry lead to where it is translated next, once the dispatcher has seen them.
 * Other threads execute it: what the entries lead to is there before they do.
 */
void translate_kill(struct block *b)
{
	const u32 direct = b->direct, indirect = b->indirect;
	u32 leave, unspill;
	u8 *before;

	block_forget(b);
	table_forget(b);
	before = cache_enter(REGION_STUB);
	leave = here();
	link_leave_from(direct, b->addr);
	unspill = here();
	put_unspill();
	put_jump(direct);
	patch_entry(direct, leave);
	patch_entry(indirect, unspill);
	cache_leave(before);
}
