// SPDX-License-Identifier: BSD-2-Clause
/*
 * Strides through random code are those that a walk block by block finds, branch by branch,
 * whatever is remembered of them; code that has changed has new ones. A note of an indirect jump is
 * for one target.
 */
#include "selftests/host/unit/lib/code.h"

#include "kmod/x86/insn.h"
#include "selftests/kit/kit.h"
#include "userspace/lib/code/jumps.h"
#include "userspace/lib/code/strides.h"

/* NOP, conditional and other jumps of two bytes, RET: at any byte something begins. */
static void fill(uint64_t *seed)
{
	static const uint8_t opcodes[] = { 0x90, 0x90, 0x90, 0x74, 0x75, 0x7c, 0xeb, 0xc3 };
	unsigned int i;

	for (i = 0; i < sizeof(code); i++)
		code[i] = kit_random(seed) % 8 ? opcodes[kit_random(seed) % 8] : kit_random(seed);
}

/* Of each jump the same, as long as code and time are the same */
static uint8_t note_of(const struct code_block *b, unsigned int time)
{
	return (b->addr * 7 + time) % 5 % 3;
}

struct way {
	const struct code_block *at, *last;
	unsigned int instructions, branches, bits;
	struct stride_branch branch[STRIDE_BRANCHES];
};

/* Instructions and branches are those up to the last branch with an outcome. */
static struct way walk(struct code_blocks *b, struct code_block *at, unsigned int n,
		       unsigned int bits, unsigned int time)
{
	struct way way = { .at = at };
	unsigned int instructions = 0, branches = 0, before = 0;
	const struct code_block *block;

	while (way.bits < n && at->insns && instructions < 4096 && branches < STRIDE_BRANCHES) {
		const bool jcc = at->kind == SOFTPT_INSN_JCC;
		const bool taken = jcc ? bits >> (n - 1 - way.bits) & 1 :
					 at->kind == SOFTPT_INSN_JMP;

		if (taken ? note_of(at, time) != CODE_STAYS :
			    !jcc && at->kind != SOFTPT_INSN_OTHER)
			break;
		block = at;
		instructions += at->insns;
		at = code_blocks_at(b, taken ? at->target : at->end, 64);
		if (!jcc && !taken)
			continue;
		way.branch[branches++] = (struct stride_branch){
			block->last, at->addr, instructions - before, block->end - block->last,
			jcc, taken && (!jcc || at->addr != block->end),
		};
		before = instructions;
		if (!jcc)
			continue;
		way.at = at;
		way.last = block;
		way.instructions = instructions;
		way.branches = branches;
		way.bits++;
	}
	return way;
}

/* As a reader of the path does it */
static void note_all(struct code_blocks *b, unsigned int time)
{
	struct code_block *block;
	uint64_t addr;

	for (addr = AT; addr < AT + sizeof(code); addr++) {
		block = code_blocks_at(b, addr, 64);
		code_blocks_next(b, block);	/* notes of before are gone */
		block->note = note_of(block, time);
	}
}

static bool same_branch(const struct stride_branch *a, const struct stride_branch *b)
{
	return a->from == b->from && a->to == b->to && a->instructions == b->instructions &&
	       a->size == b->size && a->bit == b->bit && a->taken == b->taken;
}

static bool same_branches(const struct stride *s, const struct way *way)
{
	unsigned int i;

	for (i = 0; i < s->branches; i++)
		if (!same_branch(&s->branch[i], &way->branch[i]))
			return false;
	return true;
}

static bool is_same(const struct stride *s, const struct way *way)
{
	return s->bits == way->bits &&
	       (!s->bits || (s->to == way->at && s->last == way->last &&
			     s->instructions == way->instructions &&
			     s->branches == way->branches && same_branches(s, way)));
}

static void test_strides(void)
{
	struct strides *strides = strides_new(true);
	struct code_blocks b = { .read = read_code };
	unsigned int time, i, n, bits, good = 0, all = 0, long_ones = 0;
	uint64_t seed = 3;

	for (time = 0; time < 20; time++) {
		fill(&seed);
		code_blocks_drop(&b, AT, AT + sizeof(code));
		note_all(&b, time);
		for (i = 0; i < 20000; i++, all++) {
			struct code_block *from;
			const struct stride *s;
			struct way way;

			from = code_blocks_at(&b, AT + kit_random(&seed) % sizeof(code), 64);
			n = 1 + kit_random(&seed) % STRIDE_BITS;
			bits = kit_random(&seed) & ((1u << n) - 1);
			s = strides_at(strides, &b, from, n, bits);
			way = walk(&b, from, n, bits, time);
			good += is_same(s, &way);
			long_ones += s->bits > 2;
		}
	}
	kit_ok(good == all && long_ones > all / 20, "%u of %u strides, %u of more than two branches",
	       good, all, long_ones);
	code_blocks_free(&b);
	strides_free(strides);
}

/* A note that is written later makes the stride longer. */
static void test_notes(void)
{
	static const uint8_t loop[] = { 0x90, 0x75, 0xfd, 0xc3 };	/* 0: nop; jne 0; ret */
	struct strides *strides = strides_new(true);
	struct code_blocks b = { .read = read_code };
	struct code_block *from;

	memcpy(code, loop, sizeof(loop));
	from = code_blocks_at(&b, AT, 64);
	code_blocks_next(&b, from);
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 0, "nothing is known of a jump");
	from->note = CODE_STAYS;
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 4, "it stays in its function");
	code_blocks_drop(&b, AT + 0x10000, AT + 0x10001);
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 0 &&
	       strides_at(strides, &b, from, 4, 0xf)->bits == 0,
	       "a note of another generation is none: the target may be another's");
	code_blocks_next(&b, from);
	from->note = CODE_STAYS;
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 4, "it is noted anew");
	code_blocks_drop(&b, AT, AT + 1);
	from = code_blocks_at(&b, AT, 64);
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 0, "the code is another");
	from->note = CODE_STAYS;
	code_blocks_next(&b, from);
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 4, "that stays, too");
	from->note = 0;
	strides_forget(strides);
	kit_ok(strides_at(strides, &b, from, 4, 0xf)->bits == 0, "the block is another's");
	code_blocks_free(&b);
	strides_free(strides);
}

static void test_jumps(void)
{
	struct code_jumps *jumps = code_jumps_new();
	struct code_blocks b = { .generation = 1 };
	struct code_block from = { .addr = AT }, other = { .addr = AT + 1 };
	unsigned int i, lost = 0;

	*code_jumps_note(jumps, &b, &from, AT) = CODE_STAYS;
	kit_ok(*code_jumps_note(jumps, &b, &from, AT) == CODE_STAYS, "a note is kept");
	kit_ok(!*code_jumps_note(jumps, &b, &other, AT) &&
	       !*code_jumps_note(jumps, &b, &from, AT + 1),
	       "it is of one jump, and of one target");
	b.generation++;
	kit_ok(!*code_jumps_note(jumps, &b, &from, AT), "it is of one code");
	for (i = 0; i < 100; i++)
		*code_jumps_note(jumps, &b, &from, AT + i) = CODE_ENTERS;
	for (i = 0; i < 100; i++)
		lost += *code_jumps_note(jumps, &b, &from, AT + i) != CODE_ENTERS;
	kit_ok(lost < 50, "%u of 100 had no room", lost);
	code_jumps_free(jumps);
}

int main(void)
{
	test_strides();
	test_notes();
	test_jumps();
	return kit_done();
}
