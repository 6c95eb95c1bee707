/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel did beside the path of the threads that it did it for */
#ifndef SOFTPT_FLOW_KERNEL_TELL_H
#define SOFTPT_FLOW_KERNEL_TELL_H

#include "flow/lane.h"

/* The thread of @l leaves user mode, or is back. */
void kernel_tell_leave(struct flow_lanes *w, const struct flow_lane *l);
void kernel_tell_back(struct flow_lanes *w, const struct flow_lane *l);

/* The event of @l, of a CPU's lane */
void kernel_tell(struct flow_lanes *w, struct flow_lane *l);

#endif /* SOFTPT_FLOW_KERNEL_TELL_H */
