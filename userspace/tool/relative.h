/* SPDX-License-Identifier: BSD-2-Clause */
/* The trigger event of a trace, which --relative counts time from */
#ifndef SOFTPT_TOOL_RELATIVE_H
#define SOFTPT_TOOL_RELATIVE_H

#include "softpt-decoder.h"
#include "input.h"

struct trigger_event {
	struct softpt_record rec;	/* of the first TRIG packet of all streams */
	int cpu;
};

/**
 * relative_find() - where TRIG packets mark a trigger event
 * @te: filled in
 * @in: the trace
 * @cfg: what it was made with; NULL: it says so itself
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int relative_find(struct trigger_event *te, const struct input *in,
		  const struct softpt_config *cfg);

#endif /* SOFTPT_TOOL_RELATIVE_H */
