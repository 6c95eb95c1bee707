/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth as CSV: a row for each that `softpt decode` prints of a CPU, in the same order. That of
 * `softpt sim` has event, kind, tsc and cycles; that of a recording also the CPU, and the kind of
 * event that the row is from. What is not known is empty. (Documentation/reference/truth.rst)
 */
#ifndef SOFTPT_TRUTH_FILE_H
#define SOFTPT_TRUTH_FILE_H

#include <stdio.h>

#include "base/error.h"
#include "truth/match.h"

/* That beside a recording: PATH.truth. Return: 0 or -ENAMETOOLONG */
int truth_file_name(char *name, size_t size, const char *path);

/* The first line of a recording's */
int truth_file_begin(FILE *to);
/* Whether a file begins with it */
bool truth_file_is(const char *name);
/* A row of it. Return: 0 or -errno */
int truth_file_put(FILE *to, int cpu, const struct truth_row *row);

/* The rows of one CPU */
struct truth_rows {
	int cpu;		/* -1: the file does not say */
	struct truth_row *v;
	size_t n;
	size_t alloc;
};

struct truth_file {
	struct truth_rows *cpus;
	unsigned int nr;
};

/**
 * truth_file_read() - read a whole file
 * @t: truth_file_free() it in any case
 * @path: a file, or "-" for stdin
 * @e: on an error, which line is wrong and why
 *
 * Return: 0, or -errno.
 */
int truth_file_read(struct truth_file *t, const char *path, struct error *e);
void truth_file_free(struct truth_file *t);

/* Those of a CPU: its own, or all where the file or the trace has but one. Return: NULL: none */
const struct truth_rows *truth_file_rows(const struct truth_file *t, int cpu);

/* For messages: " of CPU N", and nothing of raw packets, which know no CPU */
#define TRUTH_OF_CPU	24
const char *truth_of_cpu(char of[TRUTH_OF_CPU], int cpu);

/* The same; @rows: set to them. Return: 0, or -ENOENT with @e set */
int truth_file_find(const struct truth_file *t, int cpu, const struct truth_rows **rows,
		    struct error *e);

#endif /* SOFTPT_TRUTH_FILE_H */
