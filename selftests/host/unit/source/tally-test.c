// SPDX-License-Identifier: BSD-2-Clause
/* Counts of translated programs: what descriptions say is added up; nonsense is told */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kmod/x86/decode.h"
#include "selftests/kit/kit.h"
#include "userspace/lib/source/tally.h"

static struct softpt_xl_process *process;

static void *part(uint64_t offset)
{
	return (char *)process + offset;
}

/* Two blocks: 3 instructions and a branch that is taken; 5 and a call. */
static void describe(void)
{
	struct softpt_xl_step *step = part(SOFTPT_XL_STEPS_AT);
	struct softpt_xl_exit *x = part(SOFTPT_XL_EXITS_AT);

	step[0] = (struct softpt_xl_step){
		.addr = 0x1000, .target = 0x2000, .last = 0x1008, .insns = 4, .len = 2,
		.kind = SOFTPT_X86_JCC, .taken = 1,
	};
	step[1] = (struct softpt_xl_step){
		.addr = 0x2000, .target = 0x3000, .last = 0x2010, .insns = 6, .len = 5,
		.kind = SOFTPT_X86_CALL,
	};
	step[2] = (struct softpt_xl_step){
		.addr = 0x3000, .last = 0x3004, .insns = 2, .len = 1, .kind = SOFTPT_X86_RET,
	};
	x[0] = (struct softpt_xl_exit){ .head = 0x1000, .first = 0, .nsteps = 1, .taken = 0 };
	x[1] = (struct softpt_xl_exit){ .head = 0x1000, .first = 0, .nsteps = 2 };
	x[2] = (struct softpt_xl_exit){
		.head = 0x3000, .first = 2, .nsteps = 1, .kind = SOFTPT_X86_RET,
	};
	process->exits = 3;
}

static void test_sums(void)
{
	const struct softpt_xl_escape call = {
		.mark = SOFTPT_XL_ESCAPE, .what = SOFTPT_XL_CALL,
	}, signal = {
		.mark = SOFTPT_XL_ESCAPE, .what = 11, .first = 0, .steps = 1, .insns = 3,
	}, undone = {
		.mark = SOFTPT_XL_ESCAPE, .what = 11, .flags = SOFTPT_XL_UNDONE,
	};
	uint32_t records[64] = { 0, 1, 1, 2 }, last = SOFTPT_XL_ESCAPE;
	struct xl_tally *t = xl_tally_new(process);
	uint64_t c[XL_COUNTS] = { 0 };

	kit_ok(!xl_tally_records(t, records, records + 4, &last) && last == 2, "records");
	xl_tally_add(t, c);
	kit_ok(c[XL_INSNS] == 4 + 2 * 10 + 2 && c[XL_CONDITIONAL] == 3 && c[XL_TAKEN] == 2 &&
	       c[XL_CALLS] == 2 && c[XL_RETURNS] == 1, "each exit as often as it was taken");
	memcpy(records, &call, sizeof(call));
	kit_ok(!xl_tally_records(t, records, records + sizeof(call) / 4, &last), "a system call");
	memcpy(records, &undone, sizeof(undone));
	kit_ok(!xl_tally_records(t, records, records + sizeof(call) / 4, &last),
	       "a return that was not done");
	memcpy(records, &signal, sizeof(signal));
	kit_ok(!xl_tally_records(t, records, records + sizeof(call) / 4, &last),
	       "a signal amid a superblock");
	memset(c, 0, sizeof(c));
	xl_tally_add(t, c);
	kit_ok(c[XL_INSNS] == 26 - 1 + 4 + 3 && c[XL_RETURNS] == 0 && c[XL_TAKEN] == 3 &&
	       c[XL_SYSCALLS] == 1,
	       "what escapes say of instructions");
	/* All descriptions go, and numbers mean others. */
	((struct softpt_xl_step *)part(SOFTPT_XL_STEPS_AT))[0].insns = 100;
	process->flushes++;
	records[0] = 0;
	kit_ok(!xl_tally_records(t, records, records + 1, &last), "a record behind a flush");
	memset(c, 0, sizeof(c));
	xl_tally_add(t, c);
	kit_ok(c[XL_INSNS] == 32 + 100, "what was counted before a flush stays: %llu",
	       (unsigned long long)c[XL_INSNS]);
	process->flushes = 0;
	xl_tally_free(t);
}

/* Nothing there is believed. */
static void test_hostile(void)
{
	uint32_t records[256], last = SOFTPT_XL_ESCAPE, i, k;
	unsigned int bad = 0, good = 0, wrong = 0;

	srandom(7);
	for (k = 0; k < 2000; k++) {
		struct xl_tally *t = xl_tally_new(process);
		uint64_t c[XL_COUNTS] = { 0 };
		uint8_t *exits = part(SOFTPT_XL_EXITS_AT);
		int err;

		for (i = 0; i < 64 * sizeof(struct softpt_xl_exit); i++)
			exits[i] = random() % 5 ? 0 : random();
		process->exits = random() % 3 ? 64 : UINT32_MAX;
		for (i = 0; i < 256; i++)
			records[i] = random() % 50 ? random() % 64u :
				     random() % 2 ? SOFTPT_XL_ESCAPE : (uint32_t)random();
		err = xl_tally_records(t, records, records + random() % 257, &last);
		xl_tally_add(t, c);
		good += !err;
		bad += err == -EBADMSG;
		wrong += err && err != -EBADMSG;
		xl_tally_free(t);
	}
	kit_ok(bad && good && !wrong, "random memory: %u times refused, %u times not", bad, good);
}

int main(void)
{
	process = mmap(NULL, SOFTPT_XL_AREA, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (process == MAP_FAILED)
		kit_bail("no memory");
	describe();
	test_sums();
	test_hostile();
	return kit_done();
}
