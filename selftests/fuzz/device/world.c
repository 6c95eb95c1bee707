// SPDX-License-Identifier: BSD-2-Clause
/* Descriptors, areas and processes that all threads share, and take from each other */
#include "fuzz.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS	4
#define TARGETS	4
#define AREAS	8

static atomic_int fds[FUZZ_KINDS][SLOTS];
static _Atomic pid_t targets[TARGETS];
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;

static struct fuzz_area areas[AREAS];

int fuzz_get(enum fuzz_kind kind, unsigned int slot)
{
	return fds[kind][slot % SLOTS];
}

void fuzz_put(enum fuzz_kind kind, unsigned int slot, int fd)
{
	int old = atomic_exchange(&fds[kind][slot % SLOTS], fd);

	if (old >= 0)
		close(old);
}

static struct fuzz_area swap_area(unsigned int slot, struct fuzz_area area)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct fuzz_area old;

	pthread_mutex_lock(&lock);
	old = areas[slot % AREAS];
	areas[slot % AREAS] = area;
	pthread_mutex_unlock(&lock);
	return old;
}

struct fuzz_area fuzz_take_area(unsigned int slot)
{
	return swap_area(slot, (struct fuzz_area){ 0 });
}

void fuzz_put_area(unsigned int slot, struct fuzz_area area)
{
	struct fuzz_area old = swap_area(slot, area);

	if (old.base)
		munmap(old.base, old.size);
}

/* System calls, children and now and then another program: what probes and stepping see */
void fuzz_be_target(const char *program)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < 1000; i++) {
		usleep(5000);
		if (i % 100 != 99)
			continue;
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	execl(program, program, "--target", NULL);
	_exit(1);
}

/* fork() would copy all that the threads have, and they could map nothing meanwhile. */
static void begin_target(unsigned int slot, int session)
{
	pid_t pid = vfork();

	if (!pid) {
		kit_ioctl(session, SOFTPT_ARM_EXEC, NULL);
		execl("/proc/self/exe", "fuzz-target", "--target", NULL);
		_exit(1);
	}
	targets[slot] = pid;
}

/* Signals come often here. */
static void end_target(unsigned int slot)
{
	if (targets[slot] <= 0)
		return;
	kill(targets[slot], SIGKILL);
	while (waitpid(targets[slot], NULL, 0) < 0 && errno == EINTR)
		;
}

pid_t fuzz_target(unsigned int slot)
{
	return targets[slot % TARGETS];
}

long fuzz_kill(unsigned int slot, int session)
{
	pid_t pid;

	slot %= TARGETS;
	pthread_mutex_lock(&forking);
	end_target(slot);
	begin_target(slot, session);
	pid = targets[slot];
	pthread_mutex_unlock(&forking);
	return pid;
}

unsigned int fuzz_pmu_type(void)
{
	static atomic_uint type;
	unsigned int n = type;
	FILE *f;

	if (n)
		return n;
	f = fopen("/sys/bus/event_source/devices/softpt_pt/type", "r");
	if (f && fscanf(f, "%u", &n) == 1)
		type = n;
	if (f)
		fclose(f);
	return n;
}

long fuzz_hold(bool on)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = fuzz_pmu_type(), .config = 1, .sample_period = 1,
		.exclude_kernel = 1, .disabled = 1,
	};
	static atomic_int holder = -1;
	int fd = -1, old;

	if (on)
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	old = atomic_exchange(&holder, fd);
	if (old >= 0)
		close(old);
	return on && fd < 0 ? -errno : 0;
}

void fuzz_world_begin(void)
{
	unsigned int i, k;

	for (k = 0; k < FUZZ_KINDS; k++)
		for (i = 0; i < SLOTS; i++)
			fds[k][i] = -1;
	for (i = 0; i < TARGETS; i++)
		begin_target(i, -1);
	fuzz_hold(true);
}

void fuzz_world_end(void)
{
	unsigned int i, k;

	for (k = 0; k < FUZZ_KINDS; k++)
		for (i = 0; i < SLOTS; i++)
			fuzz_put(k, i, -1);
	for (i = 0; i < AREAS; i++)
		fuzz_put_area(i, (struct fuzz_area){ 0 });
	for (i = 0; i < TARGETS; i++)
		end_target(i);
	fuzz_hold(false);
}
