/* SPDX-License-Identifier: BSD-2-Clause */
/* What the scripts of shells have in common */
#ifndef SOFTPT_TOOL_COMPLETION_WORDS_H
#define SOFTPT_TOOL_COMPLETION_WORDS_H

#include <stdbool.h>

struct option_row;

/* Whether the argument of an option is one of a few words: "text|json" */
bool completion_is_choice(const struct option_row *row);
/* The words of a choice, with blanks between them */
void completion_choices(const struct option_row *row);
/* Text within single quotes, for a shell that has @quote for one; @also are escaped by "\" */
void completion_text(const char *text, const char *quote, const char *also);

#endif /* SOFTPT_TOOL_COMPLETION_WORDS_H */
