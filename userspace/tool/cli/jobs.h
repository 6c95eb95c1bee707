/* SPDX-License-Identifier: BSD-2-Clause */
/* --jobs: how many threads do the work */
#ifndef SOFTPT_TOOL_JOBS_H
#define SOFTPT_TOOL_JOBS_H

#include <stdint.h>

struct command;

#define JOBS_MAX	256

/* What --jobs says. Return: 0 or EXIT_USAGE, which was told */
int choose_jobs(const struct command *cmd, const char *text, unsigned int *jobs);

#endif /* SOFTPT_TOOL_JOBS_H */
