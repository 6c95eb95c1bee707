/* SPDX-License-Identifier: BSD-2-Clause */
/* Each record against what really happened */
#ifndef SOFTPT_TRUTH_JUDGE_H
#define SOFTPT_TRUTH_JUDGE_H

#include "truth/file.h"

/* How all records of a trace compare */
struct truth_sum {
	uint64_t rows;
	uint64_t known;		/* of which the truth is known */
	uint64_t timed;		/* of those, which have an estimate */
	uint64_t outside;	/* which did not happen within their bounds */
	uint64_t worst;
	double total;		/* of all errors */
};

/* A record and its truth */
struct truth_judged {
	bool known;
	bool timed;
	bool inside;
	uint64_t tsc;
	int64_t error;		/* of the estimate, where @timed */
};

/* The rows of one stream, taken one by one */
struct truth_cursor {
	const struct truth_rows *rows;	/* NULL: none */
	size_t at;
};

/**
 * truth_judge() - the next record of a stream
 * @c: what is judged
 * @sum: what it adds to
 * @rec: the record
 * @out: what is to be printed of it
 *
 * Return: 0; -EPROTO: the truth is of another trace.
 */
int truth_judge(struct truth_cursor *c, struct truth_sum *sum, const struct softpt_record *rec,
		struct truth_judged *out);

#endif /* SOFTPT_TRUTH_JUDGE_H */
