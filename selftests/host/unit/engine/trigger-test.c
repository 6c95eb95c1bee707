// SPDX-License-Identifier: BSD-2-Clause
/* Triggers of the engine: what is an occurrence of what, and which of them fire */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "userspace/lib/events/text.h"
#include "userspace/lib/trigger/text.h"
#include "userspace/lib/sim/sim.h"
#include "selftests/kit/kit.h"

static struct softpt_engine e;
static uint8_t bytes[1 << 20];

/* Armed before it is enabled: events are the rows of a text */
static void arm(const struct softpt_trigger *trigger)
{
	struct softpt_triggers set = { 0 };
	struct softpt_config cfg;
	const char *why;

	softpt_config_default(&cfg);
	cfg.flags |= SOFTPT_F_TRIG;
	softpt_engine_init(&e, &cfg);
	if (softpt_set_trigger(&set, trigger, &why))
		kit_bail("a trigger: %s", why);
	softpt_triggers_arm(&e, &set);
}

/* Counter 4 counts class 3 (mem), and wraps at each fourth */
static void count_to_four(void)
{
	const struct softpt_escr escr = { .index = 6, .event_class = 3, .mask = 0xffff,
					  .usr = ~0u, .os = ~0u };
	const struct softpt_counter counter = { .index = 4, .escr = 6, .preset = (1ull << 40) - 4 };
	const struct softpt_count_args args = { .start = 1 << 4 };
	const char *why;

	if (softpt_set_escr(&e.counters, &escr, &why) ||
	    softpt_set_counter(&e.counters, &counter, &why))
		kit_bail("a counter: %s", why);
	softpt_count_control(&e, 0, &args);
}

static int feed(const char *text, struct softpt_sink *sink)
{
	struct softpt_event ev;
	uint64_t now = 0;
	struct error error;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (event_parse(text, &now, &ev, &error) < 0)
			kit_bail("%s: %s", text, error.text);
		if (softpt_engine_event(&e, &ev, sink))
			return SOFTPT_MORE;
	}
	return 0;
}

struct row {
	const char *trigger;
	const char *events;
	uint64_t hits, fired, tsc, ip;
};

static const struct row rows[] = {
	{ "ip=0x401000", "10 enable 0x401000", 1, 1, 10, 0x401000 },
	{ "ip=0x401000", "10 enable 0x401000\n20 jmp 0x401000 0x402000", 1, 1, 10, 0x401000 },
	{ "ip=0x401004", "10 enable 0x401000\n20 jmp 0x401008 0x402000", 1, 1, 20, 0x401004 },
	{ "ip=0x401009", "10 enable 0x401000\n20 jmp 0x401008 0x402000", 0, 0, 0, 0 },
	{ "ip=0x401008", "10 enable 0x401000\n20 intr 0x401008 0x402000 0 14", 0, 0, 0, 0 },
	{ "ip=0x401007", "10 enable 0x401000\n20 disable 0x401008", 1, 1, 20, 0x401007 },
	{ "ip=0x401000,nth=3", "10 enable 0x401000\n20 intr 0x401000 0x402000 3 14\n"
	  "30 jcc 0x401000 not\n40 intr 0x401000 0x402000 3 14\n50 jmp 0x402008 0x401000\n"
	  "60 jmp 0x401004 0x401000", 3, 1, 60, 0x401000 },
	{ "ip=0x401008", "10 enable 0x401000\n20 jcc 0x401004 not\n30 jcc 0x40100c not", 1, 1, 30,
	  0x401008 },
	{ "ip=0x401004", "10 enable 0x401000\n20 jcc 0x401004 not\n30 jcc 0x40100c not", 1, 1, 20,
	  0x401004 },
	{ "ip=0x401008", "10 enable 0x401000\n20 jcc 0x401004 taken\n30 jcc 0x40100c not", 0, 0, 0,
	  0 },
	{ "ip=0x400000", "10 enable 0x401000\n20 jcc 0x401004 not\n30 jcc 0x40100c not", 0, 0, 0,
	  0 },
	/* nobody knows where it went on from */
	{ "ip=0x401010", "10 enable 0x401000\n20 ovf 5\n30 jcc 0x401020 not", 0, 0, 0, 0 },
	{ "ip=0x401020", "10 enable 0x401000\n20 ovf 5\n30 jcc 0x401020 not", 1, 1, 30, 0x401020 },
	{ "ip=0x402000-0x402fff", "10 enable 0x401000\n20 call 0x401004 0x402000\n"
	  "30 jcc 0x402008 not\n40 ret 0x402010 0x401009", 1, 1, 20, 0x402000 },
	/* interrupted before it is executed: that is one occurrence, not two */
	{ "ip=0x401000,rearm", "10 enable 0x401000\n20 intr 0x401000 0x9000 0 14\n"
	  "30 far 0x9004 0x401000 3\n40 jmp 0x401000 0x401000", 2, 2, 40, 0x401000 },
	/* nor where the handler is interrupted, too */
	{ "ip=0x2000,rearm", "10 enable 0x1000\n20 ijmp 0x1004 0x2000\n"
	  "30 intr 0x2000 0x9000 0 14\n40 ijmp 0x9004 0x9100\n50 intr 0x9104 0xa000 0 3\n"
	  "60 far 0xa004 0x9104 0\n70 far 0x9110 0x2000 3\n80 ijmp 0x2020 0x3000", 1, 1, 20,
	  0x2000 },
	/* and what another task does there is its own */
	{ "ip=0x401000,rearm", "10 enable 0x401000\n20 intr 0x401000 0x9000 0 14\n"
	  "30 disable\n40 enable 0x405000\n50 jmp 0x405000 0x401000", 2, 2, 50, 0x401000 },
	/* what is no control flow tells it, too; a signal comes before its instruction */
	{ "ip=0x401008,rearm", "10 enable 0x401000\n20 syscall 60 0x401008\n"
	  "30 jmp 0x40100c 0x402000", 1, 1, 20, 0x401008 },
	{ "ip=0x401004-0x401005,rearm", "10 enable 0x401000\n20 data 0x7000 0x401008\n"
	  "30 data 0x7008 0x40100c", 1, 1, 20, 0x401004 },
	{ "ip=0x401008,rearm", "10 enable 0x401000\n20 signal 11 1 0x401008\n"
	  "30 jmp 0x401010 0x402000", 1, 1, 30, 0x401008 },
	{ "ip=0x401007", "10 enable 0x401000\n20 signal 11 0 0x401008", 1, 1, 20, 0x401007 },
	{ "ip=0x401000,rearm", "10 enable 0x401000\n20 signal 11 1 0x401000\n"
	  "30 jmp 0x401000 0x402000", 1, 1, 10, 0x401000 },
	/* behind the way into the kernel it names what was looked at */
	{ "ip=0x401008,rearm", "10 enable 0x401000\n20 far 0x401008 0 0\n30 syscall 60 0x401008\n"
	  "40 far 0 0x40100a 3\n50 jmp 0x40100c 0x402000", 1, 1, 20, 0x401008 },
	{ "ip=0x401000,nth=3", "10 enable 0x401000\n20 jmp 0x401010 0x401000\n"
	  "30 jmp 0x401010 0x401000\n40 jmp 0x401010 0x401000", 4, 1, 30, 0x401000 },
	{ "ptw=7", "10 enable 0x401000\n20 ptw 6\n30 ptw 7 0x401004\n40 ptw 7", 2, 1, 30,
	  0x401004 },
	{ "ptw=0x100/0xff00", "10 ptw 0x2ff\n20 ptw 0x1ff", 1, 1, 20, 0 },
	{ "ptw=0/0,nth=2,rearm", "10 ptw 1\n20 ptw 2\n30 ptw 3\n40 ptw 4\n50 ptw 5", 5, 2, 40, 0 },
	{ "data=0x7000/0xfffffffffffff000", "10 data 0x6fff\n20 data 0x7abc 0x401000", 1, 1, 20,
	  0x401000 },
	{ "syscall=60", "10 syscall 59\n20 syscall 60", 1, 1, 20, 0 },
	{ "signal=SEGV", "10 signal 10\n20 signal 11 1 0x401000", 1, 1, 20, 0x401000 },
	{ "signal=fatal", "10 signal 11 1\n20 signal 6", 1, 1, 20, 0 },
	{ "exit", "10 exit 0", 1, 1, 10, 0 },
	{ "event=mem/write", "10 pmu 3 0x1 1\n20 pmu 3 0x2 1", 1, 1, 20, 0 },
	{ "event=mem/write:t1u", "10 pmu 3 0x2 1\n20 thread 1\n30 pmu 3 0x2 1", 1, 1, 30, 0 },
	{ "event=mem,nth=5,rearm", "10 pmu 3 0x1 4\n20 pmu 3 0x1 7", 11, 2, 20, 0 },
	{ "counter=4", "10 pmu 3 0x1 3\n20 pmu 3 0x1 1", 1, 1, 20, 0 },
	{ "counter=4,nth=2", "10 pmu 3 0x1 4\n20 pmu 3 0x1 1", 1, 0, 0, 0 },
};

static void test_rows(void)
{
	char why[320];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
		const struct softpt_triggers *t = &e.triggers;
		const struct row *r = &rows[i];
		struct softpt_trigger trigger;

		if (trigger_parse(&trigger, r->trigger, why, sizeof(why)))
			kit_bail("%s: %s", r->trigger, why);
		arm(&trigger);
		count_to_four();
		feed(r->events, &sink);
		if (!kit_ok(t->slot[0].hits == r->hits && t->events == r->fired &&
			    t->tsc == r->tsc && t->ip == r->ip, "%s: row %zu", r->trigger, i))
			kit_note("hits %" PRIu64 ", fired %" PRIu64 ", TSC %" PRIu64
				 ", IP 0x%" PRIx64, (uint64_t)t->slot[0].hits,
				 (uint64_t)t->events, (uint64_t)t->tsc,
				 (uint64_t)t->ip);
	}
}

/* Overflows count, whatever was cleared in between */
static void test_cleared(void)
{
	const struct softpt_count_args stop = { .stop = 1 << 4, .clear = 1 << 4 };
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	struct softpt_trigger trigger = {
		.source = SOFTPT_ON_COUNTER, .nth = 1, .value = 4, .flags = SOFTPT_TRIGGER_REARM,
	};

	arm(&trigger);
	count_to_four();
	feed("10 pmu 3 0x1 4", &sink);
	softpt_count_control(&e, 0, &stop);
	count_to_four();
	feed("20 pmu 3 0x1 4", &sink);
	kit_ok(e.triggers.events == 2, "a counter that was cleared overflows again: two TEs");
}

/* Nor does a PSB+ of the silence before the event stand for its own */
static void test_own_psb(void)
{
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	struct softpt_trigger trigger = {
		.source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1, .flags = SOFTPT_TRIGGER_PSB,
	};
	const uint8_t trig[] = { 0xd9, 0, 1 }, psb[] = { 0x02, 0x82, 0x02, 0x82 };
	uint8_t *te;

	arm(&trigger);
	feed("10 enable 0x401000\n20000000 syscall 1", &sink);
	te = memmem(bytes, sink.cur - bytes, trig, sizeof(trig));
	kit_ok(e.triggers.psbs > 2, "PSB+ in the silence");
	kit_ok(te && memmem(te, sink.cur - te, psb, sizeof(psb)), "and one with the TE");
}

/* Behind the packets of the event, and a PSB+ where asked for */
static void test_stream(void)
{
	static const uint8_t trig[] = { 0xd9, 0, 1 };
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	struct softpt_trigger trigger = { .source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1 };

	arm(&trigger);
	feed("10 enable 0x401000\n20 jcc 0x401004 taken\n30 syscall 1", &sink);
	kit_ok(!memcmp(sink.cur - 3, trig, 3) && sink.cur[-4] == 0x06,
	       "TRIG is the last packet, and the TNT before it was flushed");
	trigger.flags = SOFTPT_TRIGGER_PSB;
	arm(&trigger);
	feed("10 enable 0x401000\n30 syscall 1", &sink);
	kit_ok(e.triggers.psbs == 2, "a PSB+ with it");
	arm(&trigger);
	feed("10 enable 0x401000\n30 psb\n30 syscall 1", &sink);
	kit_ok(e.triggers.psbs == 3, "and also right behind one");
}

struct ending {
	uint32_t unit;
	uint64_t after;
	const char *events;
	bool due, more;
	uint64_t now;
};

/* Frozen with an event that is the last, or before one that comes too late */
static void test_endings(void)
{
	static const struct ending endings[] = {
		{ SOFTPT_AFTER_BYTES, 0, "10 enable 0x401000\n20 syscall 1", true, false, 20 },
		{ SOFTPT_AFTER_BYTES, 100,
		  "10 enable 0x401000\n20 syscall 1\n30 ptw 1", false, false,
		  30 },
		{ SOFTPT_AFTER_TICKS, 10,
		  "10 enable 0x401000\n20 syscall 1\n29 ptw 1", false, false,
		  29 },
		{ SOFTPT_AFTER_TICKS, 10, "10 enable 0x401000\n20 syscall 1\n30 ptw 1", true, false,
		  30 },
		{ SOFTPT_AFTER_TICKS, 10,
		  "10 enable 0x401000\n20 syscall 1\n90000 ptw 1", true, true,
		  30 },
		{ SOFTPT_AFTER_PSBS, 1, "10 enable 0x401000\n20 syscall 1\n30 ptw 1", false, false,
		  30 },
		{ SOFTPT_AFTER_PSBS, 1,
		  "10 enable 0x401000\n20 syscall 1\n30 psb", true, false, 30 },
		{ SOFTPT_AFTER_PSBS, 0, "10 enable 0x401000\n20 syscall 1", true, false, 20 },
	};
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
		const struct ending *x = &endings[i];
		const struct softpt_trigger trigger = {
			.source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1,
			.flags = SOFTPT_TRIGGER_FREEZE, .after = x->after, .after_unit = x->unit,
		};
		bool more;

		arm(&trigger);
		more = feed(x->events, &sink);
		kit_ok(softpt_trigger_due(&e.triggers) == x->due && more == x->more &&
		       e.now == x->now, "ending %zu", i);
	}
}

/* Where tracing begins in a kernel that is not traced, the program has not come to it. */
static void test_kernel(void)
{
	const struct softpt_trigger trigger = {
		.source = SOFTPT_ON_IP, .nth = 1, .value = 0x401000, .mask = 0x401000,
	};
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };

	arm(&trigger);
	e.flags &= ~SOFTPT_F_OS;
	feed("10 cpl 0\n20 enable 0x401000", &sink);
	kit_ok(!e.triggers.events, "enabled in the kernel");
	feed("30 cpl 3\n40 jmp 0x402000 0x401000", &sink);
	kit_ok(e.triggers.events == 1, "and got there later");
}

/* The ring was read, and fills again: nothing is left of the first TE's end. */
static void test_rearm(void)
{
	const struct softpt_trigger trigger = {
		.source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1,
		.flags = SOFTPT_TRIGGER_FREEZE | SOFTPT_TRIGGER_REARM,
	};
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };

	arm(&trigger);
	feed("10 enable 0x401000\n20 syscall 1", &sink);
	kit_ok(softpt_trigger_due(&e.triggers), "a ring freezes");
	softpt_trigger_rearm(&e);
	kit_ok(!softpt_trigger_due(&e.triggers), "then not any more");
	feed("30 ptw 1", &sink);
	kit_ok(!softpt_trigger_due(&e.triggers), "nor by what comes next");
	feed("40 syscall 1", &sink);
	kit_ok(softpt_trigger_due(&e.triggers) && e.triggers.events == 2, "but by the next TE");
}

/* So many intervals are so many bytes at most, where no PSB comes */
static void test_intervals(void)
{
	const struct softpt_trigger trigger = {
		.source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1, .flags = SOFTPT_TRIGGER_FREEZE,
		.after = 2, .after_unit = SOFTPT_AFTER_PSBS,
	};
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	uint64_t left;

	arm(&trigger);
	e.cfg.psb_freq = 3;
	feed("10 enable 0x401000\n20 syscall 1", &sink);
	left = e.triggers.end_bytes - e.counts.bytes;
	kit_ok(left >= 2 * 16384 - SOFTPT_GROUP_MAX && left <= 2 * (16384 + SOFTPT_GROUP_MAX),
	       "two intervals of 16 KiB");
}

/* Bytes end in the gap where they are reached, within one step of it */
static void test_gap(void)
{
	const struct softpt_trigger trigger = {
		.source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1,
		.flags = SOFTPT_TRIGGER_FREEZE, .after = 500,
	};
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	const uint8_t *te;

	arm(&trigger);
	feed("10 enable 0x401000\n20 syscall 1", &sink);
	te = sink.cur;
	kit_ok(feed("100000000 ptw 1", &sink) && softpt_trigger_due(&e.triggers) &&
	       sink.cur - te >= 500 && sink.cur - te < 580, "500 bytes of a gap that owes 230 KB");
	kit_ok(e.counts.events == 2, "what comes behind it has not happened");
}

/* Rows, those of PSB+ that no event wrote, and others of PSB+ but the first */
struct tally {
	size_t rows, own, wrong;
};

static int count_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct tally *t = ctx;

	t->rows++;
	if (rec->kind != SOFTPT_REC_PSB || row->event_kind == SOFTPT_EV_ENABLE)
		return 0;
	if (row->event_kind == SOFTPT_EV_PSB && row->flags & SOFTPT_TRUTH_END && row->event == 2)
		t->own++;
	else
		t->wrong++;
	return 0;
}

/* A gap that has a PSB+ every 2 KiB: all are told of, and none is an event */
static void test_truth(void)
{
	static const char *const events[] = { "10 enable 0x401000", "20 jcc 0x401004 taken",
					      "2000000 syscall 1" };
	const struct softpt_trigger trigger = { .source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1 };
	struct tally tally = { 0 };
	const struct sim_output out = { .row = count_row, .ctx = &tally };
	struct softpt_config cfg;
	struct softpt_event ev;
	uint64_t now = 0;
	const char *why;
	struct sim *sim;
	size_t i;
	int ret = 0;

	softpt_config_default(&cfg);
	cfg.suppress = 0;
	cfg.mtc_freq = 0;
	cfg.psb_freq = 0;
	sim = sim_new(&cfg, &out);
	if (!sim || sim_arm(sim, &trigger, 1))
		kit_bail("a simulation with a trigger");
	for (i = 0; i < 3 && !ret; i++)
		ret = event_parse(events[i], &now, &ev, NULL) != 1 ? -EINVAL :
		      sim_event(sim, &ev, &why);
	kit_is(ret ? ret : sim_finish(sim), 0, "a gap of many PSB+: each row has its truth");
	kit_ok(tally.own > 10 && !tally.wrong && tally.rows > tally.own,
	       "its PSB+ are no events: %zu of them, %zu others", tally.own, tally.wrong);
	sim_free(sim);
}

static void test_refused(void)
{
	static const struct {
		struct softpt_trigger trigger;
		const char *said;	/* a word of the reason */
	} bad[] = {
		{ { .source = SOFTPT_ON_NR, .nth = 1 }, "source 0..9" },
		{ { .index = SOFTPT_TRIGGERS, .source = SOFTPT_ON_EXIT, .nth = 1 }, "0..7" },
		{ { .source = SOFTPT_ON_EXIT }, "nth" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .value = 1 }, "no value" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .mask = 1 }, "no value" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .usr = 1 }, "no value" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .reserved0 = 1 }, "reserved" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .flags = SOFTPT_TRIGGER_ALL + 1 },
		  "unknown flag" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .flags = SOFTPT_TRIGGER_FATAL },
		  "signal" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .flags = SOFTPT_TRIGGER_UNITS },
		  "that freezes" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .after = 1 }, "that freezes" },
		{ { .source = SOFTPT_ON_EXIT, .nth = 1, .after_unit = SOFTPT_AFTER_NR,
		    .flags = SOFTPT_TRIGGER_FREEZE }, "after: " },
		{ { .source = SOFTPT_ON_IP, .nth = 1, .value = 2, .mask = 1 }, "not above TO" },
		{ { .source = SOFTPT_ON_PTW, .nth = 1, .value = 2, .mask = 1 }, "value has bits" },
		{ { .source = SOFTPT_ON_DATA, .nth = 1, .value = 2, .mask = 1 },
		  "address has bits" },
		{ { .source = SOFTPT_ON_COUNTER, .nth = 1, .value = SOFTPT_COUNTERS }, "0..17" },
		{ { .source = SOFTPT_ON_EVENT, .nth = 1, .event_class = SOFTPT_EVENT_CLASSES },
		  "0..63" },
		{ { .source = SOFTPT_ON_SIGNAL, .nth = 1 }, "a set" },
		{ { .source = SOFTPT_ON_NOTHING, .nth = 1 }, "off" },
	};
	static const char *const texts[] = {
		"", "ip", "ip=", "ip=5-4", "ip=x", "ptw=3/1", "counter=18", "signal=65", "signal=NONE",
		"event=nothing", "exit=1", "exit,nth=0", "exit,often", "syscall=read", "data=1-2",
	};
	struct softpt_triggers set = { 0 };
	struct softpt_trigger trigger;
	const char *why;
	char said[320];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int err = softpt_set_trigger(&set, &bad[i].trigger, &why);

		kit_ok(err == -EINVAL && !set.set && strstr(why, bad[i].said),
		       "trigger %zu is refused: %s", i, why);
	}
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		kit_ok(trigger_parse(&trigger, texts[i], said, sizeof(said)) == -EINVAL,
		       "'%s' is refused: %s", texts[i], said);
}

int main(void)
{
	test_rows();
	test_cleared();
	test_own_psb();
	test_stream();
	test_endings();
	test_kernel();
	test_rearm();
	test_intervals();
	test_gap();
	test_truth();
	test_refused();
	return kit_done();
}
