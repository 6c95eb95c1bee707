/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record -c truth=: what really happened, beside the recording */
#ifndef SOFTPT_TOOL_RECORD_TRUTH_H
#define SOFTPT_TOOL_RECORD_TRUTH_H

#include <limits.h>
#include <stdio.h>

#include <softpt/device.h>
#include "truth/match.h"

/* PATH.truth. All zero: there is none */
struct truth_out {
	char name[PATH_MAX];
	FILE *file;
	bool is_new;		/* there was none before, and nothing is in it yet */
};

/*
 * As trace_create(): for its owner alone, and what is in it is spared until truth_begin().
 * Return: 0, or EXIT_REFUSED after a message
 */
int truth_create(struct truth_out *t, const char *path);
/* It is to be empty. Return: 0, or EXIT_REFUSED after a message */
int truth_begin(struct truth_out *t);
/* One that is new and was not begun is removed. Return: 0, or EXIT_REFUSED after a message */
int truth_close(struct truth_out *t);

/* The truth of what was recorded there before is of no use any more, as PATH begins anew. */
void truth_remove(const char *path);

struct record_truth;

/**
 * record_truth_open() - truth of so many units
 * @path: of the recording
 * @cfg: of the units
 * @nr: how many units
 *
 * Return: NULL after a message.
 */
struct record_truth *record_truth_open(const char *path, const struct softpt_config *cfg,
				       unsigned int nr);
/* The recording begins: what was there is over. Return: 0, or EXIT_REFUSED after a message */
int record_truth_begin(struct record_truth *t);

/**
 * record_truth_take() - the next packets of a unit, and what is known of them
 * @t: the file
 * @i: which unit
 * @unit: whose entries they are
 * @bytes: of softpt_unit_peek(), not consumed yet
 * @n: how many
 *
 * Return: 0 or -errno.
 */
int record_truth_take(struct record_truth *t, unsigned int i, struct softpt_unit *unit,
		      const void *bytes, size_t n);

/* The streams have ended. Return: 0, or EXIT_REFUSED after a message; frees it */
int record_truth_close(struct record_truth *t);

#endif /* SOFTPT_TOOL_RECORD_TRUTH_H */
