/* SPDX-License-Identifier: BSD-2-Clause */
/* A record as a line: text, CSV or JSON */
#ifndef SOFTPT_TOOL_DECODE_PRINT_H
#define SOFTPT_TOOL_DECODE_PRINT_H

#include <stdbool.h>

#include <softpt/decoder.h>

struct trigger_event;
struct truth_judged;

/**
 * struct decode_row - a record, and what is printed beside it
 * @rec: the record
 * @cpu: -1: not known
 * @tid: -1: not known; only a trace of one thread tells
 * @te: --relative: the trigger event; or NULL
 * @truth: --truth: of @rec; or NULL
 * @cycles: --cycles
 */
struct decode_row {
	const struct softpt_record *rec;
	int cpu;
	int tid;
	const struct trigger_event *te;
	const struct truth_judged *truth;
	bool cycles;
};

/**
 * struct decode_format - how records are printed on stdout
 * @name: of --format
 * @begin: what comes before the first; NULL: nothing
 * @print: a record
 */
struct decode_format {
	const char *name;
	void (*begin)(bool relative, bool truth, bool cycles);
	void (*print)(const struct decode_row *row);
};

/* Return: NULL: there is none of that name */
const struct decode_format *decode_format_find(const char *name);

#endif /* SOFTPT_TOOL_DECODE_PRINT_H */
