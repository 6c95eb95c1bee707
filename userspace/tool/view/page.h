/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt view: the page, and what its script reads */
#ifndef SOFTPT_TOOL_VIEW_PAGE_H
#define SOFTPT_TOOL_VIEW_PAGE_H

#include <stdio.h>

#include <softpt/perf.h>

#include "chart/chart.h"
#include "functions.h"
#include "insns.h"
#include "report/report.h"
#include "source.h"

/**
 * struct page - a recording on a page
 * @path: its name
 * @perf: its clock
 * @chart: its calls in time
 * @report: by function, with the tree of calls
 * @functions: the code of its functions
 * @insns: of these
 * @source: of these; NULL: it is left out
 */
struct page {
	const char *path;
	const struct softpt_perf *perf;
	const struct chart *chart;
	const struct report *report;
	const struct page_functions *functions;
	const struct page_insns *insns;
	const struct page_source *source;
};

/* The page without a recording in it */
extern const char page_html[];

/* "ns", or "ticks" where the file does not know the clock */
const char *page_unit(const struct softpt_perf *perf);

/* All of the page. Return: 0 or -ENOMEM; errors of @to are found behind it */
int page_write(const struct page *p, FILE *to);

#endif /* SOFTPT_TOOL_VIEW_PAGE_H */
