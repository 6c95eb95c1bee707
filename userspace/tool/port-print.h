/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace ports in dump, decode and flow */
#ifndef SOFTPT_TOOL_PORT_PRINT_H
#define SOFTPT_TOOL_PORT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

struct input;

struct port_flow {
	const struct input *in;
	const char *image;
	uint64_t from;		/* clocks */
	uint64_t to;
	uint64_t limit;		/* lines; 0: all */
	bool stats;
};

/* Return: whether the file is a trace port's */
bool port_is(const struct input *in);

/* Each returns an exit status. */
int port_dump(const struct input *in);
int port_decode(const struct input *in);
int port_flow(const struct port_flow *f);

#endif /* SOFTPT_TOOL_PORT_PRINT_H */
