// SPDX-License-Identifier: BSD-2-Clause
/* Which event an instruction is, by where execution went on */
#include <inttypes.h>

#include "kmod/x86/branch.h"
#include "selftests/kit/kit.h"

#define IP	0x401000
#define IS(what, bytes)	.insn = { .kind = SOFTPT_INSN_##what, .len = (bytes) }

static const struct row {
	const char *name;
	struct softpt_insn insn;
	u64 next;
	u16 kind, flags;
	bool ran_on;	/* where there is no event */
} rows[] = {
	{ "a conditional branch that is taken", IS(JCC, 2), .next = IP - 32,
	  .kind = SOFTPT_EV_JCC, .flags = SOFTPT_EVF_TARGET | SOFTPT_EVF_TAKEN },
	{ "one that is not", IS(JCC, 6), .next = IP + 6,
	  .kind = SOFTPT_EV_JCC, .flags = SOFTPT_EVF_TARGET },
	{ "one to itself is taken", IS(JCC, 2), .next = IP,
	  .kind = SOFTPT_EV_JCC, .flags = SOFTPT_EVF_TARGET | SOFTPT_EVF_TAKEN },
	{ "a jump", IS(JMP, 5), .next = IP + 5, .kind = SOFTPT_EV_JMP },
	{ "a call", IS(CALL, 5), .next = 0x400000, .kind = SOFTPT_EV_CALL },
	{ "an indirect jump", IS(IJMP, 2), .next = 1, .kind = SOFTPT_EV_IJMP },
	{ "an indirect call", IS(ICALL, 3), .next = 2, .kind = SOFTPT_EV_ICALL },
	{ "a return", IS(RET, 0), .next = 3, .kind = SOFTPT_EV_RET },
	{ "a far transfer", IS(FAR, 0), .next = 4, .kind = SOFTPT_EV_FAR },
	{ "IRET", IS(IRET, 0), .next = 5, .kind = SOFTPT_EV_FAR },
	{ "no branch", IS(OTHER, 0), .next = IP + 1, .ran_on = true },
	{ "no branch, of 15 bytes", IS(OTHER, 0), .next = IP + 15, .ran_on = true },
	{ "another iteration of REP", IS(OTHER, 0), .next = IP, .ran_on = true },
	{ "a signal in the place of no branch", IS(OTHER, 0), .next = IP + 16 },
	{ "one whose handler is before it", IS(OTHER, 0), .next = IP - 1 },
	{ "a transaction begins", IS(XBEGIN, 6), .next = IP + 6, .ran_on = true },
	{ "one whose abort handler is near", IS(XBEGIN, 6), .next = IP + 8 },
	{ "a system call is left to who follows", IS(SYSCALL, 0), .next = IP + 2, .ran_on = true },
	{ "and a trap", IS(TRAP, 0), .next = IP + 1, .ran_on = true },
};

static void test(const struct row *row)
{
	struct softpt_event ev = softpt_branch_event(row->insn, IP, row->next);

	kit_ok(ev.kind == row->kind && ev.flags == row->flags && ev.len == row->insn.len &&
	       ev.ip == IP && ev.target == row->next && ev.cpl == 3, "event: %s", row->name);
	if (!row->kind)
		kit_ok(softpt_insn_ran_on(row->insn, IP, row->next) == row->ran_on, "runs on: %s",
		       row->name);
}

int main(void)
{
	const struct row *row;

	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++)
		test(row);
	return kit_done();
}
