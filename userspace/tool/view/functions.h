/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt view: the code of the functions that are on the page */
#ifndef SOFTPT_TOOL_VIEW_FUNCTIONS_H
#define SOFTPT_TOOL_VIEW_FUNCTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "coverage/coverage.h"
#include "report/group.h"
#include "report/report.h"

/**
 * struct page_functions - functions of a page of which something was executed
 * @function: those with the most instructions first; one without a name ends where the next begins
 * @n: how many
 * @of_call: number of the function of each group of the chart, INDEX_NEW: none
 * @calls: how many
 * @of_cost: the same of each group of the report
 * @costs: how many
 */
struct page_functions {
	struct coverage_function *function;
	uint32_t n;
	uint32_t *of_call;
	uint32_t calls;
	uint32_t *of_cost;
	uint32_t costs;
};

/* @calls: the functions of the chart. Return: 0 or -ENOMEM; free it in either case */
int page_functions_find(struct page_functions *f, const struct coverage *c,
			const struct report_groups *calls, const struct report *report);
void page_functions_free(struct page_functions *f);

/* The numbers, as members with a comma in front */
void page_functions_put(const struct page_functions *f, FILE *to);

#endif /* SOFTPT_TOOL_VIEW_FUNCTIONS_H */
