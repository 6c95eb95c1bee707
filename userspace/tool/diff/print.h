/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt diff: what is printed */
#ifndef SOFTPT_TOOL_DIFF_PRINT_H
#define SOFTPT_TOOL_DIFF_PRINT_H

#include <stdint.h>

#include "diff/part.h"
#include "diff/side.h"
#include "changes.h"

enum diff_format {
	DIFF_TEXT,
	DIFF_CSV,
	DIFF_JSON,
};

/**
 * struct diff_view - what is printed
 * @side: both recordings
 * @changes: what costs differ
 * @parts: where paths part
 * @limit: lines of @changes, and of @parts, at most
 */
struct diff_view {
	const struct diff_side *side;
	const struct changes *changes;
	const struct diff_parts *parts;
	uint64_t limit;
};

/* Return: 0 or -ENOMEM */
int diff_text(const struct diff_view *v);
/* csv has no @parts */
void diff_data(const struct diff_view *v, enum diff_format format);

#endif /* SOFTPT_TOOL_DIFF_PRINT_H */
