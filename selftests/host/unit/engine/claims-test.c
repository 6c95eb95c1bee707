// SPDX-License-Identifier: BSD-2-Clause
/* The claims of US 7,448,025, one by one, on the engine alone: events in, counts out. */
#include <errno.h>
#include <string.h>

#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"

#define MEM	SOFTPT_CLASS_MEM		/* sub-area 3: ESCRs 6 and 7, counters 4 to 7 */
#define READ	SOFTPT_SUB_MEM_READ
#define WRITE	SOFTPT_SUB_MEM_WRITE
#define ALL	0xffffffffu

static struct softpt_engine e;

static void give(struct softpt_event ev)
{
	static uint8_t bytes[2 * SOFTPT_GROUP_MAX];
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };

	ev.tsc = e.now + 1;
	softpt_engine_event(&e, &ev, &sink);
}

static void thread(unsigned int n)
{
	give((struct softpt_event){ .kind = SOFTPT_EV_THREAD, .thread = n });
}

static void cpl(unsigned int n)
{
	give((struct softpt_event){ .kind = SOFTPT_EV_CPL, .cpl = n });
}

static void pmu(unsigned int event_class, unsigned int submask, uint64_t n)
{
	const struct softpt_event ev = {
		.kind = SOFTPT_EV_PMU, .arg = n, .arg2 = event_class | submask << 16,
	};

	give(ev);
}

static void reset(void)
{
	struct softpt_config config;

	softpt_config_default(&config);
	softpt_engine_init(&e, &config);
}

static int escr(unsigned int i, unsigned int event_class, unsigned int mask, uint32_t usr,
		uint32_t os)
{
	const struct softpt_escr to = { .index = i, .event_class = event_class, .mask = mask,
					.usr = usr, .os = os };
	const char *why;

	return softpt_set_escr(&e.counters, &to, &why);
}

static int couple(unsigned int k, unsigned int from, uint64_t preset)
{
	const struct softpt_counter to = { .index = k, .escr = from, .preset = preset };
	const char *why;

	return softpt_set_counter(&e.counters, &to, &why);
}

static int control(uint32_t stop, uint32_t clear, uint32_t start)
{
	const struct softpt_count_args args = { .stop = stop, .clear = clear, .start = start };
	const char *why;
	int err = softpt_count_check(&e.counters, &args, &why);

	if (!err)
		softpt_count_control(&e, e.now, &args);
	return err;
}

static uint64_t value(unsigned int k)
{
	struct softpt_counter_values v = { 0 };

	softpt_counters_read(&e.counters, e.now, &v);
	return v.value[k];
}

/* A unit whose counter 4 counts this */
static void begin(unsigned int event_class, unsigned int mask, uint32_t usr, uint32_t os)
{
	reset();
	escr(2 * softpt_subarea_of_class(event_class), event_class, mask, usr, os);
	couple(4, 2 * softpt_subarea_of_class(event_class), 0);
	control(0, 0, 1 << 4);
}

/* What reaches the counter is what all three let through. */
static bool three_stages(void)
{
	unsigned int s, m, t, c;
	uint64_t want = 0;

	begin(MEM, READ, 1 << 1, 1 << 2);
	for (s = 0; s < 64; s++)
		for (m = 0; m < 4; m++)
			for (t = 0; t < 4; t++)
				for (c = 0; c < 4; c++) {
					thread(t);
					cpl(c);
					pmu(s, m, 1);
					want += s == MEM && m & READ && (c ? t == 1 : t == 2);
				}
	return value(4) == want && want == 2 * 3 + 2;
}

static bool class_select(void)
{
	bool other;

	begin(MEM, 0xffff, ALL, ALL);
	pmu(MEM, READ, 1);
	pmu(SOFTPT_CLASS_DCACHE, READ, 10);
	other = value(4) == 1;
	control(1 << 4, 1 << 4, 0);
	/* six bits: all 64 classes can be told apart, each in its sub-area */
	return other && escr(6, MEM + 24, 0xffff, ALL, ALL) == 0 &&
	       escr(6, MEM + 48, 1, 0, 0) == 0 && escr(6, 64, 1, 0, 0) == -EINVAL;
}

static bool class_of_all(void)
{
	unsigned int s, other;

	for (s = 0; s < SOFTPT_EVENT_CLASSES; s++) {
		unsigned int sub = softpt_subarea_of_class(s), k = 0;

		while (softpt_area_of_counter(k) != softpt_area_of_subarea(sub))
			k++;
		reset();
		if (escr(2 * sub + 1, s, 0xffff, ALL, ALL) || couple(k, 2 * sub + 1, 0))
			return false;
		control(0, 0, 1 << k);
		for (other = 0; other < SOFTPT_EVENT_CLASSES; other++)
			pmu(other, 1, other + 1);
		if (value(k) != s + 1)
			return false;
	}
	return class_select();
}

static bool subclass_mask(void)
{
	unsigned int mask, sub;

	/* sixteen bits, each of them by itself */
	for (mask = 0; mask < 16; mask++) {
		begin(MEM, 1 << mask, ALL, ALL);
		for (sub = 0; sub < 16; sub++)
			pmu(MEM, 1 << sub, 1ull << sub);
		if (value(4) != 1ull << mask)
			return false;
	}
	begin(MEM, READ | WRITE, ALL, ALL);
	pmu(MEM, READ, 1);
	pmu(MEM, WRITE, 1);
	pmu(MEM, READ | WRITE, 1);
	pmu(MEM, 0xfffc, 100);
	pmu(MEM, 0, 100);
	return value(4) == 3;
}

static bool stopped_and_cleared(void)
{
	bool running, stopped, cleared, counter;

	begin(MEM, READ, ALL, ALL);
	running = escr(6, MEM, WRITE, ALL, ALL) == -EBUSY && couple(4, 7, 0) == -EBUSY;
	control(1 << 4, 0, 0);
	stopped = escr(6, MEM, WRITE, ALL, ALL) == -EBUSY && couple(4, 7, 0) == -EBUSY;
	control(0, 1 << 4, 1 << 4);
	cleared = escr(6, MEM, WRITE, ALL, ALL) == -EBUSY && couple(4, 7, 0) == -EBUSY;
	control(1 << 4, 1 << 4, 0);
	counter = couple(4, 7, 0) == 0 && escr(6, MEM, WRITE, ALL, ALL) == 0;
	return running && stopped && cleared && counter;
}

static bool preset(void)
{
	bool from, refused;

	begin(MEM, READ, ALL, ALL);
	refused = couple(4, 6, 1000) == -EBUSY;
	control(1 << 4, 0, 0);
	from = couple(4, 6, 1000) == 0 && value(4) == 1000;
	control(0, 0, 1 << 4);
	pmu(MEM, READ, 7);
	/* what was preset is not clear: another event is refused */
	control(1 << 4, 0, 0);
	return refused && from && value(4) == 1007 && couple(4, 6, 1ull << 40) == -EINVAL &&
	       couple(4, 6, 5) == 0 && couple(4, 7, 0) == -EBUSY;
}

static bool performance_and_breakpoints(void)
{
	uint64_t misses;

	begin(SOFTPT_CLASS_DCACHE, SOFTPT_SUB_DCACHE_READ_MISS, ALL, ALL);
	pmu(SOFTPT_CLASS_DCACHE, SOFTPT_SUB_DCACHE_READ_MISS, 2);
	misses = value(4);
	reset();
	escr(26, SOFTPT_CLASS_BREAKPOINTS, 0xffff, ALL, ALL);
	couple(8, 26, 0);
	control(0, 0, 1 << 8);
	pmu(SOFTPT_CLASS_BREAKPOINTS, SOFTPT_SUB_BREAKPOINTS_DATA, 1);
	return misses == 2 && value(8) == 1;
}

/* The level at the moment of the event counts, however it came about */
static bool level_at_the_event(void)
{
	unsigned int c;
	uint64_t usr;

	begin(MEM, READ, ALL, 0);
	for (c = 0; c < 4; c++) {
		cpl(c);
		pmu(MEM, READ, 1ull << 4 * c);
	}
	give((struct softpt_event){ .kind = SOFTPT_EV_FAR, .ip = 1, .target = 2, .cpl = 0 });
	pmu(MEM, READ, 1 << 16);
	give((struct softpt_event){ .kind = SOFTPT_EV_INTR, .ip = 1, .target = 2, .cpl = 3 });
	pmu(MEM, READ, 1 << 20);
	cpl(0);
	usr = value(4);
	begin(MEM, READ, 0, ALL);
	for (c = 0; c < 4; c++) {
		cpl(c);
		pmu(MEM, READ, 1ull << 4 * c);
	}
	return usr == 0x101110 && value(4) == 1;
}

static bool readable(void)
{
	begin(MEM, READ, ALL, ALL);
	pmu(MEM, READ, 3);
	return value(4) == 3;
}

static bool undisturbed(void)
{
	static struct softpt_counters before;
	unsigned int i;

	begin(MEM, READ, ALL, ALL);
	pmu(MEM, READ, 3);
	before = e.counters;
	for (i = 0; i < 100; i++)
		value(i % SOFTPT_COUNTERS);
	if (memcmp(&before, &e.counters, sizeof(before)))
		return false;
	pmu(MEM, READ, 4);
	return value(4) == 7;
}

static bool one_thread(void)
{
	unsigned int want, t;

	for (want = 0; want < SOFTPT_THREADS; want++) {
		begin(MEM, READ, 1u << want, 1u << want);
		for (t = 0; t < SOFTPT_THREADS; t++) {
			thread(t);
			pmu(MEM, READ, t + 1);
		}
		if (value(4) != want + 1)
			return false;
	}
	return true;
}

/* T0 at user level and T1 at kernel level, which two bits for thread and level cannot say */
static bool thread_and_level(void)
{
	unsigned int t, c;

	begin(MEM, READ, 1 << 0, 1 << 1);
	for (t = 0; t < 3; t++)
		for (c = 0; c < 4; c++) {
			thread(t);
			cpl(c);
			pmu(MEM, READ, 1ull << 4 * (4 * t + c));
		}
	return value(4) == (0x1110ull | 0x10000);
}

/* Who was switched to another thread before the event is not who caused it */
static bool thread_of_the_event(void)
{
	begin(MEM, READ, 1 << 5, 1 << 5);
	thread(5);
	pmu(MEM, READ, 1);
	thread(6);
	pmu(MEM, READ, 10);
	thread(5);
	pmu(MEM, READ, 100);
	return value(4) == 101 && e.counters.bank[5][4] == 101 && !e.counters.bank[6][4];
}

static const struct {
	unsigned int claim;
	const char *says;
	bool (*test)(void);
} claims[] = {
	{ 1, "of all events class and subclass select, thread and level qualify, the rest counts",
	  three_stages },
	{ 2, "a field of the register selects the class", class_of_all },
	{ 3, "a second field masks the subclasses", subclass_mask },
	{ 4, "a counter is stopped and cleared before it gets another event", stopped_and_cleared },
	{ 5, "a counter can be preset", preset },
	{ 6, "there are performance events and breakpoint events", performance_and_breakpoints },
	{ 7, "the level is the thread's at the event", level_at_the_event },
	{ 8, "the count can be read", readable },
	{ 9, "the method of 1, and the count is read", three_stages },
	{ 10, "an event must be of the thread that was asked for", one_thread },
	{ 11, "and at the level that was asked for", thread_and_level },
	{ 12, "which is the thread's at the event", level_at_the_event },
	{ 13, "and the thread is where it occurred", thread_of_the_event },
	{ 14, "of 9: the level is the thread's at the event", level_at_the_event },
	{ 15, "a system of 1 with memory, and the count is read", three_stages },
	{ 16, "reading does not disturb the counter", undisturbed },
	{ 17, "of 16: a field selects the class", class_of_all },
	{ 18, "of 17: a second field masks", subclass_mask },
	{ 19, "of 15: stopped and cleared before another event", stopped_and_cleared },
	{ 20, "of 19: preset", preset },
	{ 21, "of 15: performance and breakpoint events", performance_and_breakpoints },
	{ 22, "of 15: the level is the thread's at the event", level_at_the_event },
	{ 23, "a program that does 9", three_stages },
	{ 24, "of 23: the thread that was asked for", one_thread },
	{ 25, "of 24: and the level", thread_and_level },
	{ 26, "of 24: which is the thread's at the event", level_at_the_event },
	{ 27, "of 23: the level is the thread's at the event", level_at_the_event },
	{ 28, "of 23: the thread is where it occurred", thread_of_the_event },
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
		kit_ok(claims[i].claim == i + 1 && claims[i].test(), "claim %u: %s",
		       claims[i].claim, claims[i].says);
	kit_ok(i == 28, "all 28 claims have a row");
	return kit_done();
}
