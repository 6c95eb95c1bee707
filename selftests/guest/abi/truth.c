// SPDX-License-Identifier: BSD-2-Clause
/* The truth ring: what may be mapped, what it holds, and that nobody waits for it */
#include "abi.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmod/engine/engine.h"

#define PAGE	4096ul
#define RING	(1ul << 16)
#define TRUTH	(4 * PAGE)
#define ALL	(2 * PAGE + 2 * TRUTH)
#define RW	(PROT_READ | PROT_WRITE)
#define RECORD	sizeof(struct softpt_truth)
#define EVENTS	200

static const struct abi_part parts[] = {
	{ "page 0, read-write", 0, PAGE, RW, MAP_SHARED, 0 },
	{ "page 1, read-only", PAGE, PAGE, PROT_READ, MAP_SHARED, 0 },
	{ "all, read-only", 0, ALL, PROT_READ, MAP_SHARED, 0 },
	{ "all but page 0, read-only", PAGE, ALL - PAGE, PROT_READ, MAP_SHARED, 0 },
	{ "page 1, read-write", PAGE, PAGE, RW, MAP_SHARED, -EPERM },
	{ "all, read-write", 0, ALL, RW, MAP_SHARED, -EPERM },
	{ "all, private", 0, ALL, PROT_READ, MAP_PRIVATE, -EINVAL },
	{ "all, executable", 0, ALL, PROT_READ | PROT_EXEC, MAP_SHARED, -EPERM },
	{ "a page less than all", 0, ALL - PAGE, PROT_READ, MAP_SHARED, -EINVAL },
	{ "a page more than all", 0, ALL + PAGE, PROT_READ, MAP_SHARED, -EINVAL },
	{ "the data alone", 2 * PAGE, 2 * TRUTH, PROT_READ, MAP_SHARED, -EINVAL },
	{ "behind the end", ALL, PAGE, PROT_READ, MAP_SHARED, -EINVAL },
};

static struct softpt_config config_of(uint64_t truth)
{
	struct softpt_config config = kit_config();

	config.ring = RING;
	config.truth = truth;
	return config;
}

static void mapping(void)
{
	struct softpt_config config = config_of(0);
	struct abi_unit u = abi_unit(&config);
	size_t i;

	kit_is(abi_try_map(u.unit, SOFTPT_TRUTH_OFFSET, &parts[0]), -EINVAL,
	       "mmap of truth that nobody asked for");
	abi_close(&u);
	config = config_of(TRUTH);
	u = abi_unit(&config);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		kit_is(abi_try_map(u.unit, SOFTPT_TRUTH_OFFSET, &parts[i]), parts[i].want,
		       "mmap of truth: %s", parts[i].name);
	abi_close(&u);
}

/* A unit with truth, mapped and enabled */
struct told {
	struct abi_unit u;
	struct softpt_event *ev;
	struct kit_map map;
};

static void begin(struct told *t, uint64_t truth)
{
	struct softpt_config config = config_of(truth);

	t->u = abi_unit(&config);
	t->ev = kit_events(23, EVENTS);
	if (kit_map_at(t->u.unit, SOFTPT_TRUTH_OFFSET, truth, &t->map))
		kit_bail("map the truth");
	kit_enable(t->u.session);
}

static void end(struct told *t)
{
	kit_unmap(&t->map);
	abi_close(&t->u);
	free(t->ev);
}

/* The engine's own words on these events. Return: how many */
static size_t expect(const struct softpt_event *ev, struct softpt_truth *truth)
{
	struct softpt_config config = config_of(0);
	struct softpt_truth_log log = { .cur = truth, .end = truth + 4 * EVENTS };
	struct softpt_engine e;
	uint8_t bytes[4096];
	size_t i;

	softpt_engine_init(&e, &config);
	softpt_truth_arm(&e, &log);
	for (i = 0; i < EVENTS; i++) {
		struct softpt_sink sink;

		do
			sink = (struct softpt_sink){ bytes, bytes + sizeof(bytes) };
		while (softpt_engine_event(&e, &ev[i], &sink));
	}
	return log.cur - truth;
}

static void contents(void)
{
	struct softpt_truth *want = calloc(4 * EVENTS, RECORD);
	const uint8_t *got;
	struct told t;
	size_t n;

	begin(&t, TRUTH);
	kit_ok(t.map.control->version == SOFTPT_ABI_VERSION &&
	       t.map.control->data_offset == 2 * PAGE && t.map.control->data_size == TRUTH,
	       "the truth's page 1: version, where the data is");
	kit_is(kit_write(t.u.unit, t.ev, EVENTS * sizeof(*t.ev)), EVENTS * sizeof(*t.ev),
	       "events are taken");
	n = expect(t.ev, want);
	kit_ok(n > EVENTS / 2, "the engine has something to say");
	kit_is(kit_peek(&t.map, &got), n * RECORD, "the truth has %zu records", n);
	kit_ok(!memcmp(got, want, n * RECORD), "they are the engine's");
	kit_ok(t.map.control->counts.events == n && !t.map.control->counts.events_lost,
	       "and counted");
	end(&t);
	free(want);
}

/* Times and cycles of a run are those of the engine's words @want, wherever the clock was before */
static bool is_run(const struct softpt_truth *got, const struct softpt_truth *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (got[i].tsc != want[i].tsc || got[i].cycles != want[i].cycles)
			return false;
	return true;
}

/* The same events again after SOFTPT_SET_CONFIG: a new engine, whose clock goes back */
static void renewed(void)
{
	struct softpt_truth *want = calloc(4 * EVENTS, RECORD);
	struct softpt_config config = config_of(TRUTH);
	const struct softpt_truth *got;
	const uint8_t *bytes;
	struct told t;
	size_t n;

	begin(&t, TRUTH);
	n = expect(t.ev, want);
	kit_write(t.u.unit, t.ev, EVENTS * sizeof(*t.ev));
	kit_consume(&t.map, n * RECORD);
	kit_disable(t.u.session);
	kit_is(kit_configure(t.u.session, &config), 0, "a configuration between two runs");
	kit_enable(t.u.session);
	kit_is(kit_write(t.u.unit, t.ev, EVENTS * sizeof(*t.ev)), EVENTS * sizeof(*t.ev),
	       "the same events are taken again");
	if (!kit_is(kit_peek(&t.map, &bytes), n * RECORD, "with as many records"))
		return;
	got = (const struct softpt_truth *)bytes;
	kit_ok(is_run(got, want, n), "their times and cycles begin anew");
	kit_ok(got->flags & SOFTPT_TRUTH_TORN, "and bits that waited are cut off");
	kit_ok(!t.map.control->counts.events_lost, "nothing counts as lost");
	end(&t);
	free(want);
}

/* 102 records have room in a page: what is behind is lost, and only that */
static void full(void)
{
	const uint8_t *got;
	struct softpt_truth first;
	struct told t;
	size_t room = PAGE / RECORD;

	begin(&t, PAGE);
	kit_is(kit_write(t.u.unit, t.ev, EVENTS * sizeof(*t.ev)), EVENTS * sizeof(*t.ev),
	       "full truth: nobody waits for it");
	kit_is(kit_peek(&t.map, &got), room * RECORD, "full truth: %zu records", room);
	kit_ok(t.map.control->counts.events_lost > 0, "full truth: the rest is counted");
	kit_ok(!(kit_status(t.u.unit).flags & SOFTPT_ST_LOST), "full truth: no event is lost");
	kit_consume(&t.map, room * RECORD);
	kit_ioctl(t.u.unit, SOFTPT_PSB, NULL);	/* it finds room */
	kit_ioctl(t.u.unit, SOFTPT_PSB, NULL);	/* and no bit waits */
	if (!kit_ok(kit_peek(&t.map, &got), "with room again it goes on"))
		return;
	memcpy(&first, got, RECORD);
	kit_ok(first.flags & SOFTPT_TRUTH_TORN, "and says that something is missing");
	t.map.reader->tail = 1ull << 60;
	kit_ioctl(t.u.unit, SOFTPT_PSB, NULL);
	kit_ioctl(t.u.unit, SOFTPT_PSB, NULL);
	kit_is(kit_ioctl(t.u.unit, SOFTPT_PSB, NULL), 0, "a tail that makes no sense harms nobody");
	end(&t);
}

static short waiting(int unit)
{
	struct pollfd p = { .fd = unit, .events = POLLRDBAND };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

/* Event by event, so that a reader who is woken may sleep again in between */
static void write_slowly(const struct told *t)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		kit_write(t->u.unit, &t->ev[i], sizeof(t->ev[i]));
		usleep(1000);
	}
}

/* Who waits for packets alone is not woken by truth that nobody takes away. */
static void sleepers(void)
{
	struct kit_sleeper packets, truth;
	struct kit_map map;
	struct told t;

	begin(&t, TRUTH);
	if (kit_map(t.u.unit, RING, &map))
		kit_bail("map the packets");
	map.reader->watermark = RING / 2;
	kit_sleep(&packets, t.u.unit, POLLIN);
	write_slowly(&t);
	kit_ioctl(t.u.unit, SOFTPT_FINISH, NULL);
	kit_woken(&packets);
	if (!kit_ok(packets.got & POLLHUP && packets.slept <= 2,
		    "who polls for packets sleeps until the end"))
		kit_note("got 0x%x, slept %ld times", packets.got, packets.slept);
	kit_unmap(&map);
	end(&t);
	begin(&t, TRUTH);
	t.map.reader->watermark = 10 * RECORD;
	kit_sleep(&truth, t.u.unit, POLLRDBAND);
	write_slowly(&t);
	kit_woken(&truth);
	kit_ok(truth.got == POLLRDBAND, "who polls for truth is woken at its watermark");
	end(&t);
}

static void watermark(void)
{
	struct told t;

	begin(&t, TRUTH);
	t.map.reader->watermark = 10 * RECORD;
	kit_write(t.u.unit, t.ev, sizeof(*t.ev));
	kit_ok(!waiting(t.u.unit), "poll: truth below its watermark");
	kit_write(t.u.unit, t.ev + 1, (EVENTS - 1) * sizeof(*t.ev));
	kit_is(waiting(t.u.unit), POLLRDBAND, "poll: truth has reached its watermark");
	end(&t);
}

void abi_truth(void)
{
	mapping();
	contents();
	renewed();
	full();
	watermark();
	sleepers();
}
