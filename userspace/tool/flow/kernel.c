// SPDX-License-Identifier: BSD-2-Clause
#include "kernel.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "../cli/tool.h"
#include "flow/kernel/names.h"

/* Return: NULL: it has none here */
static const char *name_of(const struct softpt_flow_row *row)
{
	if (row->event == SOFTPT_FLOW_SYSCALL)
		return kernel_call_name(row->value);
	if (row->event == SOFTPT_FLOW_SWITCH_OUT)
		return kernel_left_name(row->value);
	return NULL;
}

void kernel_print(const struct softpt_flow_row *row)
{
	const char *name = name_of(row);

	fputs(colour(stdout, COLOUR_DIM), stdout);
	if (row->event == SOFTPT_FLOW_SYSCALL)
		printf("[system call %" PRIu64 "%s%s]", row->value, name ? " " : "",
		       name ? name : "");
	else if (row->event == SOFTPT_FLOW_SWITCH_OUT)
		printf("[switched out: %s]", name ? name : "?");
	else
		printf("[%s 0x%" PRIx64 "]", row->event == SOFTPT_FLOW_FAULT ? "page fault at" :
		       "interrupt to", row->value);
	fputs(colour(stdout, COLOUR_PLAIN), stdout);
}

void kernel_print_json(const struct softpt_flow_row *row)
{
	const char *name = name_of(row);

	if (row->event == SOFTPT_FLOW_SYSCALL)
		printf(",\"number\":%" PRIu64, row->value);
	else if (row->event != SOFTPT_FLOW_SWITCH_OUT)
		printf(",\"value\":\"0x%" PRIx64 "\"", row->value);
	if (name && row->event == SOFTPT_FLOW_SYSCALL)
		printf(",\"syscall\":\"%s\"", name);
	else if (name)
		printf(",\"why\":\"%s\"", name);
}
