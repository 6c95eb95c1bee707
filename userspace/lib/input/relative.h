/* SPDX-License-Identifier: BSD-2-Clause */
/* The trigger event of a trace, which --relative counts time from */
#ifndef SOFTPT_INPUT_RELATIVE_H
#define SOFTPT_INPUT_RELATIVE_H

#include <softpt/decoder.h>
#include "input/input.h"

struct trigger_event {
	struct softpt_record rec;	/* of the first TRIG packet of all streams */
	int cpu;
	int tid;		/* of the thread whose stream it is in; or -1 */
};

/**
 * relative_find() - where TRIG packets mark a trigger event
 * @te: filled in
 * @in: the trace
 * @cfg: what it was made with; NULL: it says so itself
 *
 * Return: 0; -ENOENT: no TRIG packet marks one; -ENOMEM.
 */
int relative_find(struct trigger_event *te, const struct input *in,
		  const struct softpt_config *cfg);

#endif /* SOFTPT_INPUT_RELATIVE_H */
