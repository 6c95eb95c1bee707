// SPDX-License-Identifier: BSD-2-Clause
/* Blocks of code: where they end, what they lead to, and what is left of them when code changes */
#include "selftests/host/unit/lib/code.h"

#include "kmod/x86/insn.h"
#include "selftests/kit/kit.h"

static const struct row {
	const char *what;
	unsigned int bits, insns, kind, last, end;
	uint64_t target;
	uint8_t bytes[16];
} rows[] = {
	{ "jcc", 64, 2, SOFTPT_INSN_JCC, 1, 3, AT + 5, { 0x90, 0x74, 0x02 } },
	{ "loop", 64, 1, SOFTPT_INSN_JCC, 0, 2, AT, { 0xe2, 0xfe } },
	{ "jmp back", 64, 1, SOFTPT_INSN_JMP, 0, 5, AT - 0x100 + 5, { 0xe9, 0, 0xff, 0xff, 0xff } },
	{ "call", 64, 1, SOFTPT_INSN_CALL, 0, 5, AT + 5, { 0xe8, 0, 0, 0, 0 } },
	{ "ret", 64, 2, SOFTPT_INSN_RET, 4, 5, 0, { 0xf3, 0x0f, 0x1e, 0xfa, 0xc3 } },
	{ "indirect call", 64, 1, SOFTPT_INSN_ICALL, 0, 2, 0, { 0xff, 0xd0 } },
	{ "indirect jump", 64, 1, SOFTPT_INSN_IJMP, 0, 3, 0, { 0x41, 0xff, 0xe3 } },
	{ "syscall", 64, 2, SOFTPT_INSN_FAR, 5, 7, 0, { 0xb8, 1, 0, 0, 0, 0x0f, 0x05 } },
	{ "sysret", 64, 1, SOFTPT_INSN_FAR, 0, 3, 0, { 0x48, 0x0f, 0x07 } },
	{ "vmcall", 64, 1, SOFTPT_INSN_FAR, 0, 3, 0, { 0x0f, 0x01, 0xc1 } },
	{ "int 80h", 32, 1, SOFTPT_INSN_FAR, 0, 2, 0, { 0xcd, 0x80 } },
	{ "ptwrite", 64, 1, SOFTPT_INSN_PTWRITE, 0, 4, 0, { 0xf3, 0x0f, 0xae, 0xe0 } },
	{ "inc eax, then ret", 32, 2, SOFTPT_INSN_RET, 1, 2, 0, { 0x40, 0xc3 } },
	{ "jmp in 16 bits", 16, 1, SOFTPT_INSN_JMP, 0, 3, AT + 3 + 0x100, { 0xe9, 0, 1 } },
	{ "17 prefixes", 64, 0, 0, 0, 0, 0,
	  { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	    0x66, 0x66 } },
};

static void test_ends(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct code_blocks b = { .read = read_code };
		const struct row *r = &rows[i];
		const struct code_block *block;

		memset(code, 0x66, sizeof(code));
		memcpy(code, r->bytes, sizeof(r->bytes));
		block = code_blocks_at(&b, AT, r->bits);
		kit_ok(block && block->insns == r->insns && block->end == AT + r->end &&
		       (!r->insns || (block->kind == r->kind && block->last == AT + r->last &&
				      block->target == r->target)), "%s", r->what);
		code_blocks_free(&b);
	}
}

static void test_long(void)
{
	struct code_blocks b = { .read = read_code };
	struct code_block *block, *next;

	memset(code, 0x90, sizeof(code));
	known = 300;
	block = code_blocks_at(&b, AT, 64);
	next = code_blocks_next(&b, block);
	kit_ok(block->insns == BLOCK_BYTES && block->kind == SOFTPT_INSN_OTHER,
	       "a block has an end");
	kit_ok(next->addr == block->end && next->insns == 300 - BLOCK_BYTES, "another goes on");
	kit_ok(!code_blocks_next(&b, next)->insns, "where no code is known");
	kit_ok(code_blocks_step(&b, block, AT + 7) == AT + 8 &&
	       !code_blocks_step(&b, block, AT - 1), "from instruction to instruction");
	known = sizeof(code);
	code_blocks_free(&b);
}

static void test_changes(void)
{
	struct code_blocks b = { .read = read_code };
	struct code_block *block, *other;
	uint32_t generation;

	memset(code, 0x90, sizeof(code));
	code[0] = 0xeb;		/* jmp AT + 0x202 */
	code[1] = 0;
	code[2] = 0xc3;
	code[0x202] = 0xc3;
	block = code_blocks_at(&b, AT, 64);
	other = code_blocks_at(&b, AT + 0x202, 64);
	kit_ok(code_blocks_target(&b, block)->addr == AT + 2 && code_blocks_at(&b, AT, 64) == block,
	       "a block is decoded once");
	block->note = 1;
	generation = b.generation;
	code[0x202] = 0xcc;
	code_blocks_drop(&b, AT + 0x202, AT + 0x203);
	kit_ok(b.generation != generation, "a change is seen");
	kit_ok(code_blocks_at(&b, AT, 64) == block && code_blocks_target(&b, block) &&
	       !block->note, "what is elsewhere stays, without its note");
	other = code_blocks_at(&b, AT + 0x202, 64);
	kit_ok(other->kind == SOFTPT_INSN_FAR, "what has changed is another block");
	code_blocks_drop(&b, 0, UINT64_MAX);
	kit_ok(!b.nr, "all of it goes");
	code_blocks_free(&b);
}

int main(void)
{
	test_ends();
	test_long();
	test_changes();
	return kit_done();
}
