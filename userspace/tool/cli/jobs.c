// SPDX-License-Identifier: BSD-2-Clause
#include <sched.h>

#include "base/number.h"
#include "jobs.h"
#include "tool.h"

/* Of a machine with more CPUs than the set has room for nothing is known. */
unsigned int jobs_here(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	n = CPU_COUNT(&set);
	return n < JOBS_MAX ? n : JOBS_MAX;
}

int choose_jobs(const struct command *cmd, const char *text, unsigned int *jobs)
{
	uint64_t n;

	if (!softpt_number_within(text, 1, JOBS_MAX, &n))
		return misuse(cmd, "--jobs %s: a number from 1 to %u", text, JOBS_MAX);
	*jobs = n;
	return 0;
}
