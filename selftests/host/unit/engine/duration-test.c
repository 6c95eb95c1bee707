// SPDX-License-Identifier: BSD-2-Clause
/*
 * Durations as intervals: which clocks are counted, for whom, and which of them freezes the
 * records of retired instructions.
 */
#include <string.h>

#include <softpt/classes.h>
#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"

#define ALL	0xffffffffu
#define TOP	(1ull << SOFTPT_COUNTER_BITS)
#define WAITS	SOFTPT_SUB_STALLS_MEMORY
#define FETCHES	SOFTPT_SUB_STALLS_FETCH

static struct softpt_engine e;
static struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
static uint8_t bytes[1 << 16];

static void happen(const struct softpt_event ev)
{
	struct softpt_sink sink = { bytes, bytes + sizeof(bytes) };
	const char *why;

	if (softpt_engine_check(&e, &ev, &why))
		kit_bail("an event of kind %u: %s", ev.kind, why);
	while (softpt_engine_event(&e, &ev, &sink) == SOFTPT_MORE)
		sink.cur = bytes;
}

#define AT(time, k, ...) \
	happen((struct softpt_event){ .tsc = (time), .kind = SOFTPT_EV_##k, __VA_ARGS__ })

static void stalls(uint64_t tsc, uint16_t flag, uint32_t submask, uint8_t stage)
{
	AT(tsc, PMU, .flags = flag, .arg2 = SOFTPT_CLASS_STALLS | submask << 16, .stage = stage);
}

#define BEGIN(tsc)	stalls(tsc, SOFTPT_EVF_BEGIN, WAITS, 0)
#define END(tsc)	stalls(tsc, SOFTPT_EVF_END, WAITS, 0)

/* Counters 8 and 9 count stalls at user and at kernel level. */
static void begin(bool traced, uint64_t preset)
{
	struct softpt_config config;
	struct softpt_counter counter;
	struct softpt_escr escr;
	const char *why;
	unsigned int k;

	softpt_config_default(&config);
	softpt_engine_init(&e, &config);
	for (k = 0; k < 2; k++) {
		escr = (struct softpt_escr){
			.index = 20 + k, .event_class = SOFTPT_CLASS_STALLS, .mask = 0xffff,
			.usr = k ? 0 : ALL, .os = k ? ALL : 0,
		};
		counter = (struct softpt_counter){
			.index = 8 + k, .escr = 20 + k, .preset = k ? 0 : preset,
		};
		if (softpt_set_escr(&e.counters, &escr, &why) ||
		    softpt_set_counter(&e.counters, &counter, &why))
			kit_bail("%s", why);
	}
	softpt_count_control(&e, 0, &(struct softpt_count_args){ .start = 3 << 8 });
	if (traced)
		AT(900, ENABLE, .ip = 0x1000);
}

static void is(uint64_t user, uint64_t kernel, const char *what)
{
	const u64 *v = e.counters.value;

	if (!kit_ok(v[8] == user && v[9] == kernel, "%s: %llu user, %llu kernel", what,
		    (unsigned long long)user, (unsigned long long)kernel))
		kit_note("%llu, %llu", (unsigned long long)v[8], (unsigned long long)v[9]);
}

static void test_divided(bool traced)
{
	begin(traced, 0);
	BEGIN(1000);
	AT(1040, CPL, .cpl = 0);
	END(1100);
	AT(1200, IDLE);
	is(40, 60, "the level changes inside");
	begin(traced, 0);
	BEGIN(1000);
	AT(1010, THREAD, .thread = 1);
	AT(1035, INTR, .ip = 0x1000, .target = 0x2000, .cpl = 0, .arg = 14);
	AT(1040, FAR, .ip = 0x2000, .target = 0x1000, .cpl = 3);
	END(1050);
	is(45, 5, "the thread does, and an interrupt comes");
	kit_ok(e.counters.bank[0][8] == 10 && e.counters.bank[1][8] == 35 &&
	       e.counters.bank[1][9] == 5, "each thread has its own clocks");
}

static void test_clocks(bool traced)
{
	begin(traced, 0);
	BEGIN(1000);
	END(1000);
	is(0, 0, "a duration of no clock");
	BEGIN(1000);
	BEGIN(1005);
	END(1010);
	END(1015);
	is(10, 0, "a condition holds or not: it begins once");
	begin(traced, 0);
	BEGIN(1000);
	stalls(1005, SOFTPT_EVF_BEGIN, FETCHES, 0);
	END(1010);
	stalls(1030, SOFTPT_EVF_END, FETCHES | WAITS, 0);
	is(30, 0, "two conditions of a class: each clock once");
	begin(traced, 0);
	BEGIN(1000);
	AT(1010, SLEEP, .arg = 500);
	AT(1100, IDLE);
	AT(1520, IDLE);
	END(1530);
	is(30, 0, "there are no clocks in a sleep");
	BEGIN(1600);
	AT(1610, SLEEP, .arg = 500);
	AT(1700, PTW, .arg = 1);
	END(1705);
	is(45, 0, "which another event ends");
	begin(traced, 0);
	AT(990, CLOCK, .arg = 13);
	BEGIN(1000);
	AT(1001, CPL, .cpl = 0);
	AT(1002, CPL, .cpl = 3);
	AT(1007, CLOCK, .arg = 26);
	END(1010);
	is(5, 1, "at half the speed: the halves are kept");
	begin(traced, 0);
	BEGIN(1000);
	AT(1010, IDLE);
	softpt_durations_settle(&e, 1025);
	is(25, 0, "up to a time between events");
	END(1030);
	is(30, 0, "and on from there");
}

/* Which clock is the event: the walk back leads to what retired then. */
static void freezes_at(uint64_t nth, uint64_t want)
{
	const struct softpt_pipeline p = {
		.stages = 4, .min = 1, .delay = 6, .depth = SOFTPT_FIFO_DEPTH,
	};
	const struct softpt_fifo *f = &e.fifo;
	uint64_t tsc;

	begin(true, TOP - nth);
	softpt_fifo_arm(&e, &p, 8, record);
	for (tsc = 1000; tsc < 1060; tsc++) {
		if (tsc == 1010)
			stalls(tsc, SOFTPT_EVF_BEGIN, WAITS, 3);
		if (tsc == 1030)
			END(tsc);
		if (tsc != 1012 && tsc != 1013)
			AT(tsc, RETIRE, .ip = tsc, .arg = 1);
	}
	kit_ok(f->state == SOFTPT_FIFO_FROZEN && f->freeze.stage == 3 && f->freeze.events == nth &&
	       !f->freeze.occupied_known && softpt_fifo_read(f, f->n - 1)->ip == want + 6,
	       "clock %llu of a duration freezes the records", (unsigned long long)nth);
}

static void test_freeze(void)
{
	freezes_at(1, 1010);
	freezes_at(2, 1011);
	freezes_at(3, 1012);
	freezes_at(6, 1015);
	freezes_at(20, 1029);
	begin(true, TOP - 21);
	BEGIN(1010);
	END(1030);
	kit_ok(!e.counters.overflows[8] && e.counters.value[8] == TOP - 1, "it has no 21st");
}

int main(void)
{
	test_divided(true);
	test_divided(false);
	test_clocks(true);
	test_clocks(false);
	test_freeze();
	return kit_done();
}
