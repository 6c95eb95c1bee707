// SPDX-License-Identifier: BSD-2-Clause
/*
 * Superblocks: the likely path from a block on, laid out straight through jumps, calls, conditional
 * branches and returns. A record is written only where that path is left.
 */
#include "cache.h"
#include "describe.h"
#include "emit.h"
#include "link.h"
#include "table.h"
#include "translate.h"

#define BLOCKS_MAX	32
#define INSNS_MAX	300
#define UNROLL_INSNS	64
#define UNROLL_BLOCKS	64
#define BITS_MAX	60	/* of a record */
#define CALLS_MAX	64

/* A block of the path, and how it goes on */
struct place {
	struct block *b;
	u32 next;		/* 0: the path ends behind it */
	bool taken;
};

struct path {
	struct place at[SOFTPT_XL_PATH];
	u32 n;
	u32 insns;
	u32 bits;
	u32 calls[CALLS_MAX];	/* return addresses */
	u32 depth;
	u32 rounds;		/* of the loop that it is */
	u32 round;		/* where the last begins */
	bool closed;		/* it ends with a jump to its head */
};

static void push_call(struct path *p, u32 addr)
{
	if (p->depth < CALLS_MAX)
		p->calls[p->depth++] = addr;
}

static u32 executed(const struct block *b)
{
	return HOT_AFTER - counts[block_number(b)].left;
}

/* How the path goes on behind @b, as far as that is known. Return: 0: not */
static u32 likely_next(struct path *p, const struct block *b, bool *taken)
{
	const struct count *c = &counts[block_number(b)];

	*taken = false;
	switch (b->kind) {
	case SOFTPT_X86_JCC:
		p->bits++;
		*taken = 2 * c->taken > executed(b);
		return *taken ? b->target : b->end;
	case SOFTPT_X86_JMP:
		return b->target;
	case SOFTPT_X86_OTHER:
		return b->is_value || b->single ? 0 : b->end;
	case SOFTPT_X86_CALL:
		push_call(p, b->end);
		return b->target;
	case SOFTPT_X86_RET:
		return p->depth ? p->calls[--p->depth] : 0;
	case SOFTPT_X86_IJMP:
	case SOFTPT_X86_ICALL:
		if (!b->rip_relative || !c->target)
			return 0;
		if (b->kind == SOFTPT_X86_ICALL)
			push_call(p, b->end);
		return c->target;
	}
	return 0;
}

static bool is_indirect(const struct block *b)
{
	return b->kind == SOFTPT_X86_RET || b->kind == SOFTPT_X86_IJMP ||
	       b->kind == SOFTPT_X86_ICALL;
}

/* Another round of the loop would be too long. */
static bool unrolled(const struct path *p)
{
	return p->insns + p->insns / p->rounds > UNROLL_INSNS ||
	       p->bits + p->bits / p->rounds > BITS_MAX ||
	       p->n + p->n / p->rounds > UNROLL_BLOCKS;
}

static bool in_round(const struct path *p, const struct block *b)
{
	u32 i;

	for (i = p->round; i < p->n; i++)
		if (p->at[i].b == b)
			return true;
	return false;
}

static bool too_long(const struct path *p)
{
	return p->n >= BLOCKS_MAX || p->bits >= BITS_MAX || p->insns > INSNS_MAX;
}

/* Whether the path goes on with @b */
static bool goes_on(struct path *p, const struct block *head, const struct block *b)
{
	if (b == head) {
		p->rounds++;
		if (unrolled(p))
			return false;
		p->round = p->n;
		return true;
	}
	return !in_round(p, b) && !b->loops && !too_long(p) &&
	       (!counts[block_number(b)].left || executed(b) >= 2);
}

static void find_path(struct path *p, struct block *head)
{
	struct block *b = head, *next;
	struct place *at;

	for (;;) {
		at = &p->at[p->n++];
		at->b = b;
		p->insns += b->insns;
		at->next = likely_next(p, b, &at->taken);
		next = at->next ? block_find(at->next) : NULL;
		if (is_indirect(b) && at->next >= SOFTPT_XL_FAR)
			next = NULL;		/* no guard compares so much */
		if (next && !next->door && p->n < SOFTPT_XL_PATH && goes_on(p, head, next)) {
			b = next;
			continue;
		}
		p->closed = at->next == head->addr && !head->door && !is_indirect(b);
		at->next = 0;
		return;
	}
}

/* An indirect branch that is likely to go to @next */
static void put_guarded(const struct block *b, const u8 *code, const struct softpt_x86 *last,
			u32 next)
{
	u8 *from, *before;

	put_spill();
	run_begin(b->last, RUN_SPILLED);
	if (b->kind == SOFTPT_X86_RET)
		put_load_return();
	else
		put_load_target(code + (b->last - b->addr), last, b->last);
	from = put_unless(next);
	put_unspill();

	before = cache_enter(REGION_STUB);
	put_here(from);
	put_record_spilled(describe_exit(b->kind, -1));
	put_indirect(b, code, last, false);
	cache_leave(before);

	if (b->kind == SOFTPT_X86_RET) {
		put_pop(8u + b->pop);
	} else if (b->kind == SOFTPT_X86_ICALL) {
		run_begin(b->last, 0);
		put_push(b->end);
	}
	describe_target(next, b->kind);
}

/* What is between a block of the path and the next */
static void put_on(const struct place *at, const u8 *code, const struct softpt_x86 *last)
{
	const struct block *b = at->b;

	switch (b->kind) {
	case SOFTPT_X86_JCC:
		put_side_exit(put_jcc((last->opcode & 15) ^ at->taken), !at->taken,
			      at->taken ? b->end : b->target, NULL);
		describe_bit(at->taken);
		break;
	case SOFTPT_X86_CALL:
		run_begin(b->last, 0);
		put_push(b->end);
		describe_call(b);
		break;
	case SOFTPT_X86_ICALL:
		describe_call(b);
		put_guarded(b, code, last, at->next);
		break;
	case SOFTPT_X86_RET:
	case SOFTPT_X86_IJMP:
		put_guarded(b, code, last, at->next);
		break;
	}
}

static void put_path(const struct path *p)
{
	static u8 code[BLOCK_CODE];
	const struct place *at;
	struct softpt_x86 last;
	u32 i;

	for (i = 0; i < p->n; i++) {
		at = &p->at[i];
		block_again(at->b, code);
		describe_step(at->b, at->taken);
		block_part(at->b, block_number(p->at[0].b));
		put_body(at->b, code, &last);
		if (at->next)
			put_on(at, code, &last);
		else
			put_end(at->b, code, &last, at->taken, false);
	}
}

/* Of blocks whose code cannot be read any more, which are about to be killed, or is other code */
static bool readable(const struct path *p)
{
	static u8 code[BLOCK_CODE];
	u32 i;

	for (i = 0; i < p->n; i++)
		if (!block_again(p->at[i].b, code))
			return false;
	return true;
}

void translate_hot(struct block *b)
{
	const u32 indirect = b->indirect, direct = b->direct;
	struct path p = { 0 };

	if (cache_full() || describe_full())
		return;
	find_path(&p, b);
	if (!readable(&p))
		return;
	run_of(block_number(b));
	cache_enter(REGION_HOT);
	align_to(16);
	b->indirect = here();
	put_unspill();
	put_nop7();
	b->direct = here();
	put_nop5();
	b->is_hot = true;
	b->loops = p.closed;
	describe_begin();
	put_path(&p);
	/* The old entries, and all jumps there, lead here now that it is complete. */
	patch_entry(indirect, b->indirect);
	patch_entry(direct, b->direct);
	link_moved(b);
	table_moved(b);
}
