// SPDX-License-Identifier: BSD-2-Clause
/* Counters and ESCRs: what is refused, what overflows, who is stopped, what is in force. */
#include <errno.h>
#include <string.h>

#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"

#define MEM	SOFTPT_CLASS_MEM		/* sub-area 3: ESCRs 6 and 7, counters 4 to 7 */
#define ALL	0xffffffffu
#define TOP	(1ull << 40)

static struct softpt_engine e;
static uint8_t bytes[1 << 16];

static void give(struct softpt_event ev)
{
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };

	if (!ev.tsc)
		ev.tsc = e.now + 1;
	while (softpt_engine_event(&e, &ev, &sink) == SOFTPT_MORE)
		sink.cur = bytes;
}

static void pmu(unsigned int event_class, uint64_t n)
{
	const struct softpt_event ev = {
		.kind = SOFTPT_EV_PMU, .arg = n, .arg2 = event_class | 1 << 16,
	};

	give(ev);
}

static void reset(const char *key)
{
	struct softpt_config config;

	softpt_config_default(&config);
	if (!strcmp(key, "preroll")) {
		config.suppress = 2;
		config.preroll = 3;
	}
	softpt_engine_init(&e, &config);
}

static const char *why;	/* the last call was refused */

static int escr(struct softpt_escr to)
{
	return softpt_set_escr(&e.counters, &to, &why);
}

static int set(struct softpt_counter to)
{
	return softpt_set_counter(&e.counters, &to, &why);
}

static int control(struct softpt_count_args args)
{
	int err = softpt_count_check(&e.counters, &args, &why);

	if (!err)
		softpt_count_control(&e, e.now, &args);
	return err;
}

static struct softpt_counter_values values(void)
{
	struct softpt_counter_values v = { 0 };

	softpt_counters_read(&e.counters, e.now, &v);
	return v;
}

/* A new unit, whose counter @k counts a class, and runs */
static void begin(unsigned int k, unsigned int event_class, unsigned int mask, uint64_t preset,
		  uint32_t flags)
{
	unsigned int at = 2 * softpt_subarea_of_class(event_class);

	const struct softpt_escr to = {
		.index = at, .event_class = event_class, .mask = mask, .usr = ALL, .os = ALL,
	};

	escr(to);
	set((struct softpt_counter){ .index = k, .escr = at, .preset = preset, .flags = flags });
	control((struct softpt_count_args){ .start = 1u << k });
}

/* @said: a word of the reason */
static void judged(int got, int want, const char *call, const char *what, const char *said)
{
	kit_ok(got == want && (!want || strstr(why, said)), "%s: %s", call, what);
}

static void test_refused_escrs(void)
{
	static const struct {
		const char *what;
		struct softpt_escr escr;
		int want;
		const char *said;
	} rows[] = {
		{ "an ESCR that is one", { .index = 47, .event_class = 23 }, 0, "" },
		{ "ESCR 48", { .index = 48 }, -EINVAL, "ESCR is" },
		{ "class 64", { .index = 6, .event_class = 64 }, -EINVAL, "class 0..63" },
		{ "a reserved byte", { .index = 6, .event_class = 3, .reserved0 = 1 }, -EINVAL,
		  "reserved" },
		{ "a reserved word", { .index = 6, .event_class = 3, .reserved = 1 }, -EINVAL,
		  "reserved" },
		{ "a class of the next sub-area", { .index = 5, .event_class = 3 }, -EXDEV,
		  "sub-area" },
		{ "a class of the one before", { .index = 8, .event_class = 3 }, -EXDEV,
		  "sub-area" },
		{ "all mask bits", { .index = 7, .event_class = 3, .mask = 0xffff }, 0, "" },
	};
	size_t i;

	reset("");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		judged(escr(rows[i].escr), rows[i].want, "SET_ESCR", rows[i].what, rows[i].said);
}

static void test_refused_counters(void)
{
	static const struct {
		const char *what;
		struct softpt_counter counter;
		int want;
		const char *said;
	} rows[] = {
		{ "a counter that is one", { .index = 17, .escr = 47 }, 0, "" },
		{ "counter 18", { .index = 18, .escr = 47 }, -EINVAL, "counter is" },
		{ "ESCR 48", { .index = 17, .escr = 48 }, -EINVAL, "counter is" },
		{ "preset 2^40 - 1", { .index = 17, .escr = 47, .preset = TOP - 1 }, 0, "" },
		{ "preset 2^40", { .index = 17, .escr = 47, .preset = TOP }, -EINVAL, "preset" },
		{ "an unknown flag", { .index = 17, .escr = 47, .flags = 1u << 31 }, -EINVAL,
		  "flag" },
	};
	static const unsigned int first[] = { 0, 6, 18, 32, 48 };	/* ESCRs of areas */
	unsigned int k, x, bad = 0;
	size_t i;

	reset("");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		judged(set(rows[i].counter), rows[i].want, "SET_COUNTER", rows[i].what,
		       rows[i].said);
	for (k = 0; k < SOFTPT_COUNTERS; k++)
		for (x = 0; x < SOFTPT_ESCRS; x++) {
			unsigned int area = k < 4 ? 0 : k < 8 ? 1 : k < 12 ? 2 : 3;
			bool fits = x >= first[area] && x < first[area + 1];

			reset("");
			bad += set((struct softpt_counter){ .index = k, .escr = x }) !=
			       (fits ? 0 : -EXDEV);
		}
	kit_ok(!bad, "SET_COUNTER: the ESCRs of a counter's area, and no others");
}

static void test_refused_control(void)
{
	static const struct {
		const char *what;
		struct softpt_count_args args;
		int want;
		const char *said;
	} rows[] = {
		{ "nothing", { 0 }, 0, "" },
		{ "start of what was set", { .start = 1 << 4 }, 0, "" },
		{ "start of what was never set", { .start = 1 << 5 }, -EINVAL, "no event" },
		{ "stop of counter 18", { .stop = 1 << 18 }, -EINVAL, "bits 0..17" },
		{ "clear of counter 18", { .clear = 1 << 18 }, -EINVAL, "bits 0..17" },
		{ "start of counter 18", { .start = 1 << 18 }, -EINVAL, "bits 0..17" },
		{ "an unknown flag", { .flags = 0x10 }, -EINVAL, "unknown flag" },
		{ "a reserved field", { .reserved = 1 }, -EINVAL, "reserved" },
		{ "off and on", { .flags = 0x9 }, -EINVAL, "off or on" },
		{ "reset and preset", { .flags = 0x6 }, -EINVAL, "reset or preset" },
		{ "a preset without its flag", { .tsc_preset = 1 }, -EINVAL, "needs its flag" },
		{ "a preset with its flag", { .tsc_preset = 1, .flags = 0x4 }, 0, "" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		reset("");
		set((struct softpt_counter){ .index = 4, .escr = 6 });
		judged(control(rows[i].args), rows[i].want, "COUNT", rows[i].what, rows[i].said);
	}
}

/* Two counters share an ESCR: both must let go of it */
static void test_shared(void)
{
	const struct softpt_escr other = { .index = 6, .event_class = MEM, .mask = 2 };

	reset("");
	begin(4, MEM, 1, 0, 0);
	begin(5, MEM, 1, 0, 0);		/* the ESCR is busy, and stays as it is */
	pmu(MEM, 3);
	kit_ok(values().value[4] == 3 && values().value[5] == 3, "two counters share an ESCR");
	control((struct softpt_count_args){ .stop = 1 << 4, .clear = 1 << 4 });
	judged(escr(other), -EBUSY, "SET_ESCR", "which stays while one of them runs",
	       "stopped and cleared");
	judged(set((struct softpt_counter){ .index = 5, .escr = 6 }), -EBUSY, "SET_COUNTER",
	       "of the one that runs", "is running");
	control((struct softpt_count_args){ .stop = 1 << 5 });
	judged(escr(other), -EBUSY, "SET_ESCR", "and until the other is cleared, too",
	       "stopped and cleared");
	judged(set((struct softpt_counter){ .index = 5, .escr = 7 }), -EBUSY, "SET_COUNTER",
	       "of one that counted another event", "must be cleared");
	control((struct softpt_count_args){ .clear = 1 << 5 });
	kit_is(escr(other), 0, "then it may select another event");
}

static void test_overflow(void)
{
	static const struct {
		uint64_t preset, n, value, overflows;
	} rows[] = {
		{ 0, TOP - 1, TOP - 1, 0 },
		{ 0, TOP, 0, 1 },
		{ TOP - 1, 1, 0, 1 },
		{ TOP - 1, TOP, TOP - 1, 1 },
		{ 5, 2 * TOP, 5, 2 },
		{ TOP - 1, UINT64_MAX, TOP - 2, 1ull << 24 },
		{ 7, 0, 7, 0 },
	};
	struct softpt_counter_values v;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		reset("");
		begin(4, MEM, 1, rows[i].preset, 0);
		pmu(MEM, rows[i].n);
		v = values();
		kit_ok(v.value[4] == rows[i].value && v.overflows[4] == rows[i].overflows &&
		       v.overflowed == (rows[i].overflows ? 1u << 4 : 0) &&
		       e.counters.fresh == v.overflowed && !e.counters.breaks,
		       "%#llx and %#llx more", (unsigned long long)rows[i].preset,
		       (unsigned long long)rows[i].n);
	}
	kit_ok(e.counters.bank[0][4] == 0, "what a thread has counted leaves out the preset");
	control((struct softpt_count_args){ .clear = 1 << 4 });
	kit_ok(!values().overflowed && !values().value[4], "clearing forgets overflows");
}

/* What thread 0 has done, of a counter that was preset and wrapped */
static void test_thread(void)
{
	struct softpt_counter_values v = { .flags = SOFTPT_READ_THREAD };

	reset("");
	begin(4, MEM, 1, TOP - 1, 0);
	pmu(MEM, 3);
	softpt_counters_read(&e.counters, e.now, &v);
	kit_ok(v.value[4] == 3 && !v.overflows[4] && v.overflowed == 1 << 4 && v.running == 1 << 4,
	       "a thread's share: no preset, no overflows");
	v.thread = 1;
	softpt_counters_read(&e.counters, e.now, &v);
	kit_ok(!v.value[4] && !v.overflows[4], "another thread has none");
}

/* A micro-breakpoint: preset to 2^40 - k, it breaks at the k-th event */
static void test_break(void)
{
	unsigned int i;

	reset("");
	begin(4, MEM, 1, TOP - 5, SOFTPT_COUNTER_BREAK);
	for (i = 1; i < 5; i++)
		pmu(MEM, 1);
	kit_ok(!e.counters.breaks, "no break before the fifth event");
	pmu(MEM, 1);
	kit_ok(e.counters.breaks == 1 << 4, "a break at the fifth");
}

/* All of them at one instant, and the time-stamp counter with them */
static void test_control(void)
{
	reset("");
	begin(4, MEM, 1, 0, 0);
	begin(12, SOFTPT_CLASS_PAGE_FAULTS, 1, 0, 0);
	control((struct softpt_count_args){ .stop = 1 << 4 | 1 << 12 });
	pmu(MEM, 1);
	pmu(SOFTPT_CLASS_PAGE_FAULTS, 1);
	kit_ok(!values().value[4] && !values().value[12] && !values().running,
	       "both are stopped");
	control((struct softpt_count_args){ .start = 1 << 4 | 1 << 12 });
	pmu(MEM, 1);
	pmu(SOFTPT_CLASS_PAGE_FAULTS, 1);
	kit_ok(values().value[4] == 1 && values().value[12] == 1 &&
	       values().running == (1 << 4 | 1 << 12), "both count again");
	control((struct softpt_count_args){ .stop = 1 << 4, .clear = 1 << 4, .start = 1 << 4 });
	kit_ok(!values().value[4] && values().running == (1 << 4 | 1 << 12),
	       "stop, clear and start in one call");
	kit_ok(values().tsc == e.now, "the time-stamp counter begins as the TSC");
	control((struct softpt_count_args){ .flags = SOFTPT_COUNT_TSC_RESET });
	give((struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = e.now + 500 });
	kit_ok(values().tsc == 500, "it is reset");
	control((struct softpt_count_args){ .flags = SOFTPT_COUNT_TSC_OFF });
	give((struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = e.now + 500 });
	kit_ok(values().tsc == 500, "it stands still");
	control((struct softpt_count_args){ .flags = SOFTPT_COUNT_TSC_PRESET, .tsc_preset = 9 });
	give((struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = e.now + 500 });
	kit_ok(values().tsc == 9, "it is preset while it stands still");
	control((struct softpt_count_args){ .flags = SOFTPT_COUNT_TSC_ON });
	give((struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = e.now + 500 });
	kit_ok(values().tsc == 509, "and goes on from there");
}

/* Tracing, filters and losses are no matter of the counters' */
static void test_independent(void)
{
	reset("");
	begin(4, MEM, 1, 0, 0);
	pmu(MEM, 1);
	give((struct softpt_event){ .kind = SOFTPT_EV_ENABLE, .ip = 1 });
	pmu(MEM, 1);
	give((struct softpt_event){ .kind = SOFTPT_EV_OVF, .arg = 1000 });
	pmu(MEM, 1);
	kit_ok(e.counts.events_lost == 1, "an event of an overflow is lost");
	give((struct softpt_event){ .kind = SOFTPT_EV_SLEEP, .arg = 1000, .tsc = e.now + 2000 });
	pmu(MEM, 1);
	give((struct softpt_event){ .kind = SOFTPT_EV_DISABLE });
	pmu(MEM, 1);
	kit_ok(values().value[4] == 5, "but counted, as those outside of tracing");
}

/* What the unit does itself is what its counts say */
static void test_trace(const char *key)
{
	static const unsigned int masks[] = { SOFTPT_SUB_TRACE_PACKETS, SOFTPT_SUB_TRACE_MTC,
					      SOFTPT_SUB_TRACE_MTC_SUPPRESSED };
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	struct softpt_counter_values v;
	uint64_t seed, tsc, sum[3] = { 0 };
	struct softpt_event ev;
	unsigned int i, t, m;

	for (m = 0; m < 3; m++) {
		reset(key);
		begin(8, SOFTPT_CLASS_TRACE, masks[m], 0, 0);
		give((struct softpt_event){ .kind = SOFTPT_EV_ENABLE, .ip = 1, .tsc = 1000 });
		for (i = 0, seed = 1, tsc = 1000; i < 20000; i++) {
			kit_event(&seed, &tsc, &ev);
			if (ev.kind != SOFTPT_EV_PMU)
				give(ev);
		}
		softpt_engine_flush(&e, &sink);
		v = values();
		for (t = 0, sum[m] = 0; t < SOFTPT_THREADS; t++)
			sum[m] += e.counters.bank[t][8];
		sum[m] = sum[m] == v.value[8] ? sum[m] : 0;
	}
	kit_ok(sum[0] == e.counts.packets, "class trace: packets (%s)", key);
	kit_ok(sum[1] == e.counts.mtc, "class trace: MTCs");
	kit_ok(sum[2] == e.counts.mtc_suppressed + e.counters.late, "class trace: suppressed MTCs");
}

/* Adopted counters go on, and see nothing of the unit's past */
static void test_adopted(void)
{
	struct softpt_counters c;

	reset("");
	begin(8, SOFTPT_CLASS_TRACE, 0xffff, 3, 0);
	c = e.counters;
	reset("");
	give((struct softpt_event){ .kind = SOFTPT_EV_ENABLE, .ip = 1 });
	softpt_counters_adopt(&e, &c);
	kit_ok(values().value[8] == 3, "counters move to another unit");
	pmu(SOFTPT_CLASS_TRACE, 4);
	kit_ok(values().value[8] == 7, "and go on there");
}

static void test_event(void)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_PMU, .arg2 = 63 | 0xffffu << 16,
				   .arg = UINT64_MAX, .stage = 255 };

	reset("");
	kit_is(softpt_engine_check(&e, &ev, &why), 0, "a pmu event of class 63");
	ev.arg2++;
	kit_is(softpt_engine_check(&e, &ev, &why), -EINVAL, "of class 64");
}

int main(void)
{
	test_refused_escrs();
	test_refused_counters();
	test_refused_control();
	test_shared();
	test_overflow();
	test_thread();
	test_break();
	test_control();
	test_independent();
	test_trace("suppress=off");
	test_trace("preroll");
	test_adopted();
	test_event();
	return kit_done();
}
