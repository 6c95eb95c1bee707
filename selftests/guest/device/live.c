// SPDX-License-Identifier: BSD-2-Clause
/*
 * Live units: a stepped process does not wait. Full rings, frozen snapshots, CPUs that go,
 * deaths on either side: what is in the ring is whole packets, and losses are told.
 */
#include "live.h"

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

/* Not when half of the ring is free, but when there is room for what that writes. */
static void soon(void)
{
	struct kit_map map;
	uint64_t head;
	pid_t pid;

	begin(1 << 18, SOFTPT_RING_STREAM);
	if (kit_map(units[0], 1 << 18, &map))
		kit_bail("map the packets");
	pid = spin(0, "0");
	kit_ok(wait_for(units[0], SOFTPT_ST_LOST, 1000, 1), "a large ring is full");
	head = kit_status(units[0]).head;
	kit_consume(&map, 2048);
	usleep(200000);
	kit_ok(kit_status(units[0]).head == head, "2 KiB of it are read: nothing more is written");
	kit_consume(&map, 6144);
	kit_ok(wait_for(units[0], 0, 0, head + 1000), "8 KiB of it are read: it goes on");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	kit_unmap(&map);
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

/* A CPU goes and comes back while the session is enabled. */
static void cpu_returns(void)
{
	struct softpt_status status;
	struct seen seen;
	cpu_set_t set;
	size_t length;
	uint64_t head;
	pid_t pid;

	begin(1 << 20, SOFTPT_RING_STREAM);
	pid = spin(1, "0");
	kit_ok(wait_for(units[1], 0, 0, 1000), "a process is stepped on CPU 1");
	kit_ok(kit_online(1, false), "CPU 1 goes offline");
	head = kit_status(units[1]).head;
	kit_ok(kit_online(1, true), "CPU 1 comes back");
	status = kit_status(units[1]);
	kit_ok((status.flags & (SOFTPT_ST_DONE | SOFTPT_ST_ENABLED)) == SOFTPT_ST_ENABLED,
	       "its unit goes on");
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(pid, sizeof(set), &set);
	kit_ok(wait_for(units[1], 0, 0, head + 1000), "the process is stepped there again");
	kit_is(kit_ioctl(units[1], SOFTPT_PSB, NULL), 0, "and the unit takes what is asked of it");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	kit_ok(wait_for(units[1], SOFTPT_ST_DONE, 0, 0), "its process is killed: the end");
	length = drain(units[1], 0);
	seen = look(length);
	status = kit_status(units[1]);
	kit_ok(length == status.head && seen.whole && seen.packets > 100 &&
	       !status.counts.events_lost,
	       "its %zu bytes from before and after are readable and whole", length);
	kit_ok(kit_online(1, false) && kit_online(1, true), "CPU 1 goes and comes once more");
	kit_ok(kit_status(units[1]).flags & SOFTPT_ST_DONE, "a unit whose source has ended does not");
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

	begin_with(1 << 20, SOFTPT_RING_STREAM, 1 << 20, 0);
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
	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spinner(strtoul(argv[2], NULL, 0));
	if (!can_step()) {
		kit_ok(true, "live units # SKIP this kernel cannot step");
		return kit_done();
	}
	full_ring();
	soon();
	latched_loss();
	frozen();
	cpu_goes();
	cpu_returns();
	recorder_goes();
	quiet_reader();
	return kit_done();
}
