// SPDX-License-Identifier: BSD-2-Clause
/* poll(): IN from the watermark on or with a frozen snapshot, OUT with room, HUP at the end */
#include "abi.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define READABLE	(POLLIN | POLLRDNORM)
#define WRITABLE	(POLLOUT | POLLWRNORM)

static int events(int fd)
{
	struct pollfd p = { .fd = fd, .events = READABLE | WRITABLE };

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
	expect(u.unit, WRITABLE, "enabled, with room");
	kit_write(u.unit, ev, 10 * sizeof(*ev));
	expect(u.unit, READABLE | WRITABLE, "bytes are there");
	reader->watermark = 2048;
	expect(u.unit, WRITABLE, "bytes are below the watermark");
	kit_write(u.unit, ev + 10, 1990 * sizeof(*ev));
	expect(u.unit, READABLE | WRITABLE, "bytes have reached the watermark");
	reader->watermark = ~0ull;
	expect(u.unit, WRITABLE, "a watermark beyond the ring counts as half of it");
	kit_ioctl(u.unit, SOFTPT_FINISH, NULL);
	expect(u.unit, READABLE | POLLHUP, "the end, with bytes below the watermark");
	while (kit_read(u.unit, bytes, sizeof(bytes)) > 0)
		;
	expect(u.unit, POLLHUP, "the end");
	kit_disable(u.session);
	kit_enable(u.session);
	expect(u.unit, WRITABLE, "enabled again");
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
	expect(u.unit, WRITABLE, "a running snapshot");
	kit_ioctl(u.unit, SOFTPT_FREEZE, NULL);
	expect(u.unit, READABLE, "a frozen snapshot");
	kit_ioctl(u.unit, SOFTPT_REARM, NULL);
	expect(u.unit, WRITABLE, "a snapshot that runs on");
	abi_close(&u);
	free(ev);
}

/*
 * The reader makes room with a store alone: a blocked writer finds it all the same.
 * A process, not a thread: a 32-bit pthread_join() may call the old futex(), which a
 * kernel without CONFIG_COMPAT_32BIT_TIME does not have.
 */
static pid_t consume(struct kit_map *map)
{
	pid_t pid = fork();
	const uint8_t *bytes;

	if (pid)
		return pid;
	usleep(50000);
	kit_consume(map, kit_peek(map, &bytes));
	_exit(0);
}

static void room(void)
{
	struct softpt_config config = kit_config();
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE };
	struct pollfd p = { .events = POLLOUT };
	struct abi_unit u;
	struct kit_map map;
	pid_t reader;

	config.ring = 4096;
	u = abi_unit(&config);
	if (kit_map(u.unit, config.ring, &map))
		kit_bail("map a unit");
	kit_enable(u.session);
	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	while (kit_write(u.unit, &ev, sizeof(ev)) > 0)
		ev.kind = SOFTPT_EV_PSB;
	expect(u.unit, READABLE, "a full ring");
	p.fd = u.unit;
	reader = consume(&map);
	if (reader < 0)
		kit_bail("fork");
	kit_ok(poll(&p, 1, 30000) == 1 && p.revents == POLLOUT,
	       "poll: room that was made by a store alone");
	waitpid(reader, NULL, 0);
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
