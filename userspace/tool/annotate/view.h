/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt annotate: what is shown of coverage */
#ifndef SOFTPT_TOOL_ANNOTATE_VIEW_H
#define SOFTPT_TOOL_ANNOTATE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "coverage/coverage.h"

#define LABEL_MAX	256

enum annotate_format {
	ANNOTATE_TEXT,
	ANNOTATE_CSV,
	ANNOTATE_JSON,
};

/**
 * struct annotate_view - what is shown, and of what
 * @coverage: of the recording
 * @format: how
 * @lines: lines of source alone, in text
 * @pattern: names of functions as fnmatch() has them
 * @patterns: how many; 0: all functions
 * @limit: functions at most
 */
struct annotate_view {
	const struct coverage *coverage;
	enum annotate_format format;
	bool lines;
	char *const *pattern;
	int patterns;
	uint64_t limit;
};

/* The name of a function, or where it is. Return: @buf, of LABEL_MAX bytes */
const char *annotate_label(const struct coverage_function *f, char *buf);
/* Whether a function is shown */
bool annotate_shows(const struct annotate_view *v, const struct coverage_function *f);
/* The next instruction of a function from @at on that is shown. Return: false behind the last */
bool annotate_next(const struct coverage_function *f, uint64_t at, struct coverage_insn *insn);
/* Where an instruction was made from. Return: @buf, or NULL: not known */
const char *annotate_source(const struct coverage_function *f, uint64_t addr, int *line, char *buf,
			    size_t len);
/* An instruction as text. Return: @buf */
const char *annotate_insn(const struct coverage_function *f, const struct coverage_insn *insn,
			  char *buf, size_t len);

/* Print what is shown. Return: 0 or -ENOMEM */
int annotate_text(const struct annotate_view *v);
int annotate_data(const struct annotate_view *v);

#endif /* SOFTPT_TOOL_ANNOTATE_VIEW_H */
