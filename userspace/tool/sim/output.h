/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that softpt sim writes */
#ifndef SOFTPT_TOOL_SIM_OUTPUT_H
#define SOFTPT_TOOL_SIM_OUTPUT_H

#include <stdio.h>

struct output {
	const char *path;	/* - is stdout; NULL: nothing is written */
	FILE *file;
	int err;	/* why a write failed */
};

/* Return: 0, or EXIT_REFUSED after a message */
int output_open(struct output *o);

/* A write failed. Return: SIM_REFUSED, without a message: that is output_close()'s */
int output_failed(struct output *o, int err);

/* A full disk may show only now. Return: 0, or EXIT_REFUSED after a message */
int output_close(struct output *o);

#endif /* SOFTPT_TOOL_SIM_OUTPUT_H */
