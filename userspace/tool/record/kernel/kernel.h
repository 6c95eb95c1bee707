/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel does on all CPUs, beside the path of a program: from the module */
#ifndef SOFTPT_TOOL_RECORD_KERNEL_H
#define SOFTPT_TOOL_RECORD_KERNEL_H

#include "../record.h"

/* @session: 0: there is none */
struct kernel_side {
	int session;
	struct units units;
};

/**
 * kernel_side_begin() - a session that records from now on
 * @k: all zero
 * @given: what was asked for; it needs more to be read with a path
 *
 * Return: 0, or EXIT_REFUSED after a message; kernel_side_close() in both cases.
 */
int kernel_side_begin(struct kernel_side *k, const struct softpt_config *given);

/* Hand on what is there. Return: 0 or -errno of the writer */
int kernel_side_drain(struct kernel_side *k, struct softpt_perf_writer *w);

/* Nothing more is recorded; the last of it. @path: for a message. Return: as kernel_side_drain() */
int kernel_side_end(struct kernel_side *k, struct softpt_perf_writer *w, const char *path);

void kernel_side_close(struct kernel_side *k);

#endif /* SOFTPT_TOOL_RECORD_KERNEL_H */
