/* SPDX-License-Identifier: BSD-2-Clause */
/* From where each function was entered, by a call or by a jump, and how often */
#ifndef SOFTPT_COVERAGE_CALLS_H
#define SOFTPT_COVERAGE_CALLS_H

#include "coverage/coverage.h"

/* The rows that calls are made of */
#define COVERAGE_CALL_ROWS \
	(1u << SOFTPT_FLOW_CALL | 1u << SOFTPT_FLOW_JUMP | 1u << SOFTPT_FLOW_BEGIN)

struct coverage_calls;

/* An address, as its file was linked; @file is NULL where it is in none */
struct coverage_place {
	const struct coverage_file *file;
	uint64_t addr;
};

/**
 * struct coverage_call - an entry into a function
 * @from: the branch; all zero: the kernel, or what is not in the recording
 * @to: the function
 * @times: how often
 */
struct coverage_call {
	struct coverage_place from;
	struct coverage_place to;
	uint64_t times;
};

/* Return: NULL without memory */
struct coverage_calls *coverage_calls_new(void);
void coverage_calls_free(struct coverage_calls *calls);

/* Take a row of the walk that @c takes. Return: false without memory */
bool coverage_calls_take(struct coverage_calls *calls, struct coverage *c,
			 const struct softpt_flow_row *row);
/* The addresses that the walk knew have gone: before another walk */
void coverage_calls_end_walk(struct coverage_calls *calls);
/* Behind the last walk, before what follows */
void coverage_calls_finish(struct coverage_calls *calls);

/* All of them, by the place that they came from */
size_t coverage_calls_number(const struct coverage_calls *calls);
const struct coverage_call *coverage_call(const struct coverage_calls *calls, size_t i);
/* The first of those from a place on, by its number */
size_t coverage_calls_from(const struct coverage_calls *calls, const struct coverage_place *from);
bool coverage_is_from(const struct coverage_call *call, const struct coverage_place *from);

#endif /* SOFTPT_COVERAGE_CALLS_H */
