/* SPDX-License-Identifier: BSD-2-Clause */
/* How a recording gets on: a line on a terminal that is not the program's */
#ifndef SOFTPT_TOOL_RECORD_RATE_H
#define SOFTPT_TOOL_RECORD_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t began_ms;
	uint64_t next_ms;
	uint64_t branches;	/* at the last line */
	bool shown;
};

/* It is time for a line, and there is where it may go. */
bool rate_is_due(struct rate *r);
/* A line: how long it has taken, branches and how many a second, bytes */
void rate_show(struct rate *r, uint64_t branches, uint64_t bytes);
/* The line goes. */
void rate_end(struct rate *r);

#endif /* SOFTPT_TOOL_RECORD_RATE_H */
