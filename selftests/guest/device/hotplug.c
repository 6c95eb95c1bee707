// SPDX-License-Identifier: BSD-2-Clause
/*
 * A unit that is fed from process context does not care whether its CPU is there. One of the
 * kernel's events ends with its CPU, and goes on with it. (live.c has the stepped one.)
 */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/include/softpt/softpt.h"

#define CYCLES	5

static void offline_cpu(int session)
{
	kit_ok(kit_online(1, false), "CPU 1 goes offline");
	kit_is(kit_unit(session, 1), -ENXIO, "SOFTPT_CREATE_UNIT for a CPU that is offline");
	kit_ok(kit_online(1, true), "CPU 1 comes back");
}

/* Events go on while the CPU goes and comes. */
static void through(void)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit, i;
	size_t n = 1000, length = 0;
	struct softpt_event *ev = kit_events(53, CYCLES * n);
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&config, ev, CYCLES * n, &counts);
	uint8_t *got = malloc(counts.bytes + 1);
	ssize_t ret;

	kit_configure(session, &config);
	unit = kit_unit(session, 1);
	kit_enable(session);
	for (i = 0; i < CYCLES; i++) {
		if (!kit_online(1, i & 1) ||
		    kit_write(unit, ev + i * n, n * sizeof(*ev)) != (ssize_t)(n * sizeof(*ev)))
			break;
	}
	kit_ok(i == CYCLES && kit_online(1, true), "the CPU goes and comes while events are written");
	kit_ioctl(unit, SOFTPT_FINISH, NULL);
	while (got && (ret = kit_read(unit, got + length, counts.bytes + 1 - length)) > 0)
		length += ret;
	kit_ok(length == counts.bytes && !memcmp(got, want, length), "no byte is missing");
	close(unit);
	close(session);
	close(dev);
	free(ev);
	free(want);
	free(got);
}

static uint8_t bytes[1 << 22];

/* All that can be read from a unit, from @at on in @bytes */
static size_t drain(int unit, size_t at)
{
	ssize_t n;

	while (at < sizeof(bytes) && (n = kit_read(unit, bytes + at, sizeof(bytes) - at)) > 0)
		at += n;
	return at;
}

/* Packets of a kind from byte @from on; @whole: nothing is left over */
static size_t count(int what, size_t from, size_t length, bool *whole)
{
	struct softpt_stream stream;
	struct softpt_packet packet;
	size_t n = 0;

	softpt_stream_init(&stream, bytes, length);
	while (softpt_stream_next(&stream, &packet) > 0)
		n += packet.type == what && stream.pos > bytes + from;
	*whole = stream.pos == stream.end;
	return n;
}

/* System calls on CPU 1 */
static void be_there(void)
{
	cpu_set_t set, before;
	int i;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < 200; i++)
		getppid();
	sched_setaffinity(0, sizeof(before), &before);
}

static void kernel_events(void)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit;
	size_t before, length;
	bool whole;

	config.ring = 1 << 21;
	config.flags |= SOFTPT_F_PGE_TSC;
	if (kit_configure(session, &config) || kit_source(session, SOFTPT_SOURCE_KERNEL, NULL)) {
		kit_ok(true, "kernel events # SKIP this kernel does not tell them");
		return;
	}
	unit = kit_unit(session, 1);
	fcntl(unit, F_SETFL, O_NONBLOCK);
	kit_is(kit_enable(session), 0, "the kernel's events on CPU 1");
	be_there();
	kit_ok(kit_online(1, false), "CPU 1 goes offline");
	kit_ok(kit_status(unit).flags & SOFTPT_ST_DONE, "its unit has ended");
	before = drain(unit, 0);
	kit_ok(count(SOFTPT_PKT_TIP_PGD, 0, before, &whole) && whole && before > 1000,
	       "its %zu bytes are whole packets", before);
	kit_ok(kit_online(1, true), "CPU 1 comes back");
	kit_ok((kit_status(unit).flags & (SOFTPT_ST_DONE | SOFTPT_ST_ENABLED)) ==
	       SOFTPT_ST_ENABLED, "its unit goes on");
	be_there();
	kit_is(kit_disable(session), 0, "the session is disabled");
	length = drain(unit, before);
	kit_ok(count(SOFTPT_PKT_TIP_PGE, before, length, &whole) && whole &&
	       count(SOFTPT_PKT_TSC, before, length, &whole) &&
	       count(SOFTPT_PKT_TIP, before, length, &whole) > 200,
	       "it has %zu bytes more, from a TIP.PGE with its TSC on", length - before);
	close(unit);
	close(session);
	close(dev);
}

int main(void)
{
	int dev = kit_open(), session = kit_session(dev);

	if (kit_cpus() < 2)
		kit_bail("hotplug needs two CPUs");
	offline_cpu(session);
	close(session);
	close(dev);
	through();
	kernel_events();
	return kit_done();
}
