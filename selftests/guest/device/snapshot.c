// SPDX-License-Identifier: BSD-2-Clause
/* A snapshot can be decoded from a PSB inside, wherever it is frozen and however small it is. */
#include "selftests/kit/kit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/include/softpt/softpt.h"

struct view {
	size_t psb;		/* bytes before the first PSB */
	size_t packets;		/* from there on */
	bool whole;		/* nothing but packets up to the end */
};

static struct view look(const struct kit_map *map, size_t length)
{
	const uint8_t *bytes = map->data + (map->control->tail & (map->control->data_size - 1));
	struct softpt_packet packet;
	struct softpt_stream stream;
	struct view v = { 0 };

	softpt_stream_init(&stream, bytes, length);
	if (softpt_sync_forward(&stream, 0, NULL))
		return v;
	v.psb = softpt_stream_offset(&stream);
	while (softpt_stream_next(&stream, &packet) > 0)
		v.packets++;
	v.whole = stream.pos == stream.end;
	return v;
}

static void write_all(int unit, const struct softpt_event *ev, size_t n)
{
	if (kit_write(unit, ev, n * sizeof(*ev)) != (ssize_t)(n * sizeof(*ev)))
		kit_bail("write to a running snapshot");
}

/* Frozen @rounds times, after a random number of events each */
static void freezes(const char *name, const struct softpt_config *config, int rounds)
{
	int dev = kit_open(), session = kit_session(dev), unit, i, good = 0, full = 0;
	struct softpt_event *ev = kit_events(41, 300 * rounds);
	uint64_t random = 43;
	struct kit_map map;
	size_t at = 0;

	kit_configure(session, config);
	unit = kit_unit(session, 0);
	if (unit < 0 || kit_map(unit, config->ring, &map) || kit_enable(session))
		kit_bail("%s: enable a snapshot", name);
	for (i = 0; i < rounds; i++) {
		size_t n = 1 + kit_random(&random) % 299, length;
		struct view v;

		write_all(unit, ev + at, n);
		at += n;
		if (kit_ioctl(unit, SOFTPT_FREEZE, NULL))
			break;
		length = map.control->head - map.control->tail;
		v = look(&map, length);
		good += v.whole && v.packets > 3 && length <= config->ring;
		full += map.control->tail > 0;
		if (kit_ioctl(unit, SOFTPT_REARM, NULL))
			break;
	}
	kit_ok(good == rounds, "%s: each of %d freezes has a PSB and whole packets after it", name,
	       rounds);
	if (good != rounds)
		kit_note("%d have", good);
	kit_ok(full > rounds / 2, "%s: %d of them after bytes were overwritten", name, full);
	kit_ok(kit_status(unit).tail == map.control->tail, "%s: status has the same tail", name);
	kit_unmap(&map);
	close(unit);
	close(session);
	close(dev);
	free(ev);
}

/* What a frozen ring refuses waits, or is refused, and is not lost. */
static void frozen(void)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit;
	struct softpt_event *ev = kit_events(47, 50);
	static uint8_t bytes[65536];
	ssize_t n;

	config.mode = SOFTPT_RING_SNAPSHOT;
	kit_configure(session, &config);
	unit = kit_unit(session, 0);
	kit_enable(session);
	write_all(unit, ev, 40);
	kit_ioctl(unit, SOFTPT_FREEZE, NULL);
	fcntl(unit, F_SETFL, O_NONBLOCK);
	kit_is(kit_write(unit, ev + 40, sizeof(*ev)), -11, "a frozen snapshot takes nothing");
	n = kit_read(unit, bytes, sizeof(bytes));
	kit_ok(n > 0 && (size_t)n == kit_status(unit).head, "it can be read whole");
	kit_ok(!kit_read(unit, bytes, 1), "up to its end");
	kit_ioctl(unit, SOFTPT_REARM, NULL);
	kit_is(kit_write(unit, ev + 40, 10 * sizeof(*ev)), 0, "it runs on when it is rearmed");
	kit_is(kit_read(unit, bytes, 1), 0, "what came since can be read without waiting");
	close(unit);
	close(session);
	close(dev);
	free(ev);
}

struct flood {
	int unit;
	struct softpt_event *ev;
	size_t n;
	int done;
};

static void *flood(void *arg)
{
	struct flood *f = arg;

	write_all(f->unit, f->ev, f->n);
	__atomic_store_n(&f->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Always from the oldest byte on, which the writer is about to overwrite */
static void chase(struct flood *f, struct softpt_reader *reader, const uint8_t *want,
		  uint64_t length)
{
	static uint8_t got[1 << 20];
	size_t reads = 0, bad = 0, over = 0;

	while (!__atomic_load_n(&f->done, __ATOMIC_ACQUIRE)) {
		uint64_t end;
		ssize_t n;

		reader->tail = 0;
		n = kit_read(f->unit, got, sizeof(got));
		if (n <= 0)
			continue;
		reads++;
		end = reader->tail;
		over += n > 16384;
		bad += end > length || (uint64_t)n > end || memcmp(got, want + end - n, n);
	}
	kit_ok(reads && !over, "a running snapshot is read, never more than it has");
	kit_ok(!bad, "what read() gives of it was not overwritten meanwhile");
	kit_note("%zu reads, %zu too long, %zu with other bytes", reads, over, bad);
}

static void running(size_t events)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev);
	struct flood f = { .ev = kit_events(53, events), .n = events };
	struct softpt_reader *reader;
	struct softpt_counts counts;
	pthread_t writer;
	uint8_t *want;

	config.mode = SOFTPT_RING_SNAPSHOT;
	config.ring = 16384;
	config.psb_freq = 0;		/* so often that the ring asks for none of its own */
	config.flags &= ~SOFTPT_F_MTC;
	want = kit_expect(&config, f.ev, events, &counts);
	kit_configure(session, &config);
	f.unit = kit_unit(session, 0);
	reader = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f.unit, 0);
	if (reader == MAP_FAILED || kit_enable(session))
		kit_bail("enable a snapshot that is read while it runs");
	fcntl(f.unit, F_SETFL, O_NONBLOCK);
	pthread_create(&writer, NULL, flood, &f);
	chase(&f, reader, want, counts.bytes);
	pthread_join(writer, NULL);
	munmap(reader, 4096);
	close(f.unit);
	close(session);
	close(dev);
	free(f.ev);
	free(want);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300;
	struct softpt_config config = kit_config();

	config.mode = SOFTPT_RING_SNAPSHOT;
	config.psb_freq = 15;		/* the engine's own PSBs never come */
	config.ring = 4096;
	freezes("smallest ring", &config, rounds);
	config.ring = 16384;
	config.mtc_freq = 0;		/* gaps that are longer than the ring */
	config.flags |= SOFTPT_F_CYC;
	freezes("gaps longer than the ring", &config, rounds);
	config = kit_config();
	config.mode = SOFTPT_RING_SNAPSHOT;
	config.ring = 8192;
	config.suppress = 2;
	freezes("suppressed", &config, rounds);
	frozen();
	running(200000);
	return kit_done();
}
