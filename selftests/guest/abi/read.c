// SPDX-License-Identifier: BSD-2-Clause
/* read(): the plain bytes of a unit that is not mapped */
#include "abi.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

static void on_alarm(int sig)
{
	(void)sig;
}

/* A blocked read() is left on a signal, at the latest by the timer's next. */
static long interrupted_read(int unit)
{
	struct itimerval timer = { { 0, 50000 }, { 0, 50000 } }, off = { 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	char byte;
	long ret;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	ret = kit_read(unit, &byte, 1);
	setitimer(ITIMER_REAL, &off, NULL);
	return ret;
}

static void bytes(void)
{
	struct softpt_config config = kit_config();
	struct softpt_event *ev = kit_events(11, 1000);
	struct abi_unit u = abi_unit(NULL);
	static uint8_t got[65536];
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&config, ev, 1000, &counts);

	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	kit_is(kit_read(u.unit, got, 1), -EAGAIN, "read: nothing there, O_NONBLOCK");
	fcntl(u.unit, F_SETFL, 0);
	kit_is(interrupted_read(u.unit), -EINTR, "read: nothing there, a signal");
	kit_enable(u.session);
	kit_write(u.unit, ev, 1000 * sizeof(*ev));
	kit_is(kit_read(u.unit, NULL, 1), -EFAULT, "read: to nowhere");
	kit_ok(!kit_read(u.unit, got, 0), "read: nothing wanted");
	kit_ok(kit_read(u.unit, got, 1) == 1, "read: a byte");
	kit_ioctl(u.unit, SOFTPT_FINISH, NULL);
	kit_ok(kit_read(u.unit, got + 1, sizeof(got) - 1) == (ssize_t)counts.bytes - 1 &&
	       !memcmp(got, want, counts.bytes), "read: the rest, as the engine wrote it");
	kit_ok(!kit_read(u.unit, got, 1), "read: the end");
	kit_ok(!kit_read(u.unit, got, 1), "read: the end, again");
	abi_close(&u);
	free(want);
	free(ev);
}

static void mapped(void)
{
	struct softpt_config config = kit_config();
	struct abi_unit u = abi_unit(NULL);
	struct kit_map map;
	void *reader = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, u.unit, 0);
	char byte;

	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	kit_is(kit_read(u.unit, &byte, 1), -EAGAIN, "read: with page 0 mapped");
	if (reader == MAP_FAILED || kit_map(u.unit, config.ring, &map))
		kit_bail("map a unit");
	kit_is(kit_read(u.unit, &byte, 1), -EBUSY, "read: with the data mapped");
	kit_unmap(&map);
	kit_is(kit_read(u.unit, &byte, 1), -EBUSY, "read: once the data was mapped");
	kit_is(kit_read(u.session, &byte, 1), -EINVAL, "read: from a session");
	kit_is(kit_read(u.dev, &byte, 1), -EINVAL, "read: from the device");
	munmap(reader, 4096);
	abi_close(&u);
}

/* A tail that makes no sense: full for the writer, nothing for the reader */
static void garbage(void)
{
	static const uint64_t tails[] = { ~0ull, 1ull << 63, 1 << 20 };
	struct abi_unit u = abi_unit(NULL);
	struct softpt_reader *reader = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
					    u.unit, 0);
	struct softpt_event *ev = kit_events(13, 10);
	char byte;
	size_t i;

	if (reader == MAP_FAILED)
		kit_bail("map page 0");
	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	kit_enable(u.session);
	kit_write(u.unit, ev, 2 * sizeof(*ev));
	for (i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		reader->tail = tails[i];
		kit_is(kit_read(u.unit, &byte, 1), -EAGAIN, "read: tail is 0x%llx",
		       (unsigned long long)tails[i]);
		kit_is(kit_write(u.unit, ev + 2, sizeof(*ev)), -EAGAIN, "write: tail is 0x%llx",
		       (unsigned long long)tails[i]);
	}
	reader->tail = 0;
	kit_is(kit_write(u.unit, ev + 2, sizeof(*ev)), 0, "write: tail is sensible again");
	kit_is(kit_read(u.unit, &byte, 1), 0, "read: tail is sensible again");
	munmap(reader, 4096);
	abi_close(&u);
	free(ev);
}

void abi_read(void)
{
	bytes();
	mapped();
	garbage();
}
