// SPDX-License-Identifier: BSD-2-Clause
/* The module stays as long as anything of it is open, and leaves nothing behind. */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long remove_module(void)
{
	return syscall(SYS_delete_module, "softpt", O_NONBLOCK) ? -errno : 0;
}

static int references(void)
{
	FILE *f = fopen("/sys/module/softpt/refcnt", "r");
	int n = -1;

	if (f) {
		if (fscanf(f, "%d", &n) != 1)
			n = -1;
		fclose(f);
	}
	return n;
}

/* Of a task; @type: < 0: there is none */
static int open_event(int type, uint64_t config, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .config = config, .exclude_kernel = 1,
		.disabled = 1, .sample_period = type == PERF_TYPE_SOFTWARE ? 0 : 1,
	};

	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int pmu_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/softpt_pt/type", "r");
	int type = -1;

	if (f) {
		if (fscanf(f, "%d", &type) != 1)
			type = -1;
		fclose(f);
	}
	return type;
}

/* Stopped, so that nobody schedules it until it is continued */
static pid_t start_stopped(void)
{
	pid_t pid = fork();

	if (!pid) {
		raise(SIGSTOP);
		for (;;)
			usleep(1000);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

/*
 * A task outlives an event of ours, and the module. While there is any event at all the scheduler
 * looks into the contexts of tasks, in which nothing of the module may be left.
 */
static void test_event(void)
{
	int type = pmu_type(), other, event;
	pid_t pid;

	if (!kit_ok(type >= 0, "there is the PMU"))
		return;
	pid = start_stopped();
	other = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
	event = open_event(type, 1 << 0 | 1 << 10 | 1 << 13, pid);
	kit_ok(other >= 0 && event >= 0, "an event of a task that is stopped");
	kit_is(remove_module(), -EAGAIN, "the module is not removed with the event open");
	close(event);
	usleep(100000);
	kit_is(remove_module(), 0, "but behind it");
	kill(pid, SIGCONT);
	usleep(300000);
	kit_ok(!waitpid(pid, NULL, WNOHANG), "and the task goes on");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(other);
}

int main(void)
{
	int dev = kit_open(), session, unit;
	void *page;

	kit_is(remove_module(), -EAGAIN, "the module is not removed with the device open");
	session = kit_session(dev);
	close(dev);
	kit_is(remove_module(), -EAGAIN, "nor with a session open");
	unit = kit_unit(session, 0);
	kit_is(unit, 0, "a unit is made");
	close(session);
	kit_is(remove_module(), -EAGAIN, "nor with a unit open");
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, unit, 0);
	kit_ok(page != MAP_FAILED, "a unit is mapped");
	close(unit);
	kit_is(remove_module(), -EAGAIN, "nor with a unit mapped");
	munmap(page, 4096);
	kit_ok(!references(), "nothing holds it when all is closed");
	test_event();
	return kit_done();
}
