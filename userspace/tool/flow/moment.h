/* SPDX-License-Identifier: BSD-2-Clause */
/* What TIME says: a TSC, or after a + what the first column of the text has */
#ifndef SOFTPT_TOOL_FLOW_MOMENT_H
#define SOFTPT_TOOL_FLOW_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "print.h"

struct moment {
	bool given;
	bool relative;
	uint64_t tsc;
	double after;		/* in the unit of the first column */
};

/* Return: false: no time */
bool moment_parse(struct moment *m, const char *text);
/* The first TSC of it, and the last: the unit may be of several. The printer knows the begin. */
uint64_t moment_first(const struct moment *m, const struct flow_printer *f);
uint64_t moment_last(const struct moment *m, const struct flow_printer *f);

#endif /* SOFTPT_TOOL_FLOW_MOMENT_H */
