/* SPDX-License-Identifier: BSD-2-Clause */
/* A stepped session with a unit of two CPUs, and this program again as what is stepped */
#ifndef SOFTPT_SELFTESTS_DEVICE_LIVE_H
#define SOFTPT_SELFTESTS_DEVICE_LIVE_H

#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "userspace/include/softpt/softpt.h"

#define CPUS	2

static int dev, session, units[CPUS];

static inline void begin_with(unsigned int ring, unsigned int mode, unsigned int truth,
			      unsigned int flags)
{
	struct softpt_config config = kit_config();
	int i;

	config.flags &= ~SOFTPT_F_OS;
	config.flags |= SOFTPT_F_PGE_TSC | flags;
	config.ring = ring;
	config.mode = mode;
	config.truth = truth;
	dev = kit_open();
	session = kit_session(dev);
	if (kit_configure(session, &config) || kit_source(session, SOFTPT_SOURCE_STEP, NULL))
		kit_bail("configure a stepped session");
	for (i = 0; i < CPUS; i++) {
		units[i] = kit_unit(session, i);
		fcntl(units[i], F_SETFL, O_NONBLOCK);
	}
	if (kit_enable(session))
		kit_bail("enable a stepped session");
}

static inline void begin(unsigned int ring, unsigned int mode)
{
	begin_with(ring, mode, 0, 0);
}

static inline void end(void)
{
	int i;

	for (i = 0; i < CPUS; i++)
		close(units[i]);
	close(session);
	close(dev);
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* This program again, stepped, on a CPU: it runs @loops times round, 0 for ever. */
static inline pid_t spin(int cpu, const char *loops)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	pin(cpu);
	if (kit_ioctl(session, SOFTPT_ARM_EXEC, NULL))
		_exit(100);
	execl("/proc/self/exe", "live", "spin", loops, NULL);
	_exit(101);
}

static inline int spinner(unsigned long loops)
{
	volatile unsigned long i = 0, odd = 0;

	while (!loops || i < loops) {
		if (i++ & 1)
			odd++;
	}
	return odd == loops / 2 ? 42 : 1;
}

/* Waits for a unit's flags or for more than so many lost events or bytes: up to ten seconds */
static inline bool wait_for(int unit, unsigned int flags, uint64_t lost, uint64_t bytes)
{
	int i;

	for (i = 0; i < 6000; i++) {
		struct softpt_status s = kit_status(unit);

		if ((s.flags & flags) == flags && s.counts.events_lost >= lost &&
		    s.head >= bytes)
			return true;
		usleep(10000);
	}
	return false;
}

static uint8_t bytes[1 << 22];

/* All that can be read from a unit, from @at on in @bytes */
static inline size_t drain(int unit, size_t at)
{
	ssize_t n;

	while (at < sizeof(bytes) && (n = kit_read(unit, bytes + at, sizeof(bytes) - at)) > 0)
		at += n;
	return at;
}

struct seen {
	size_t ovf;
	size_t packets;
	bool whole;
};

static inline struct seen look(size_t length)
{
	struct softpt_stream stream;
	struct softpt_packet packet;
	struct seen seen = { 0 };

	softpt_stream_init(&stream, bytes, length);
	if (softpt_sync_forward(&stream, 0, NULL))
		return seen;
	while (softpt_stream_next(&stream, &packet) > 0) {
		seen.packets++;
		seen.ovf += packet.type == SOFTPT_PKT_OVF;
	}
	seen.whole = stream.pos == stream.end;
	return seen;
}

static inline int poll_now(int unit)
{
	struct pollfd p = { .fd = unit, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

static inline bool can_step(void)
{
	struct softpt_caps caps = { .size = sizeof(caps) };

	dev = kit_open();
	kit_ioctl(dev, SOFTPT_GET_CAPS, &caps);
	close(dev);
	return caps.sources & 1 << SOFTPT_SOURCE_STEP;
}

#endif
