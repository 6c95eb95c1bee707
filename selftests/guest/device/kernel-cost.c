// SPDX-License-Identifier: BSD-2-Clause
/*
 * A measurement: what the kernel source costs, and what ftrace does that writes the same
 * tracepoints. Under -icount a nanosecond is an instruction of the guest:
 *
 *	boot --icount -m KO -t 'build/selftests/device-kernel-cost [MTC_FREQ [ptw]]'
 *
 * ptw: switches tell of threads.
 */
#include "selftests/kit/kit.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS	10000
#define ROUNDS	2000	/* of a byte to another process and back */

#define TRACING	"/sys/kernel/tracing/"

static const char *const events[] = {
	"sched/sched_switch", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
	"irq/irq_handler_entry", "irq/irq_handler_exit", "irq_vectors/local_timer_entry",
	"irq_vectors/local_timer_exit", "exceptions/page_fault_user",
	"exceptions/page_fault_kernel", "power/cpu_idle", "power/cpu_frequency",
};

#define EVENTS	(sizeof(events) / sizeof(events[0]))

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double calls(void)
{
	double ns = -now();
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (ns + now()) / CALLS;
}

static void answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

static double rounds(void)
{
	int to[2], from[2], i;
	char byte = 0;
	double ns;

	if (pipe(to) || pipe(from))
		kit_bail("pipe");
	if (!fork()) {
		close(to[1]);
		answer(to[0], from[1]);
	}
	ns = -now();
	for (i = 0; i < ROUNDS; i++)
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			kit_bail("a pipe's other end is gone");
	ns += now();
	close(to[1]);
	close(to[0]);
	close(from[0]);
	close(from[1]);
	wait(NULL);
	return ns / ROUNDS;
}

struct cost {
	double call;
	double round;
};

static struct cost measure(void)
{
	struct cost cost;

	calls();
	cost.call = calls();
	rounds();
	cost.round = rounds();
	return cost;
}

static void put(const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		kit_bail("write %s", path);
	close(fd);
}

static void ftrace(const char *on)
{
	char file[64];
	size_t i;

	for (i = 0; i < EVENTS; i++) {
		snprintf(file, sizeof(file), "events/%s/enable", events[i]);
		put(file, on);
	}
}

static struct cost with_ftrace(void)
{
	struct cost cost;

	ftrace("1");
	cost = measure();
	ftrace("0");
	return cost;
}

static struct cost with_softpt(unsigned int mtc_freq, bool threads)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit;
	struct softpt_status status;
	struct cost cost;

	if (!threads)
		config.flags &= ~SOFTPT_F_PTW;
	config.suppress = 2;
	config.mtc_freq = mtc_freq;
	config.ring = 16 << 20;
	if (kit_configure(session, &config) || kit_source(session, SOFTPT_SOURCE_KERNEL, NULL))
		kit_bail("configure a session of the kernel source");
	unit = kit_unit(session, 0);
	if (kit_enable(session))
		kit_bail("enable a session of the kernel source");
	cost = measure();
	status = kit_status(unit);
	kit_note("%llu events, %llu bytes", (unsigned long long)status.counts.events,
		 (unsigned long long)status.counts.bytes);
	kit_ok(!status.counts.events_lost, "no event is lost");
	close(unit);
	close(session);
	close(dev);
	return cost;
}

/* A round is four system calls and two switches. */
static double of_switch(struct cost traced, struct cost plain)
{
	return (traced.round - plain.round - 4 * (traced.call - plain.call)) / 2;
}

int main(int argc, char **argv)
{
	struct cost plain, theirs, ours;
	double call, other;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	plain = measure();
	theirs = with_ftrace();
	ours = with_softpt(argc > 1 ? atoi(argv[1]) : 3, argc > 2);
	kit_note("system call: %.0f, ftrace %.0f more, softpt %.0f more", plain.call,
		 theirs.call - plain.call, ours.call - plain.call);
	kit_note("switch: ftrace %.0f more, softpt %.0f more; a round through pipes %.0f, %.0f more, %.0f more",
		 of_switch(theirs, plain), of_switch(ours, plain), plain.round,
		 theirs.round - plain.round, ours.round - plain.round);
	call = (ours.call - plain.call) / (theirs.call - plain.call);
	other = of_switch(ours, plain) / of_switch(theirs, plain);
	kit_note("a system call costs %.2f of ftrace's, a context switch %.2f", call, other);
	return kit_done();
}
