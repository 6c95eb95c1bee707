// SPDX-License-Identifier: BSD-2-Clause
/*
 * Retirements that events tell of: which events may take an instruction out of the pipeline, and
 * say so with the next record; what does not count; and that a disarmed unit keeps nothing.
 */
#include <string.h>

#include <softpt/classes.h>
#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"

#define COUNTER	12	/* never set: nothing freezes */

static struct softpt_engine e;
static struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
static uint8_t bytes[65536];
static struct softpt_sink sink;

static void happen(const struct softpt_event ev)
{
	const char *why;

	if (softpt_engine_check(&e, &ev, &why) || softpt_engine_event(&e, &ev, &sink))
		kit_bail("an event of kind %u: %s", ev.kind, why);
}

static void begin(void)
{
	const struct softpt_pipeline p = { .stages = 8, .depth = SOFTPT_FIFO_DEPTH };
	struct softpt_config config;

	softpt_config_default(&config);
	softpt_engine_init(&e, &config);
	sink = (struct softpt_sink){ bytes, bytes + sizeof(bytes) };
	softpt_fifo_arm(&e, &p, COUNTER, record);
	happen((struct softpt_event){ .kind = SOFTPT_EV_ENABLE, .tsc = 100, .ip = 0x1000 });
}

static void retire(uint64_t tsc, uint64_t ip, uint64_t n)
{
	happen((struct softpt_event){ .kind = SOFTPT_EV_RETIRE, .tsc = tsc, .ip = ip, .arg = n });
}

#define PMU(class, sub, n) { .kind = SOFTPT_EV_PMU, .tsc = 105, .arg = (n), \
	.arg2 = SOFTPT_CLASS_##class | (uint32_t)(sub) << 16 }
#define SUB(class, sub)	SOFTPT_SUB_##class##_##sub
#define SQUASHED	SOFTPT_RETIRED_SQUASHED
#define FLUSHED		SOFTPT_RETIRED_FLUSHED

static const struct {
	const char *what;
	struct softpt_event ev;
	uint32_t want;
} rows[] = {
	{ "idle", { .kind = SOFTPT_EV_IDLE, .tsc = 105 }, 0 },
	{ "a store", PMU(MEM, SUB(MEM, WRITE), 1), 0 },
	{ "a branch as predicted", PMU(BRANCHES, SUB(BRANCHES, PREDICTED), 1), 0 },
	{ "a branch that was mispredicted", PMU(BRANCHES, SUB(BRANCHES, MISPREDICTED), 1),
	  SQUASHED },
	{ "none of these", PMU(BRANCHES, SUB(BRANCHES, MISPREDICTED), 0), 0 },
	{ "a recirculation that retires", PMU(RECIRCULATIONS, SUB(RECIRCULATIONS, RETIRING), 1),
	  0 },
	{ "one that is flushed", PMU(RECIRCULATIONS, SUB(RECIRCULATIONS, FLUSHED), 1), SQUASHED },
	{ "clocks of one that is flushed",
	  { .kind = SOFTPT_EV_PMU, .tsc = 105, .flags = SOFTPT_EVF_BEGIN,
	    .arg2 = SOFTPT_CLASS_RECIRCULATIONS | SUB(RECIRCULATIONS, FLUSHED) << 16 }, SQUASHED },
	{ "a breakpoint", PMU(BREAKPOINTS, SUB(BREAKPOINTS, DATA), 1), SQUASHED },
	{ "a system call", PMU(SYSTEM_CALLS, SUB(SYSTEM_CALLS, ENTER), 1), SQUASHED },
	{ "a page fault", PMU(PAGE_FAULTS, SUB(PAGE_FAULTS, READ), 1), SQUASHED },
	{ "a flush", { .kind = SOFTPT_EV_FLUSH, .tsc = 105 }, FLUSHED },
	{ "a far transfer",
	  { .kind = SOFTPT_EV_FAR, .tsc = 105, .ip = 0x1004, .target = 0x2000 }, FLUSHED },
	{ "an interrupt",
	  { .kind = SOFTPT_EV_INTR, .tsc = 105, .ip = 0x1004, .target = 0x2000 }, FLUSHED },
	{ "another address space", { .kind = SOFTPT_EV_CR3, .tsc = 105, .arg = 0x1000 }, FLUSHED },
	{ "a transaction that begins",
	  { .kind = SOFTPT_EV_TSX, .tsc = 105, .arg = SOFTPT_TSX_BEGIN }, 0 },
	{ "one that is aborted",
	  { .kind = SOFTPT_EV_TSX, .tsc = 105, .arg = SOFTPT_TSX_ABORT }, FLUSHED },
};

/* The record behind the event says what may be missing before it, and the next one does not. */
static void test_rows(void)
{
	uint32_t flags, next;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		retire(102, 0x1000, 1);
		happen(rows[i].ev);
		retire(110, 0x1004, 1);
		retire(111, 0x1008, 1);
		if (e.fifo.n < 3)
			kit_bail("%s: %u records", rows[i].what, e.fifo.n);
		flags = softpt_fifo_read(&e.fifo, e.fifo.n - 2)->flags & (SQUASHED | FLUSHED);
		next = softpt_fifo_read(&e.fifo, e.fifo.n - 1)->flags & (SQUASHED | FLUSHED);
		kit_ok(flags == rows[i].want && !next, "%s", rows[i].what);
	}
}

static void test_nothing(void)
{
	unsigned int n;

	begin();
	retire(102, 0x1000, 1);
	n = e.fifo.n;
	retire(103, 0x1004, 0);
	kit_ok(e.fifo.n == n, "where nothing retires there is no record");
	softpt_fifo_disarm(&e);
	retire(104, 0x1008, 1);
	kit_ok(!e.fifo.n && e.fifo.state == SOFTPT_FIFO_OFF && !e.watched, "nor once it is disarmed");
}

/* Cycles do not pass while the core sleeps, and idle does not wake it. */
static void test_sleep(void)
{
	const struct softpt_retirement *last;

	begin();
	retire(100, 0x1000, 1);
	happen((struct softpt_event){ .kind = SOFTPT_EV_SLEEP, .tsc = 110, .arg = 1000 });
	happen((struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = 600 });
	retire(1120, 0x1004, 1);
	last = softpt_fifo_read(&e.fifo, e.fifo.n - 1);
	kit_ok(last->ip == 0x1004 && last->cycles == 20, "ten cycles before a sleep, ten behind it");
}

int main(void)
{
	test_rows();
	test_nothing();
	test_sleep();
	return kit_done();
}
