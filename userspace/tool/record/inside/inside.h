/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --in: functions whose calls are recorded */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_INSIDE_H
#define SOFTPT_TOOL_RECORD_INSIDE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/translate.h>

struct command;

/**
 * struct inside - the functions
 * @text: names, as they were given
 * @nr: how many
 * @addr: where they begin, in the file of the program
 * @moves: the file says nothing about where it is mapped
 * @program: that file; inside_free()
 */
struct inside {
	const char *text;
	unsigned int nr;
	uint64_t addr[SOFTPT_XL_DOORS];
	bool moves;
	char *program;
};

/* Return: 0, or EXIT_USAGE after a message */
int inside_option(const struct command *cmd, struct inside *in, const char *text);
/* Look them up in the program @argv0. Return: 0, or EXIT_REFUSED after a message */
int inside_find(struct inside *in, const char *argv0);
/* Tell the runtime, before the program begins. */
void inside_place(const struct inside *in, struct softpt_xl_shared *shared);
void inside_free(struct inside *in);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_INSIDE_H */
