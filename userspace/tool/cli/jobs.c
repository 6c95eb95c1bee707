// SPDX-License-Identifier: BSD-2-Clause
#include "base/number.h"
#include "jobs.h"
#include "tool.h"

int choose_jobs(const struct command *cmd, const char *text, unsigned int *jobs)
{
	uint64_t n;

	if (!softpt_number_within(text, 1, JOBS_MAX, &n))
		return misuse(cmd, "--jobs %s: a number from 1 to %u", text, JOBS_MAX);
	*jobs = n;
	return 0;
}
