/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions of a recording cost, for programs that show profiles */
#ifndef SOFTPT_EXPORT_PROFILE_H
#define SOFTPT_EXPORT_PROFILE_H

#include <stdio.h>

#include "export/export.h"
#include "report/report.h"

/**
 * struct profile - a report on its way into a file
 * @report: by function
 * @path: of the recording
 * @to: the file
 * @stack: links from the first function of a thread down to one, for profile_stack()
 */
struct profile {
	struct report *report;
	const char *path;
	FILE *to;
	uint32_t *stack;
};

/* Writes all of @p->report. Return: 0 or -ENOMEM; errors of @p->to are found behind it */
typedef int (*profile_fn)(const struct profile *p);

/**
 * profile_export() - walk a recording, and write what its functions cost
 * @e: where to
 * @streams: of one file
 * @nr: how many
 * @links: what is kept of who called whom
 * @write: in the other program's format
 *
 * Return: 0; -EILSEQ: a part of the path is lost, and the rest is in the file; -errno. @e->errors
 * was told of each.
 */
int profile_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		   enum report_links links, profile_fn write);

/* How a node of the tree came to be called: @p->stack, the outermost first. Return: how many */
size_t profile_stack(const struct profile *p, size_t node);
/* The name of a group. Return: @buf, of REPORT_NAME_MAX bytes */
const char *profile_name(const struct profile *p, size_t group, char *buf);

#endif /* SOFTPT_EXPORT_PROFILE_H */
