// SPDX-License-Identifier: BSD-2-Clause
/*
 * No test: what selftests/guest/record/system records. Two processes on CPU 0 hand a byte to and
 * fro; a line for each time: the TSC before and after, between which the CPU was given to
 * the other.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUNDS	500

static uint64_t before[ROUNDS], after[ROUNDS];

static void other(int from, int to)
{
	uint64_t tsc;
	char byte;

	while (read(from, &byte, 1) == 1) {
		tsc = __rdtsc();
		if (write(to, &tsc, sizeof(tsc)) != sizeof(tsc))
			_exit(1);
	}
	_exit(0);
}

int main(void)
{
	int to[2], from[2], i;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(to) || pipe(from))
		return 1;
	if (!fork()) {
		close(to[1]);
		other(to[0], from[1]);
	}
	for (i = 0; i < ROUNDS; i++) {
		before[i] = __rdtsc();
		if (write(to[1], "", 1) != 1 ||
		    read(from[0], &after[i], sizeof(after[i])) != sizeof(after[i]))
			return 1;
	}
	close(to[1]);
	wait(NULL);
	for (i = 0; i < ROUNDS; i++)
		printf("%" PRIu64 " %" PRIu64 "\n", before[i], after[i]);
	return 0;
}
