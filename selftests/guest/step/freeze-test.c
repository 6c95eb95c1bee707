// SPDX-License-Identifier: BSD-2-Clause
/* Records of a stepped program: the instructions that ptrace steps, and where some are missing */
#include "step.h"

#include <sys/wait.h>
#include <unistd.h>

#include <softpt/classes.h>

#define WRAP	(1ull << SOFTPT_COUNTER_BITS)

/* Addresses of target/freeze.S where it moves: its first SYSCALL, and what follows its second */
#define AWAY	0x403120
#define BACK	0x403162

struct frozen {
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	unsigned int n;
};

/* The first counter of the class's area freezes at its @nth event. */
static void arm(int session, unsigned int event_class, unsigned int nth, unsigned int delay)
{
	const unsigned int area = softpt_area_of_subarea(softpt_subarea_of_class(event_class));
	const struct softpt_escr escr = {
		.size = sizeof(escr), .index = 2 * softpt_subarea_of_class(event_class),
		.event_class = event_class, .mask = 0xffff, .usr = ~0u,
	};
	const struct softpt_counter counter = {
		.size = sizeof(counter), .index = area * 4, .escr = escr.index,
		.preset = WRAP - nth,
	};
	const struct softpt_freeze_args freeze = {
		.size = sizeof(freeze), .counter = counter.index,
		.pipeline = { .stages = 1, .delay = delay, .depth = SOFTPT_FIFO_DEPTH },
	};
	struct softpt_count_args count = { .size = sizeof(count), .start = 1u << counter.index };

	kit_disable(session);
	kit_is(kit_ioctl(session, SOFTPT_SET_ESCR, &escr), 0, "an ESCR");
	kit_is(kit_ioctl(session, SOFTPT_SET_COUNTER, &counter), 0, "a counter");
	kit_is(kit_ioctl(session, SOFTPT_SET_FREEZE, &freeze), 0, "it freezes");
	kit_is(kit_ioctl(session, SOFTPT_COUNT, &count), 0, "start");
	kit_is(kit_enable(session), 0, "enable");
}

/* A program on CPU 0, and what that CPU's unit has kept of it */
static void run(char *const argv[], unsigned int event_class, unsigned int nth,
		unsigned int delay, struct frozen *f)
{
	struct softpt_fifo_args args = {
		.size = sizeof(args), .n = SOFTPT_FIFO_DEPTH, .records = (uintptr_t)f->record,
	};
	struct softpt_config config = trace_config();
	struct trace_session s;
	pid_t pid;

	trace_open(&s, &config, 0);
	arm(s.session, event_class, nth, delay);
	pid = fork();
	if (!pid)
		trace_exec(s.session, argv, TRACE_PINNED);
	waitpid(pid, NULL, 0);
	kit_is(kit_ioctl(s.unit[0], SOFTPT_READ_FIFO, &args), 0, "%s: event %u", argv[0], nth);
	f->n = args.n;
	trace_close(&s);
}

/* The last instructions up to number @nth, each in a clock */
static void compare(char *const argv[], const struct ips *ips, unsigned int nth)
{
	static struct frozen f;
	unsigned int i, want = nth < SOFTPT_FIFO_DEPTH ? nth : SOFTPT_FIFO_DEPTH;

	run(argv, SOFTPT_CLASS_INSTRUCTIONS, nth, 1, &f);
	kit_ok(f.n == want, "%u instructions: %u records", nth, want);
	for (i = 0; i < f.n && i < want; i++) {
		const struct softpt_retirement *r = &f.record[i];

		if (r->ip != ips->ip[nth - want + i] || r->cycles != 1 || r->count != 1 ||
		    r->flags != SOFTPT_RETIRED)
			break;
	}
	if (!kit_ok(i == want, "they are the last that ptrace steps"))
		kit_note("record %u: 0x%llx, cycles %llu, flags 0x%x", i,
			 (unsigned long long)f.record[i % want].ip,
			 (unsigned long long)f.record[i % want].cycles, f.record[i % want].flags);
}

/* What it does on the other CPU this one's unit does not hold: that is told. */
static void moving(void)
{
	char *argv[] = { (char *)target_freeze, "a", "b", "c", NULL };
	static struct frozen f;
	unsigned int i;

	run(argv, SOFTPT_CLASS_SYSTEM_CALLS, 1, 8, &f);
	for (i = 0; i < f.n && f.record[i].ip != AWAY; i++)
		;
	kit_ok(i + 1 < f.n && f.record[i + 1].ip == BACK, "it goes to the other CPU and back");
	kit_ok(i + 1 < f.n && f.record[i + 1].flags & SOFTPT_RETIRED_FLUSHED,
	       "the record behind the gap says so");
	kit_ok(i + 2 < f.n && !(f.record[i + 2].flags & SOFTPT_RETIRED_FLUSHED), "the next does not");
}

void test_freeze(void)
{
	static const unsigned int nth[] = { 1, 255, 256, 257, 4321 };
	char *argv[] = { (char *)target, "calls", "quiet", NULL };
	struct code code = { 0 };
	struct ips ips = { 0 };
	size_t i;

	oracle_run(argv, &ips, &code);
	for (i = 0; i < sizeof(nth) / sizeof(nth[0]); i++)
		compare(argv, &ips, nth[i]);
	ips_free(&ips);
	code_free(&code);
	if (kit_cpus() > 1)
		moving();
}
