// SPDX-License-Identifier: BSD-2-Clause
/* Blocks: reading them, finding them by address, and which are on a page that changes */
#include <linux/signal.h>

#include "../guest.h"
#include "../layout.h"
#include "block.h"
#include "breaks.h"
#include "door.h"
#include "number.h"
#include "pages.h"

#define HASH_BITS	18
#define PARTS		(4u << 20)

struct block *blocks;
struct count counts[BLOCKS];
struct softpt_x86 block_insn[BLOCK_INSNS];
static u32 nr_blocks = 1;
static u32 hash[1 << HASH_BITS];

/* Blocks that have code on a page, and superblocks that are made of such */
struct part {
	u32 block;
	u32 next;
};

static struct part *parts;
static u32 nr_parts = 1;
static u32 parts_of[PAGES];	/* each page's newest */

void block_init(void)
{
	blocks = take_room(BLOCKS * sizeof(*blocks));
	parts = take_room(PARTS * sizeof(*parts));
}

static u32 *bucket(u32 addr)
{
	return &hash[(addr ^ addr >> HASH_BITS) & ((1 << HASH_BITS) - 1)];
}

struct block *block_find(u32 addr)
{
	u32 i;

	for (i = *bucket(addr); i; i = blocks[i].next)
		if (blocks[i].addr == addr)
			return &blocks[i];
	return NULL;
}

/* Bytes of one page that can be fetched: all @n, or fewer, and current()->fault_* say why */
static u32 fetch(u64 addr, u8 *code, u32 n)
{
	struct thread *t = current();
	u32 got;

	if (addr >= XL_COLD && addr < XL_TABLE_END) {	/* the runtime's own */
		t->fault_code = SEGV_MAPERR;
		t->fault_addr = addr;
		return 0;
	}
	got = n - (u32)guest_copy(code, (const void *)(uintptr_t)addr, n);
	if (!got || pages[number_of(addr) >> 12] != PAGE_DATA)
		return got;
	t->fault_code = SEGV_ACCERR;
	t->fault_addr = addr;
	return 0;
}

/* As many bytes as there are, up to @n. Return: how many */
static u32 read_code(u64 addr, u8 *code, u32 n)
{
	u32 here = (u32)min(n, PAGE - (addr & (PAGE - 1)));
	u32 got = fetch(addr, code, here);

	if (got == here && here < n)
		got += fetch(addr + here, code + here, n - here);
	breaks_hide(addr, code, got);
	return got;
}

static void ends_with(struct block *b, const struct softpt_x86 *insn, const u8 *code)
{
	b->kind = insn->kind;
	b->rip_relative = insn->rip_relative;
	switch (insn->kind) {
	case SOFTPT_X86_JCC:
	case SOFTPT_X86_LOOP:
	case SOFTPT_X86_JMP:
	case SOFTPT_X86_CALL:
		b->target = pages_number(softpt_x86_target(insn, code, number_addr(b->last)), true);
		break;
	case SOFTPT_X86_RET:
		b->pop = insn->imm_len ? (u16)softpt_x86_signed(code + insn->imm, 2) : 0;
		break;
	}
}

/* PTWRITE: F3 0F AE /4, without 66, F2 and LOCK */
static bool is_value(const struct softpt_x86 *insn, const u8 *code)
{
	bool rep = false;
	unsigned int at;

	if (insn->map != 1 || insn->opcode != 0xae || (code[insn->modrm] >> 3 & 7) != 4)
		return false;
	for (at = 0; code[at] != 0x0f && code[at] != insn->rex; at++) {
		if (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf0)
			return false;
		rep |= code[at] == 0xf3;
	}
	return rep;
}

struct block *block_read(u64 addr, u8 *code, bool steps)
{
	struct block *b = &blocks[nr_blocks];
	struct softpt_x86 *insn;
	u32 n, at = 0;

	if (nr_blocks >= BLOCKS - 1)
		die("too many blocks", addr);
	*b = (struct block){ .addr = pages_number(addr, false), .door = door_at(addr) };
	n = read_code(addr, code, BLOCK_CODE);
	for (insn = block_insn;; insn++) {
		softpt_x86_decode(code + at, n - at, insn);
		if (insn->kind == SOFTPT_X86_SHORT && !b->insns)
			return NULL;
		if (insn->kind == SOFTPT_X86_SHORT)
			break;
		b->last = b->addr + at;
		b->insns++;
		b->is_value = is_value(insn, code + at);
		at += insn->len;
		b->end = b->addr + at;
		if (b->is_value)
			return b;
		if (insn->kind != SOFTPT_X86_OTHER)
			break;
		b->single = b->door && steps;
		if (b->single || b->insns == BLOCK_INSNS || door_at(addr + at))
			return b;
	}
	if (insn->kind != SOFTPT_X86_SHORT)
		ends_with(b, insn, code + b->last - b->addr);
	return b;
}

/*
 * Another mapping may have changed it, or another process: what is decoded stays within it.
 * Return: whether its instructions are as they were
 */
static bool decode_again(const struct block *b, const u8 *code)
{
	const u32 size = b->end - b->addr;
	struct softpt_x86 *insn;
	bool same = true;
	u32 i, at = 0;

	for (i = 0; i < b->insns; i++) {
		insn = &block_insn[i];
		softpt_x86_decode(code + at, size - at, insn);
		insn->len = (u8)min(insn->len, size - at);
		at += insn->len;
		same &= insn->kind == (at < size ? SOFTPT_X86_OTHER : b->kind);
	}
	return same && at == size;
}

bool block_again(const struct block *b, u8 *code)
{
	const u32 size = b->end - b->addr;

	return read_code(number_addr(b->addr), code, size) == size && decode_again(b, code);
}

static void add_part(u32 page, u32 block)
{
	if (parts_of[page] && parts[parts_of[page]].block == block)
		return;
	if (nr_parts >= PARTS)
		die("too many blocks on a page", (u64)page << 12);
	parts[nr_parts] = (struct part){ .block = block, .next = parts_of[page] };
	parts_of[page] = nr_parts++;
}

void block_part(const struct block *b, u32 head)
{
	u32 page;

	for (page = b->addr >> 12; page <= (b->end - 1) >> 12; page++)
		add_part(page, head);
}

void block_add(struct block *b)
{
	u32 *head = bucket(b->addr);

	b->next = *head;
	*head = block_number(b);
	nr_blocks++;
	block_part(b, block_number(b));
}

void block_forget(struct block *b)
{
	u32 *at = bucket(b->addr);

	while (*at && *at != block_number(b))
		at = &blocks[*at].next;
	if (*at)
		*at = b->next;
	b->dead = true;
}

bool blocks_full(void)
{
	return nr_blocks > BLOCKS - 16 || nr_parts > PARTS - 8 * SOFTPT_XL_PATH;
}

void blocks_clear(void)
{
	nr_blocks = 1;
	nr_parts = 1;
	memset(hash, 0, sizeof(hash));
	memset(parts_of, 0, sizeof(parts_of));
}

bool blocks_dead(u32 number)
{
	return READ_ONCE(blocks[number].dead);
}

bool block_change(u64 from, u64 to, void (*kill)(struct block *b))
{
	u64 page, last = min(PAGE_UP(to) >> 12, (u64)PAGES);
	bool any = false;
	u32 i;

	for (page = from >> 12; page < last; page++) {
		for (i = parts_of[page]; i; i = parts[i].next) {
			any = true;
			if (!blocks[parts[i].block].dead)
				kill(&blocks[parts[i].block]);
		}
		parts_of[page] = 0;
	}
	return any;
}
