// SPDX-License-Identifier: BSD-2-Clause
/* Event counters: what may be set when, what is counted, and who is told of it */
#include "abi.h"

#include <poll.h>
#include <sys/wait.h>

#include <softpt/classes.h>

#define LAST	((1ull << SOFTPT_COUNTER_BITS) - 1)
#define ROUNDS	2000

/* Class dcache: sub-area 4, which is of area 1, with counters 4 to 7 */
#define ESCR	8
#define COUNTER	4

static const struct softpt_escr good_escr = {
	.size = sizeof(good_escr), .index = ESCR, .event_class = SOFTPT_CLASS_DCACHE,
	.mask = 0xffff, .usr = ~0u, .os = ~0u,
};

static const struct softpt_counter good_counter = {
	.size = sizeof(good_counter), .index = COUNTER, .escr = ESCR,
};

static long set_escr(int session, unsigned int index, unsigned int event_class, unsigned int mask)
{
	struct softpt_escr escr = good_escr;

	escr.index = index;
	escr.event_class = event_class;
	escr.mask = mask;
	return kit_ioctl(session, SOFTPT_SET_ESCR, &escr);
}

static long set_counter(int session, unsigned int index, unsigned int escr, uint64_t preset)
{
	struct softpt_counter counter = good_counter;

	counter.index = index;
	counter.escr = escr;
	counter.preset = preset;
	return kit_ioctl(session, SOFTPT_SET_COUNTER, &counter);
}

static long count(int session, uint32_t stop, uint32_t clear, uint32_t start)
{
	struct softpt_count_args args = {
		.size = sizeof(args), .stop = stop, .clear = clear, .start = start,
	};

	return kit_ioctl(session, SOFTPT_COUNT, &args);
}

static long stamp(int session, uint32_t flags, uint64_t preset)
{
	struct softpt_count_args args = {
		.size = sizeof(args), .flags = flags, .tsc_preset = preset,
	};

	return kit_ioctl(session, SOFTPT_COUNT, &args);
}

/* @thread: -1: the counters themselves */
static struct softpt_counter_values values(int unit, int thread)
{
	struct softpt_counter_values v = { .size = sizeof(v) };

	if (thread >= 0) {
		v.flags = SOFTPT_READ_THREAD;
		v.thread = thread;
	}
	kit_ioctl(unit, SOFTPT_READ_COUNTERS, &v);
	return v;
}

/* @n events of the class at once, at @tsc */
static void happen(int unit, uint64_t tsc, uint64_t n)
{
	const struct softpt_event ev = {
		.tsc = tsc, .kind = SOFTPT_EV_PMU, .arg = n,
		.arg2 = SOFTPT_CLASS_DCACHE | SOFTPT_SUB_DCACHE_READ_MISS << 16,
	};

	kit_write(unit, &ev, sizeof(ev));
}

static void state(int unit, uint64_t tsc, unsigned int kind, unsigned int thread, unsigned int cpl)
{
	const struct softpt_event ev = { .tsc = tsc, .kind = kind, .thread = thread, .cpl = cpl };

	kit_write(unit, &ev, sizeof(ev));
}

#define ROW_ESCR(field, value, want) ABI_FIELD(softpt_escr, field, value, want)
#define ROW_COUNTER(field, value, want) ABI_FIELD(softpt_counter, field, value, want)
#define ROW_COUNT(field, value, want) ABI_FIELD(softpt_count_args, field, value, want)
#define ROW_READ(field, value, want) ABI_FIELD(softpt_counter_values, field, value, want)

static void arguments(const struct abi_unit *u)
{
	static const struct abi_field escr_rows[] = {
		ROW_ESCR(index, SOFTPT_ESCRS, -EINVAL),
		ROW_ESCR(index, ~0u, -EINVAL),
		ROW_ESCR(index, ESCR + 1, 0),			/* the sub-area's other */
		ROW_ESCR(index, ESCR + 2, -EXDEV),
		ROW_ESCR(event_class, SOFTPT_CLASS_ICACHE, -EXDEV),
		ROW_ESCR(event_class, SOFTPT_CLASS_DCACHE + SOFTPT_SUBAREAS, 0),
		ROW_ESCR(event_class, SOFTPT_EVENT_CLASSES, -EINVAL),
		ROW_ESCR(event_class, 0xff, -EINVAL),
		ROW_ESCR(reserved0, 1, -EINVAL),
		ROW_ESCR(mask, 0, 0),
		ROW_ESCR(usr, 0, 0),
		ROW_ESCR(os, 0, 0),
		ROW_ESCR(reserved, 1, -EINVAL),
	};
	static const struct abi_field counter_rows[] = {
		ROW_COUNTER(index, SOFTPT_COUNTERS, -EINVAL),
		ROW_COUNTER(index, ~0u, -EINVAL),
		ROW_COUNTER(index, COUNTER - 1, -EXDEV),
		ROW_COUNTER(index, COUNTER + 3, 0),
		ROW_COUNTER(index, COUNTER + 4, -EXDEV),
		ROW_COUNTER(escr, SOFTPT_ESCRS, -EINVAL),
		ROW_COUNTER(escr, ~0u, -EINVAL),
		ROW_COUNTER(escr, 0, -EXDEV),
		ROW_COUNTER(flags, SOFTPT_COUNTER_BREAK, -EOPNOTSUPP),	/* nothing is stepped */
		ROW_COUNTER(flags, SOFTPT_COUNTER_ALL + 1, -EINVAL),
		ROW_COUNTER(flags, 1u << 31, -EINVAL),
		ROW_COUNTER(preset, LAST + 1, -EINVAL),
		ROW_COUNTER(preset, LAST, 0),
		ROW_COUNTER(preset, 0, 0),
	};
	static const struct abi_field count_rows[] = {
		ROW_COUNT(flags, SOFTPT_COUNT_ALL + 1, -EINVAL),
		ROW_COUNT(flags, 1u << 31, -EINVAL),
		ROW_COUNT(flags, SOFTPT_COUNT_TSC_OFF | SOFTPT_COUNT_TSC_ON, -EINVAL),
		ROW_COUNT(flags, SOFTPT_COUNT_TSC_RESET | SOFTPT_COUNT_TSC_PRESET, -EINVAL),
		ROW_COUNT(stop, 1u << SOFTPT_COUNTERS, -EINVAL),
		ROW_COUNT(clear, 1u << 31, -EINVAL),
		ROW_COUNT(start, 1u << SOFTPT_COUNTERS, -EINVAL),
		ROW_COUNT(start, 1, -EINVAL),			/* it was never set */
		ROW_COUNT(stop, 1, 0),
		ROW_COUNT(clear, 1, 0),
		ROW_COUNT(reserved, 1, -EINVAL),
		ROW_COUNT(tsc_preset, 1, -EINVAL),		/* without its flag */
	};
	static const struct abi_field read_rows[] = {
		ROW_READ(flags, SOFTPT_READ_ALL + 1, -EINVAL),
		ROW_READ(flags, SOFTPT_READ_THREAD, 0),
		ROW_READ(thread, 1, -EINVAL),			/* without its flag */
		ROW_READ(reserved, 1, -EINVAL),
	};
	static const struct abi_field thread_rows[] = {
		ROW_READ(thread, SOFTPT_THREADS - 1, 0),
		ROW_READ(thread, SOFTPT_THREADS, -EINVAL),
		ROW_READ(thread, ~0u, -EINVAL),
	};
	struct softpt_count_args nothing = { .size = sizeof(nothing) };
	struct softpt_counter_values v = { .size = sizeof(v) };
	struct softpt_threads threads = { .size = sizeof(threads) };

	ABI_SIZES(u->session, SOFTPT_SET_ESCR, &good_escr, 0, false);
	ABI_FIELDS(u->session, SOFTPT_SET_ESCR, &good_escr, escr_rows);
	ABI_SIZES(u->session, SOFTPT_SET_COUNTER, &good_counter, 0, false);
	ABI_FIELDS(u->session, SOFTPT_SET_COUNTER, &good_counter, counter_rows);
	ABI_FIELDS(u->session, SOFTPT_COUNT, &nothing, count_rows);
	ABI_SIZES(u->session, SOFTPT_COUNT, &nothing, 0, false);
	ABI_FIELDS(u->unit, SOFTPT_READ_COUNTERS, &v, read_rows);
	ABI_SIZES(u->unit, SOFTPT_READ_COUNTERS, &v, 0, false);
	v.flags = SOFTPT_READ_THREAD;
	ABI_FIELDS(u->unit, SOFTPT_READ_COUNTERS, &v, thread_rows);
	kit_is(kit_ioctl(u->session, SOFTPT_GET_THREADS, &threads), -EOPNOTSUPP,
	       "SOFTPT_GET_THREADS with source replay");
}

/* A new event takes a counter that was stopped and cleared. */
static void order(int session)
{
	const uint32_t bit = 1u << COUNTER;

	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 1), 0, "a counter's ESCR");
	kit_is(set_counter(session, COUNTER, ESCR, 0), 0, "a counter");
	kit_is(count(session, 0, 0, bit), 0, "start");
	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 2), -EBUSY,
	       "SOFTPT_SET_ESCR while it runs");
	kit_is(set_escr(session, ESCR + 1, SOFTPT_CLASS_DCACHE, 2), 0, "one that nobody uses");
	kit_is(set_counter(session, COUNTER, ESCR, 0), -EBUSY, "SOFTPT_SET_COUNTER while it runs");
	kit_is(count(session, 0, bit, 0), 0, "clear it while it runs");
	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 2), -EBUSY,
	       "SOFTPT_SET_ESCR: cleared, and running on");
	kit_is(count(session, bit, 0, 0), 0, "stop");
	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 2), -EBUSY,
	       "SOFTPT_SET_ESCR: stopped, not cleared");
	kit_is(set_counter(session, COUNTER, ESCR + 1, 0), -EBUSY,
	       "SOFTPT_SET_COUNTER to another ESCR: not cleared");
	kit_is(count(session, 0, bit, 0), 0, "clear");
	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 2), 0, "stopped and cleared: a new event");
	kit_is(set_counter(session, COUNTER, ESCR + 1, 0), 0, "and another ESCR");
	kit_is(count(session, bit, bit, bit), 0, "stop, clear, start");
	kit_is(count(session, bit, bit, 0), 0, "stop, clear");
}

static void counting(const struct abi_unit *u)
{
	const uint32_t both = 3u << COUNTER;
	struct softpt_counter_values v;

	set_escr(u->session, ESCR, SOFTPT_CLASS_DCACHE, SOFTPT_SUB_DCACHE_READ_MISS);
	set_escr(u->session, ESCR + 1, SOFTPT_CLASS_DCACHE, SOFTPT_SUB_DCACHE_WRITE_MISS);
	set_counter(u->session, COUNTER, ESCR, 100);
	set_counter(u->session, COUNTER + 1, ESCR + 1, 0);
	kit_is(kit_enable(u->session), 0, "SOFTPT_ENABLE");
	happen(u->unit, 1000, 1);
	kit_ok(values(u->unit, -1).value[COUNTER] == 100, "a counter that was not started");
	count(u->session, 0, 0, both);
	happen(u->unit, 1000, 7);
	state(u->unit, 1010, SOFTPT_EV_THREAD, 3, 0);
	state(u->unit, 1010, SOFTPT_EV_CPL, 0, 0);
	happen(u->unit, 1010, 20);
	v = values(u->unit, -1);
	kit_ok(v.value[COUNTER] == 127 && !v.value[COUNTER + 1], "what is selected is counted");
	kit_ok(v.running == both && !v.overflowed, "who counts");
	v = values(u->unit, -1);
	kit_ok(v.value[COUNTER] == 127, "reading disturbs nothing");
	kit_ok(values(u->unit, 0).value[COUNTER] == 7, "thread 0 has counted");
	kit_ok(values(u->unit, 3).value[COUNTER] == 20, "thread 3 has counted");
	kit_ok(!values(u->unit, 31).value[COUNTER], "thread 31 has not");
	count(u->session, both, 0, 0);
	happen(u->unit, 1020, 1);
	kit_ok(values(u->unit, -1).value[COUNTER] == 127, "stopped: it keeps its value");
	kit_disable(u->session);
	kit_ok(values(u->unit, -1).value[COUNTER] == 127, "as it does after SOFTPT_DISABLE");
	count(u->session, 0, both, 0);
	kit_ok(!values(u->unit, -1).value[COUNTER] && !values(u->unit, 3).value[COUNTER], "cleared");
}

static void interval(int unit, uint64_t tsc, uint16_t flag)
{
	const struct softpt_event ev = {
		.tsc = tsc, .kind = SOFTPT_EV_PMU, .flags = flag,
		.arg2 = SOFTPT_CLASS_DCACHE | SOFTPT_SUB_DCACHE_READ_MISS << 16,
	};

	kit_write(unit, &ev, sizeof(ev));
}

/* Each clock of a duration is its thread's. */
static void lasting(const struct abi_unit *u)
{
	kit_is(kit_enable(u->session), 0, "SOFTPT_ENABLE");
	count(u->session, 0, 0, 1u << COUNTER);
	state(u->unit, 1100, SOFTPT_EV_THREAD, 0, 0);
	interval(u->unit, 1100, SOFTPT_EVF_BEGIN);
	state(u->unit, 1125, SOFTPT_EV_IDLE, 0, 0);
	kit_ok(values(u->unit, -1).value[COUNTER] == 25, "while a duration lasts");
	state(u->unit, 1140, SOFTPT_EV_THREAD, 3, 0);
	interval(u->unit, 1200, SOFTPT_EVF_END);
	state(u->unit, 1300, SOFTPT_EV_IDLE, 0, 0);
	kit_ok(values(u->unit, -1).value[COUNTER] == 100, "a duration that two threads share");
	kit_ok(values(u->unit, 0).value[COUNTER] == 40 && values(u->unit, 3).value[COUNTER] == 60,
	       "each has its own clocks");
	kit_disable(u->session);
	count(u->session, 1u << COUNTER, 1u << COUNTER, 0);
}

static bool told(int unit)
{
	struct pollfd p = { .fd = unit, .events = POLLPRI };

	return poll(&p, 1, 0) == 1 && p.revents & POLLPRI;
}

/* A process, for 32-bit threads need more of the kernel. Exit status 0: it was told */
static pid_t wait_told(int unit)
{
	struct pollfd p = { .fd = unit, .events = POLLPRI };
	pid_t pid = fork();

	if (!pid)
		_exit(!(poll(&p, 1, 30000) == 1 && p.revents & POLLPRI));
	return pid;
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void overflow(struct abi_unit *u)
{
	const uint32_t bit = 1u << COUNTER;
	struct softpt_counter_values v;
	pid_t waiter;

	set_counter(u->session, COUNTER, ESCR, LAST - 1);
	count(u->session, 0, 0, bit);
	kit_enable(u->session);
	happen(u->unit, 2000, 1);
	kit_ok(!told(u->unit), "poll: a counter at its last value");
	waiter = wait_told(u->unit);
	usleep(50000);
	happen(u->unit, 2000, 3);
	kit_ok(!status_of(waiter), "poll: an overflow wakes who waits");
	kit_ok(told(u->unit), "POLLPRI stays");
	v = values(u->unit, -1);
	kit_ok(v.value[COUNTER] == 2 && v.overflows[COUNTER] == 1 && v.overflowed == bit,
	       "it went on from 0, and tells");
	kit_ok(!told(u->unit), "POLLPRI until SOFTPT_READ_COUNTERS");
	happen(u->unit, 2000, 5 * (LAST + 1) - 2);
	v = values(u->unit, -1);
	kit_ok(!v.value[COUNTER] && v.overflows[COUNTER] == 6, "five times around at once");
	kit_disable(u->session);
	count(u->session, bit, bit, 0);
	v = values(u->unit, -1);
	kit_ok(!v.overflowed && !v.overflows[COUNTER], "cleared, it has never overflowed");
}

/* Of a replayed unit it counts its events' time. */
/* Replayed events have a clock of their own, which begins at 0. */
static void stamped_before(void)
{
	struct abi_unit u = abi_unit(NULL);

	stamp(u.session, SOFTPT_COUNT_TSC_PRESET, 5);
	kit_enable(u.session);
	happen(u.unit, 3000, 1);
	kit_ok(values(u.unit, -1).tsc == 3005, "the time-stamp counter, preset before the ENABLE");
	abi_close(&u);
}

static void stamps(const struct abi_unit *u)
{
	stamped_before();
	kit_enable(u->session);
	happen(u->unit, 3000, 1);
	kit_ok(values(u->unit, -1).tsc == 3000, "the time-stamp counter");
	kit_is(stamp(u->session, SOFTPT_COUNT_TSC_RESET, 0), 0, "reset");
	happen(u->unit, 3100, 1);
	kit_ok(values(u->unit, -1).tsc == 100, "from 0");
	kit_is(stamp(u->session, SOFTPT_COUNT_TSC_PRESET, 1ull << 63), 0, "preset");
	happen(u->unit, 3107, 1);
	kit_ok(values(u->unit, -1).tsc == (1ull << 63) + 7, "from there");
	stamp(u->session, SOFTPT_COUNT_TSC_OFF, 0);
	happen(u->unit, 3200, 1);
	kit_ok(values(u->unit, -1).tsc == (1ull << 63) + 7, "off");
	stamp(u->session, SOFTPT_COUNT_TSC_ON, 0);
	happen(u->unit, 3203, 1);
	kit_ok(values(u->unit, -1).tsc == (1ull << 63) + 10, "on");
	kit_disable(u->session);
}

/* The loop of the documentation */
static uint64_t glance(const volatile struct softpt_counter_page *page, unsigned int other,
		       uint64_t *second)
{
	uint64_t value;
	uint32_t seq;

	do {
		seq = __atomic_load_n(&page->seq, __ATOMIC_ACQUIRE);
		value = page->value[COUNTER];
		*second = page->value[other];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq & 1 || seq != page->seq);
	return value;
}

/* Two counters that count the same are the same, whenever one looks. Exit status 0: so it was */
static pid_t look(const volatile struct softpt_counter_page *page)
{
	uint64_t value = 0, last = 0, second;
	pid_t pid = fork();

	while (!pid && value < ROUNDS) {
		value = glance(page, COUNTER + 1, &second);
		if (value != second || value < last)
			_exit(1);
		last = value;
	}
	if (!pid)
		_exit(0);
	return pid;
}

static void shown(void)
{
	struct softpt_config config = kit_config();
	struct abi_unit u = abi_unit(NULL);
	const volatile struct softpt_counter_page *page;
	struct kit_map map;
	uint64_t n;
	pid_t reader;

	if (kit_map(u.unit, config.ring, &map))
		kit_bail("map a unit");
	page = &map.control->counters;
	set_escr(u.session, ESCR, SOFTPT_CLASS_DCACHE, 0xffff);
	set_counter(u.session, COUNTER, ESCR, 5);
	kit_ok(page->value[COUNTER] == 5, "page 1 shows a preset");
	set_counter(u.session, COUNTER, ESCR, 0);
	set_counter(u.session, COUNTER + 1, ESCR, 0);
	kit_enable(u.session);
	count(u.session, 0, 0, 3u << COUNTER);
	reader = look(page);
	for (n = 0; n < ROUNDS; n++)
		happen(u.unit, 1000 + n, 1);
	kit_ok(!status_of(reader), "page 1: each look is at one instant");
	kit_ok(page->value[COUNTER] == values(u.unit, -1).value[COUNTER] &&
	       page->tsc == 1000 + ROUNDS - 1, "page 1 says what SOFTPT_READ_COUNTERS says");
	kit_unmap(&map);
	abi_close(&u);
}

static void hidden(void)
{
	struct softpt_session_args args = {
		.size = sizeof(args), .flags = SOFTPT_SESSION_NO_COUNTER_PAGE,
	};
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_ioctl(dev, SOFTPT_CREATE_SESSION, &args);
	int unit = kit_unit(session, 0);
	static const struct softpt_counter_page nothing;
	struct kit_map map;

	if (kit_map(unit, config.ring, &map))
		kit_bail("map a unit");
	set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 0xffff);
	set_counter(session, COUNTER, ESCR, 0);
	count(session, 0, 0, 1u << COUNTER);
	kit_enable(session);
	happen(unit, 1000, 9);
	kit_ok(values(unit, -1).value[COUNTER] == 9, "SOFTPT_SESSION_NO_COUNTER_PAGE: counted");
	kit_ok(!memcmp((const void *)&map.control->counters, &nothing, sizeof(nothing)),
	       "and not shown in page 1");
	kit_unmap(&map);
	close(unit);
	close(session);
	close(dev);
}

/* Refused, not zero */
static void sources(void)
{
	struct softpt_threads threads = { .size = sizeof(threads) };
	int dev = kit_open(), session = kit_session(dev);

	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 0xffff), 0, "replay: any class");
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), 0, "an ESCR that nobody uses");
	kit_is(set_counter(session, COUNTER, ESCR, 0), -EOPNOTSUPP,
	       "SOFTPT_SET_COUNTER: a class that stepping does not tell");
	kit_is(kit_source(session, SOFTPT_SOURCE_REPLAY, NULL), 0, "SOFTPT_SET_SOURCE");
	kit_is(set_counter(session, COUNTER, ESCR, 0), 0, "replay: any class");
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), -EOPNOTSUPP,
	       "SOFTPT_SET_SOURCE: a class that stepping does not tell");
	kit_is(kit_source(session, SOFTPT_SOURCE_KERNEL, NULL), -EOPNOTSUPP,
	       "SOFTPT_SET_SOURCE: nor the kernel");
	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 0), 0, "no subclass");
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), 0, "SOFTPT_SET_SOURCE");
	kit_is(set_escr(session, ESCR, SOFTPT_CLASS_DCACHE, 1), -EOPNOTSUPP,
	       "SOFTPT_SET_ESCR: a class that stepping does not tell");
	kit_is(set_escr(session, 4, SOFTPT_CLASS_BRANCHES, SOFTPT_SUB_BRANCHES_TAKEN), 0,
	       "branches that are taken");
	kit_is(set_escr(session, 4, SOFTPT_CLASS_BRANCHES, SOFTPT_SUB_BRANCHES_PREDICTED),
	       -EOPNOTSUPP, "branches that are predicted");
	kit_is(set_escr(session, 4, SOFTPT_CLASS_BRANCHES,
			SOFTPT_SUB_BRANCHES_TAKEN | SOFTPT_SUB_BRANCHES_PREDICTED),
	       -EOPNOTSUPP, "branches that are taken, or predicted");
	kit_is(set_escr(session, 4, SOFTPT_CLASS_BRANCHES, 0xffff), 0, "all branches");
	kit_is(set_escr(session, 2 * (SOFTPT_CLASS_TRACE % SOFTPT_SUBAREAS), SOFTPT_CLASS_TRACE, 1),
	       0, "what the unit itself does");
	kit_is(kit_ioctl(session, SOFTPT_GET_THREADS, &threads), -EBADFD,
	       "SOFTPT_GET_THREADS while not enabled");
	close(session);
	close(dev);
}

void abi_counters(void)
{
	struct abi_unit u = abi_unit(NULL);

	arguments(&u);
	abi_close(&u);
	u = abi_unit(NULL);
	order(u.session);
	counting(&u);
	lasting(&u);
	overflow(&u);
	stamps(&u);
	abi_close(&u);
	shown();
	hidden();
	sources();
}
