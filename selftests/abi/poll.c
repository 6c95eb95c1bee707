// SPDX-License-Identifier: BSD-2-Clause
/* poll(): IN from the watermark on or with a frozen snapshot, OUT with room, HUP at the end */
#include "abi.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define POLL_IN		(POLLIN | POLLRDNORM)
#define POLL_OUT	(POLLOUT | POLLWRNORM)

static int events(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLL_IN | POLL_OUT };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

static void expect(int fd, int want, const char *name)
{
	int got = events(fd);

	if (!kit_ok(got == want, "poll: %s", name))
		kit_note("got 0x%x, want 0x%x", got, want);
}

static void stream(void)
{
	struct abi_unit u = abi_unit(NULL);
	struct softpt_reader *reader = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
					    u.unit, 0);
	struct softpt_event *ev = kit_events(11, 2000);
	char bytes[512];

	if (reader == MAP_FAILED)
		kit_bail("map page 0");
	expect(u.unit, 0, "a new unit");
	kit_enable(u.session);
	expect(u.unit, POLL_OUT, "enabled, with room");
	kit_write(u.unit, ev, 10 * sizeof(*ev));
	expect(u.unit, POLL_IN | POLL_OUT, "bytes are there");
	reader->watermark = 2048;
	expect(u.unit, POLL_OUT, "bytes are below the watermark");
	kit_write(u.unit, ev + 10, 1990 * sizeof(*ev));
	expect(u.unit, POLL_IN | POLL_OUT, "bytes have reached the watermark");
	reader->watermark = ~0ull;
	expect(u.unit, POLL_OUT, "a watermark beyond the ring counts as half of it");
	kit_ioctl(u.unit, SOFTPT_FINISH, NULL);
	expect(u.unit, POLL_IN | POLLHUP, "the end, with bytes below the watermark");
	while (kit_read(u.unit, bytes, sizeof(bytes)) > 0)
		;
	expect(u.unit, POLLHUP, "the end");
	kit_disable(u.session);
	kit_enable(u.session);
	expect(u.unit, POLL_OUT, "enabled again");
	munmap(reader, 4096);
	abi_close(&u);
	free(ev);
}

static void snapshot(void)
{
	struct softpt_config config = kit_config();
	struct softpt_event *ev = kit_events(19, 100);
	struct abi_unit u;

	config.mode = SOFTPT_RING_SNAPSHOT;
	u = abi_unit(&config);
	kit_enable(u.session);
	kit_write(u.unit, ev, 100 * sizeof(*ev));
	expect(u.unit, POLL_OUT, "a running snapshot");
	kit_ioctl(u.unit, SOFTPT_FREEZE, NULL);
	expect(u.unit, POLL_IN, "a frozen snapshot");
	kit_ioctl(u.unit, SOFTPT_REARM, NULL);
	expect(u.unit, POLL_OUT, "a snapshot that runs on");
	abi_close(&u);
	free(ev);
}

/* The reader makes room with a store alone: a blocked writer finds it all the same. */
static void *consume(void *arg)
{
	struct kit_map *map = arg;
	const uint8_t *bytes;

	usleep(50000);
	kit_consume(map, kit_peek(map, &bytes));
	return NULL;
}

static void room(void)
{
	struct softpt_config config = kit_config();
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE };
	struct pollfd p = { .events = POLLOUT };
	struct abi_unit u;
	struct kit_map map;
	pthread_t thread;

	config.ring = 4096;
	u = abi_unit(&config);
	if (kit_map(u.unit, config.ring, &map))
		kit_bail("map a unit");
	kit_enable(u.session);
	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	while (kit_write(u.unit, &ev, sizeof(ev)) > 0)
		ev.kind = SOFTPT_EV_PSB;
	expect(u.unit, POLL_IN, "a full ring");
	p.fd = u.unit;
	pthread_create(&thread, NULL, consume, &map);
	kit_ok(poll(&p, 1, 30000) == 1 && p.revents == POLLOUT,
	       "poll: room that was made by a store alone");
	pthread_join(thread, NULL);
	kit_is(kit_write(u.unit, &ev, sizeof(ev)), 0, "write: the room is there");
	kit_unmap(&map);
	abi_close(&u);
}

void abi_poll(void)
{
	stream();
	snapshot();
	room();
}
