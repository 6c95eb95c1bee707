/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with their lines and calls, of all that was executed and has debug information */
#ifndef SOFTPT_COVERAGE_SAMPLES_H
#define SOFTPT_COVERAGE_SAMPLES_H

#include "coverage/calls.h"
#include "coverage/contexts.h"

/**
 * struct samples - functions that were executed
 * @functions: those whose source file is here
 * @elsewhere: how many others there are
 * @path: of the source file of one of these
 */
struct samples {
	struct contexts *functions;
	size_t elsewhere;
	char *path;
};

/**
 * samples_find() - find lines of functions, and what they called
 * @samples: set; its names are its own
 * @coverage: what was executed
 * @calls: of the same walks
 *
 * A line of a function was executed as often as that of its instructions that was executed most;
 * in each copy that the program has of the function, and these are added. Lines that were not
 * executed are there, too, of functions that were. Functions are known by their names alone: those
 * of the C library, whose source files hardly anybody has, would be taken for the program's.
 *
 * Return: 0 or -ENOMEM; free them in either case.
 */
int samples_find(struct samples *samples, const struct coverage *coverage,
		 const struct coverage_calls *calls);
void samples_free(struct samples *samples);

#endif /* SOFTPT_COVERAGE_SAMPLES_H */
