// SPDX-License-Identifier: BSD-2-Clause
/*
 * Live units: a stepped process does not wait. Full rings, frozen snapshots, CPUs that go,
 * deaths on either side: what is in the ring is whole packets, and losses are told.
 */
#include "../kit/kit.h"

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

#include "../../userspace/lib/softpt.h"

#define CPUS	2

static int dev, session, units[CPUS];

static void begin_told(unsigned int ring, unsigned int mode, unsigned int truth)
{
	struct softpt_config config = kit_config();
	int i;

	config.flags &= ~SOFTPT_F_OS;
	config.flags |= SOFTPT_F_PGE_TSC;
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

static void begin(unsigned int ring, unsigned int mode)
{
	begin_told(ring, mode, 0);
}

static void end(void)
{
	int i;

	for (i = 0; i < CPUS; i++)
		close(units[i]);
	close(session);
	close(dev);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* This program again, stepped, on a CPU: it runs @loops times round, 0 for ever. */
static pid_t spin(int cpu, const char *loops)
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

static int spinner(unsigned long loops)
{
	volatile unsigned long i = 0, odd = 0;

	while (!loops || i < loops) {
		if (i++ & 1)
			odd++;
	}
	return odd == loops / 2 ? 42 : 1;
}

/* Waits for a unit's flags or for more than so many lost events or bytes: up to ten seconds */
static bool wait_for(int unit, unsigned int flags, uint64_t lost, uint64_t bytes)
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
static size_t drain(int unit, size_t at)
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

static struct seen look(size_t length)
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

static int poll_now(int unit)
{
	struct pollfd p = { .fd = unit, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

static void full_ring(void)
{
	struct softpt_status status;
	struct seen seen;
	size_t length;
	pid_t pid;

	begin(4096, SOFTPT_RING_STREAM);
	pid = spin(0, "0");
	kit_ok(wait_for(units[0], SOFTPT_ST_LOST, 1000, 1), "a full ring loses events");
	length = drain(units[0], 0);
	seen = look(length);
	kit_ok(seen.whole && seen.packets > 10 && length > 4096 / 2,
	       "the %zu bytes before the loss are whole packets", length);
	kit_ok(wait_for(units[0], 0, 0, length + 1000), "it goes on when there is room");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	kit_ok(wait_for(units[0], SOFTPT_ST_DONE, 0, 0), "its process is killed: the end");
	kit_ok(kit_status(units[0]).exit_code == SIGKILL, "status tells of what it died");
	length = drain(units[0], length);
	seen = look(length);
	status = kit_status(units[0]);
	kit_ok(seen.whole && seen.ovf == status.counts.overflows && seen.ovf,
	       "%zu OVF packets tell of the losses, as many as were counted", seen.ovf);
	end();
}

static void latched_loss(void)
{
	struct softpt_status status = { .size = sizeof(status) };
	int i, got = 0;
	pid_t pid;

	begin(4096, SOFTPT_RING_STREAM);
	pid = spin(0, "0");
	for (i = 0; i < 6000 && !(got & POLLERR); i++) {
		usleep(10000);
		got = poll_now(units[0]);
	}
	kit_ok(got & POLLERR, "poll: a loss");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 6000 && !(poll_now(units[0]) & POLLHUP); i++)
		usleep(10000);
	kit_ok((poll_now(units[0]) & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP),
	       "poll: the loss is latched");
	kit_status(units[0]);
	kit_ok(!(poll_now(units[0]) & POLLERR), "poll: SOFTPT_GET_STATUS has told of it");
	end();
}

static void frozen(void)
{
	int i, good = 0;
	pid_t pid;

	begin(16384, SOFTPT_RING_SNAPSHOT);
	pid = spin(1, "0");
	kit_ok(wait_for(units[1], 0, 0, 100000), "a snapshot runs past its size");
	for (i = 0; i < 20; i++) {
		struct seen seen;
		size_t length;

		kit_ioctl(units[1], SOFTPT_FREEZE, NULL);
		length = drain(units[1], 0);
		seen = look(length);
		good += seen.whole && seen.packets > 10 && length <= 16384;
		kit_ioctl(units[1], SOFTPT_REARM, NULL);
		wait_for(units[1], 0, 0, kit_status(units[1]).head + 30000);
	}
	kit_ok(good == 20, "%d of 20 freezes in full flight can be decoded", good);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	end();
}

static void cpu_goes(void)
{
	struct softpt_status status;
	struct seen seen;
	size_t length;
	pid_t pid;

	begin(1 << 20, SOFTPT_RING_STREAM);
	pid = spin(1, "0");
	kit_ok(wait_for(units[1], 0, 0, 1000), "a process is stepped on CPU 1");
	kit_ok(kit_online(1, false), "CPU 1 goes offline");
	status = kit_status(units[1]);
	kit_ok((status.flags & (SOFTPT_ST_DONE | SOFTPT_ST_ENABLED)) == SOFTPT_ST_DONE,
	       "its unit has ended");
	kit_is(kit_ioctl(units[1], SOFTPT_PSB, NULL), -EBADFD, "and takes nothing");
	length = drain(units[1], 0);
	seen = look(length);
	kit_ok(length == status.head && seen.whole, "its %zu bytes are readable and whole", length);
	kit_ok(wait_for(units[0], 0, 0, 1000), "the process is stepped on CPU 0 instead");
	kit_is(kit_disable(session), 0, "the session is disabled while the CPU is gone");
	kit_is(kit_enable(session), -ENXIO, "and cannot be enabled without it");
	kit_ok(kit_online(1, true), "CPU 1 comes back");
	kit_is(kit_enable(session), 0, "and the session can be enabled again");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	end();
}

/* Whoever recorded is gone: the process goes on as if nothing had been. */
static void recorder_goes(void)
{
	int status = 0;
	pid_t pid;

	begin(1 << 20, SOFTPT_RING_STREAM);
	pid = spin(0, "300000");
	kit_ok(wait_for(units[0], 0, 0, 1000), "a process is stepped");
	end();
	if (!kit_ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		    WEXITSTATUS(status) == 42, "it ends well although its recorder went away"))
		kit_note("wait status 0x%x", status);
}

/* Truth that nobody takes away does not wake who waits for many packets. */
static void quiet_reader(void)
{
	struct kit_sleeper sleeper;
	struct kit_map map;
	pid_t pid;

	begin_told(1 << 20, SOFTPT_RING_STREAM, 1 << 20);
	if (kit_map(units[0], 1 << 20, &map))
		kit_bail("map the packets");
	map.reader->watermark = 1 << 19;
	pin(1);
	kit_sleep(&sleeper, units[0], POLLIN);
	pid = spin(0, "20000");
	waitpid(pid, NULL, 0);
	kit_woken(&sleeper);
	if (!kit_ok(sleeper.got && sleeper.slept <= 2,
		    "who waits for packets is not woken by the truth"))
		kit_note("got 0x%x, slept %ld times", sleeper.got, sleeper.slept);
	kit_unmap(&map);
	end();
}

int main(int argc, char **argv)
{
	struct softpt_caps caps = { .size = sizeof(caps) };

	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spinner(strtoul(argv[2], NULL, 0));
	dev = kit_open();
	kit_ioctl(dev, SOFTPT_GET_CAPS, &caps);
	close(dev);
	if (!(caps.sources & 1 << SOFTPT_SOURCE_STEP)) {
		kit_ok(true, "live units # SKIP this kernel cannot step");
		return kit_done();
	}
	full_ring();
	latched_loss();
	frozen();
	cpu_goes();
	recorder_goes();
	quiet_reader();
	return kit_done();
}
