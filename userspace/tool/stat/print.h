/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt stat: a program's events, counted */
#ifndef SOFTPT_TOOL_STAT_PRINT_H
#define SOFTPT_TOOL_STAT_PRINT_H

#include <sys/resource.h>
#include <sys/types.h>

#include "job.h"

/* When and whose; @seconds below 0, @thread NULL: that is not told */
struct stat_place {
	double seconds;
	const char *thread;
};

/* Where it is told. Return: 0, or EXIT_REFUSED after a message */
int stat_open(struct stat *s);
int stat_close(struct stat *s);

void stat_print_begin(const struct stat *s);
/* A row for each event; @values: in their order */
void stat_print(const struct stat *s, const struct stat_place *at, const uint64_t *values);
/* @usage: of the program; NULL: not known */
void stat_print_end(const struct stat *s, double elapsed, const struct rusage *usage);

#endif /* SOFTPT_TOOL_STAT_PRINT_H */
