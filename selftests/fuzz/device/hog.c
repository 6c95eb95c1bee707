// SPDX-License-Identifier: BSD-2-Clause
/* A CPU that belongs to a real-time task: nobody else runs there, and no worker of the kernel's. */
#include "fuzz.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

static void spin(unsigned int ms)
{
	uint64_t end = milliseconds() + ms;

	while (milliseconds() < end)
		;
}

/*
 * The last CPU, for @most milliseconds at a time; between them the kernel's own threads have as
 * long at most, and a tenth of a second at least. It goes with its parent.
 */
void fuzz_be_hog(unsigned int most, uint64_t seed)
{
	struct sched_param param = { .sched_priority = 50 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(kit_cpus() - 1, &set);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	for (;;) {
		spin(1 + kit_random(&seed) % most);
		usleep(1000 * (100 + kit_random(&seed) % most));
	}
}

pid_t fuzz_begin_hog(uint64_t seed)
{
	pid_t pid = fork();

	if (!pid)
		fuzz_be_hog(500, seed);
	return pid;
}

void fuzz_end_hog(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
