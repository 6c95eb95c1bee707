// SPDX-License-Identifier: BSD-2-Clause
/* Records of retired instructions: who may ask for them, what freezes them, and reading them */
#include "abi.h"

#include <softpt/retire.h>
#include <softpt/classes.h>

#define WRAP	(1ull << SOFTPT_COUNTER_BITS)

/* Class dcache: sub-area 4, which is of area 1, with counters 4 to 7 */
#define ESCR	8
#define COUNTER	4

/* The example of Documentation/reference/address.rst */
static const struct softpt_freeze_args good = {
	.size = sizeof(good), .counter = COUNTER,
	.pipeline = {
		.stages = 5, .min = 2, .delay = 3, .write = 1, .depth = SOFTPT_FIFO_DEPTH,
	},
};

static long select_event(int session, unsigned int escr, unsigned int counter,
			 unsigned int event_class, uint64_t nth)
{
	const struct softpt_escr e = {
		.size = sizeof(e), .index = escr, .event_class = event_class, .mask = 0xffff,
		.usr = ~0u, .os = ~0u,
	};
	const struct softpt_counter c = {
		.size = sizeof(c), .index = counter, .escr = escr, .preset = WRAP - nth,
	};
	long err = kit_ioctl(session, SOFTPT_SET_ESCR, &e);

	return err ? err : kit_ioctl(session, SOFTPT_SET_COUNTER, &c);
}

static void start(int session)
{
	struct softpt_count_args args = { .size = sizeof(args), .start = 1u << COUNTER };

	kit_is(kit_ioctl(session, SOFTPT_COUNT, &args), 0, "start the counter");
}

static void retire(int unit, uint64_t tsc)
{
	const struct softpt_event ev = {
		.tsc = tsc, .kind = SOFTPT_EV_RETIRE, .ip = 0x400000 + tsc, .arg = 1,
	};

	kit_write(unit, &ev, sizeof(ev));
}

static void miss(int unit, uint64_t tsc)
{
	const struct softpt_event ev = {
		.tsc = tsc, .kind = SOFTPT_EV_PMU, .arg = 1, .stage = 3, .ip = 0x7ff0,
		.flags = SOFTPT_EVF_DATA,
		.arg2 = SOFTPT_CLASS_DCACHE | SOFTPT_SUB_DCACHE_READ_MISS << 16,
	};

	kit_write(unit, &ev, sizeof(ev));
}

static long read_fifo(int unit, struct softpt_fifo_args *args, struct softpt_retirement *record,
		      unsigned int n)
{
	*args = (struct softpt_fifo_args){
		.size = sizeof(*args), .n = n, .records = (uintptr_t)record,
	};
	return kit_ioctl(unit, SOFTPT_READ_FIFO, args);
}

#define ROW(field, value, want) ABI_FIELD(softpt_freeze_args, field, value, want)

static void arguments(int session)
{
	static const struct abi_field rows[] = {
		ROW(flags, 1, -EINVAL),
		ROW(flags, 1u << 31, -EINVAL),
		ROW(reserved, 1, -EINVAL),
		ROW(counter, COUNTER + 1, -EINVAL),	/* it was never set */
		ROW(counter, SOFTPT_COUNTERS, -EINVAL),
		ROW(counter, ~0u, -EINVAL),
		ROW(pipeline.stages, 0, -EINVAL),
		ROW(pipeline.stages, 1, 0),
		ROW(pipeline.stages, SOFTPT_STAGES_MAX, 0),
		ROW(pipeline.stages, SOFTPT_STAGES_MAX + 1, -EINVAL),
		ROW(pipeline.min, SOFTPT_DELAY_MAX, 0),
		ROW(pipeline.min, SOFTPT_DELAY_MAX + 1u, -EINVAL),
		ROW(pipeline.delay, SOFTPT_DELAY_MAX, 0),
		ROW(pipeline.delay, SOFTPT_DELAY_MAX + 1u, -EINVAL),
		ROW(pipeline.write, SOFTPT_DELAY_MAX, 0),
		ROW(pipeline.write, ~0u, -EINVAL),
		ROW(pipeline.depth, 0, -EINVAL),
		ROW(pipeline.depth, 1, 0),
		ROW(pipeline.depth, SOFTPT_FIFO_DEPTH + 1, -EINVAL),
		ROW(pipeline.after, 1, 0),
		ROW(pipeline.after, 2, -EINVAL),
	};

	kit_is(kit_ioctl(session, SOFTPT_SET_FREEZE, &good), -EINVAL,
	       "SOFTPT_SET_FREEZE of a counter that was never set");
	kit_is(select_event(session, ESCR, COUNTER, SOFTPT_CLASS_DCACHE, 1), 0, "a counter");
	ABI_SIZES(session, SOFTPT_SET_FREEZE, &good, 0, false);
	ABI_FIELDS(session, SOFTPT_SET_FREEZE, &good, rows);
}

/* The example, and what is refused on the way */
static void reading(const struct abi_unit *u)
{
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	const uint8_t none[sizeof(((struct softpt_freeze *)0)->reserved)] = { 0 };
	struct softpt_fifo_args args;
	uint64_t tsc;

	kit_is(read_fifo(u->unit, &args, record, 8), -EINVAL,
	       "SOFTPT_READ_FIFO before SOFTPT_ENABLE: nothing is recorded");
	kit_is(kit_ioctl(u->session, SOFTPT_SET_FREEZE, &good), 0, "SOFTPT_SET_FREEZE");
	kit_is(kit_enable(u->session), 0, "SOFTPT_ENABLE");
	kit_is(kit_ioctl(u->session, SOFTPT_SET_FREEZE, &good), -EBUSY,
	       "SOFTPT_SET_FREEZE while enabled");
	start(u->session);
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), -EAGAIN,
	       "SOFTPT_READ_FIFO: no event");
	kit_is(kit_ioctl(u->unit, SOFTPT_REARM_FIFO, NULL), -EINVAL,
	       "SOFTPT_REARM_FIFO of what is not frozen");
	for (tsc = 100; tsc <= 103; tsc++)
		retire(u->unit, tsc);
	miss(u->unit, 103);
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), -EAGAIN,
	       "SOFTPT_READ_FIFO: the delay is not over");
	for (tsc = 104; tsc <= 108; tsc++)
		retire(u->unit, tsc);
	kit_is(read_fifo(u->unit, &args, record, 6), -ENOSPC, "SOFTPT_READ_FIFO: too little room");
	kit_is(read_fifo(u->unit, &args, NULL, 7), -EFAULT, "SOFTPT_READ_FIFO to nowhere");
	memset(&record[7], 0xa5, sizeof(record[7]));
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), 0, "SOFTPT_READ_FIFO");
	kit_ok(args.n == 7 && record[0].ip == 0x400064 && record[6].ip == 0x40006a &&
	       record[6].cycles == 1 && record[6].count == 1 && record[6].flags == SOFTPT_RETIRED,
	       "seven records, up to min + delay - write - 1 cycles behind the event");
	kit_ok(args.freeze.events == 1 && args.freeze.stage == 3 && !args.freeze.occupied_known,
	       "and the event");
	kit_ok(args.freeze.data_known && args.freeze.data == 0x7ff0, "and its data");
	kit_is(args.freeze.available, 1, "and for how many there were records");
	kit_ok(record[7].ip == 0xa5a5a5a5a5a5a5a5 &&
	       !memcmp(args.freeze.reserved, none, sizeof(none)), "and nothing else");
	kit_is(read_fifo(u->unit, &args, record, 7), 0, "SOFTPT_READ_FIFO: just enough room");
}

static void spoiled(int unit)
{
	static const struct abi_field rows[] = {
		ABI_FIELD(softpt_fifo_args, flags, 1, -EINVAL),
		ABI_FIELD(softpt_fifo_args, flags, 1u << 31, -EINVAL),
		ABI_FIELD(softpt_fifo_args, reserved, 1, -EINVAL),
	};
	static struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	const struct softpt_fifo_args args = {
		.size = sizeof(args), .n = SOFTPT_FIFO_DEPTH, .records = (uintptr_t)record,
	};

	ABI_SIZES(unit, SOFTPT_READ_FIFO, &args, 0, false);
	ABI_FIELDS(unit, SOFTPT_READ_FIFO, &args, rows);
}

/* Who knows the first version of the struct only */
static void first_version(int unit)
{
	static struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	const size_t size = offsetof(struct softpt_fifo_args, freeze) +
			    offsetof(struct softpt_freeze, data);
	struct softpt_fifo_args args;

	memset(&args, 0xa5, sizeof(args));
	memset(&args, 0, size);
	args.size = size;
	args.n = SOFTPT_FIFO_DEPTH;
	args.records = (uintptr_t)record;
	kit_is(kit_ioctl(unit, SOFTPT_READ_FIFO, &args), 0, "SOFTPT_READ_FIFO, version 1");
	kit_ok(args.n == 7 && args.freeze.events == 1 && args.freeze.stage == 3 &&
	       args.freeze.data == 0xa5a5a5a5a5a5a5a5, "what there was then, and nothing else");
}

/* The next event, of a counter that begins at its preset again; and a session that ends early */
static void again(const struct abi_unit *u)
{
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	struct softpt_fifo_args args;
	uint64_t tsc;

	kit_is(kit_ioctl(u->unit, SOFTPT_REARM_FIFO, NULL), 0, "SOFTPT_REARM_FIFO");
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), -EAGAIN, "it waits again");
	for (tsc = 200; tsc <= 210; tsc++) {
		retire(u->unit, tsc);
		if (tsc == 203)
			miss(u->unit, tsc);
	}
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), 0, "the next event");
	kit_ok(args.n == 7 && record[6].ip == 0x400000 + 206 && args.freeze.events == 1,
	       "and its records");
	kit_is(args.freeze.available, 2, "there were records for two");
	kit_disable(u->session);
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), 0,
	       "SOFTPT_READ_FIFO after SOFTPT_DISABLE");
	kit_is(kit_enable(u->session), 0, "SOFTPT_ENABLE");
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), -EAGAIN, "arms it, too");
	retire(u->unit, 300);
	miss(u->unit, 300);
	kit_disable(u->session);
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), 0, "the end freezes");
	kit_ok(args.n && record[args.n - 1].flags & SOFTPT_RETIRED_EARLY, "early");
}

static void undone(const struct abi_unit *u)
{
	static const struct softpt_freeze_args none = { .size = sizeof(none) };
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	struct softpt_fifo_args args;

	kit_is(kit_ioctl(u->session, SOFTPT_SET_FREEZE, &none), 0, "SOFTPT_SET_FREEZE of nothing");
	kit_is(kit_enable(u->session), 0, "SOFTPT_ENABLE");
	retire(u->unit, 400);
	miss(u->unit, 400);
	kit_is(read_fifo(u->unit, &args, record, SOFTPT_FIFO_DEPTH), -EINVAL,
	       "records nothing any more");
	kit_disable(u->session);
}

/* Refused, not unknown each time */
static void sources(void)
{
	struct softpt_freeze_args args = good;
	int dev = kit_open(), session = kit_session(dev);
	const unsigned int escr = 2 * (SOFTPT_CLASS_CONTEXT_SWITCHES % SOFTPT_SUBAREAS);
	const unsigned int faults = 2 * (SOFTPT_CLASS_PAGE_FAULTS % SOFTPT_SUBAREAS);

	args.counter = 12;
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), 0, "source step");
	kit_is(select_event(session, escr, 12, SOFTPT_CLASS_CONTEXT_SWITCHES, 1), 0,
	       "it counts context switches");
	kit_is(kit_ioctl(session, SOFTPT_SET_FREEZE, &args), -EOPNOTSUPP,
	       "SOFTPT_SET_FREEZE: no instruction causes them");
	kit_is(select_event(session, faults, 13, SOFTPT_CLASS_PAGE_FAULTS, 1), 0, "page faults");
	args.counter = 13;
	kit_is(kit_ioctl(session, SOFTPT_SET_FREEZE, &args), 0, "SOFTPT_SET_FREEZE");
	kit_is(kit_source(session, SOFTPT_SOURCE_KERNEL, NULL), -EOPNOTSUPP,
	       "SOFTPT_SET_SOURCE: the kernel's faults are nobody's");
	kit_is(kit_source(session, SOFTPT_SOURCE_REPLAY, NULL), 0, "SOFTPT_SET_SOURCE: replay");
	close(session);
	session = kit_session(dev);
	kit_is(select_event(session, 2 * (SOFTPT_CLASS_TRACE % SOFTPT_SUBAREAS), 8,
			    SOFTPT_CLASS_TRACE, 1), 0, "what the unit itself does");
	args.counter = 8;
	kit_is(kit_ioctl(session, SOFTPT_SET_FREEZE, &args), -EOPNOTSUPP,
	       "SOFTPT_SET_FREEZE: no instruction does it");
	close(session);
	close(dev);
}

void abi_freeze(void)
{
	struct abi_unit u = abi_unit(NULL);

	arguments(u.session);
	reading(&u);
	spoiled(u.unit);
	first_version(u.unit);
	again(&u);
	undone(&u);
	abi_close(&u);
	sources();
}
