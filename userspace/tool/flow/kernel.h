/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt flow: rows of what the kernel did beside a path */
#ifndef SOFTPT_TOOL_FLOW_KERNEL_H
#define SOFTPT_TOOL_FLOW_KERNEL_H

#include <stdbool.h>

#include <softpt/flow.h>

/* Whether rows of this event are */
static inline bool kernel_is(enum softpt_flow_event event)
{
	return event == SOFTPT_FLOW_SYSCALL || event == SOFTPT_FLOW_SWITCH_OUT ||
	       event == SOFTPT_FLOW_FAULT || event == SOFTPT_FLOW_IRQ;
}

/* What a line ends with, and the members that an object has besides */
void kernel_print(const struct softpt_flow_row *row);
void kernel_print_json(const struct softpt_flow_row *row);

#endif /* SOFTPT_TOOL_FLOW_KERNEL_H */
