/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts and rows of numbers as JSON amid a page */
#ifndef SOFTPT_TOOL_VIEW_JSON_H
#define SOFTPT_TOOL_VIEW_JSON_H

#include <stdio.h>

#include "base64.h"

/* In a script "</script>" would end it. Return: 0 or -ENOMEM */
int json_text(FILE *to, const char *text);

/* A row of numbers: "NAME":"BASE64", with a comma in front */
struct base64 json_row_begin(FILE *to, const char *name);
void json_row_end(struct base64 *row);

#define JSON_ROW(to, name, type, n, value) do { \
	struct base64 row = json_row_begin(to, name); \
	size_t i; \
\
	for (i = 0; i < (n); i++) { \
		const type number = (value); \
\
		base64_put(&row, &number, sizeof(number)); \
	} \
	json_row_end(&row); \
} while (0)

#endif /* SOFTPT_TOOL_VIEW_JSON_H */
