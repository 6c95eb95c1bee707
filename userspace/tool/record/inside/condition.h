/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --if: which arguments calls have that are recorded */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_CONDITION_H
#define SOFTPT_TOOL_RECORD_INSIDE_CONDITION_H

#include <softpt/translate.h>

struct command;

/**
 * struct condition - comparisons of arguments with numbers, joined by && and ||
 * @text: as it was given; NULL: there is none
 * @test: each comparison
 * @nr: how many
 */
struct condition {
	const char *text;
	struct softpt_xl_test test[SOFTPT_XL_TESTS];
	unsigned int nr;
};

/**
 * condition_parse() - read a condition
 * @c: set to it, if it is one
 * @text: the condition, which @c keeps
 * @at: set to what is wrong of @text
 *
 * Return: NULL, or why it is none
 */
const char *condition_parse(struct condition *c, const char *text, const char **at);
/* Return: 0, or EXIT_USAGE after a message */
int condition_option(const struct command *cmd, struct condition *c, const char *text);
/* Tell the program's runtime, before it begins. */
void condition_share(const struct condition *c, struct softpt_xl_shared *shared);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_CONDITION_H */
