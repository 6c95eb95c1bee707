/* SPDX-License-Identifier: BSD-2-Clause */
/* Time in which a thread did not execute its functions, as far as they are on its stack */
#ifndef SOFTPT_REPORT_AWAY_H
#define SOFTPT_REPORT_AWAY_H

#include "report/stack.h"

/* It was not traced, or lost, since its last row. */
void away_add(struct report_thread *t, const struct softpt_flow_time *now);
/* It has a CPU again: a row of SOFTPT_FLOW_SWITCH_IN */
void away_wait(struct report_thread *t, const struct softpt_flow_row *row);
/* A function ends: its caller was away then, too. */
void away_pass_on(struct report_frame *caller, const struct report_frame *f);

#endif /* SOFTPT_REPORT_AWAY_H */
