/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: fields of a row as csv or json; or their names, as the head of csv */
#ifndef SOFTPT_TOOL_REPORT_FIELDS_H
#define SOFTPT_TOOL_REPORT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/span.h"

enum fields_form {
	FIELDS_HEAD,
	FIELDS_CSV,
	FIELDS_JSON,
};

struct fields {
	enum fields_form form;
	bool begun;	/* a row */
};

/* What is not known is empty, or null. */
void field_text(struct fields *f, const char *key, const char *text);
void field_hex(struct fields *f, const char *key, bool known, uint64_t value);
void field_number(struct fields *f, const char *key, bool known, uint64_t value);
/* Three fields: KEY_ticks, and its bounds KEY_ticks_min and _max; @max UINT64_MAX: not known */
void field_bounds(struct fields *f, const char *key, bool known, uint64_t ticks, uint64_t min,
		  uint64_t max);
void field_span(struct fields *f, const char *key, const struct report_span *s);
void fields_end(struct fields *f);

#endif /* SOFTPT_TOOL_REPORT_FIELDS_H */
