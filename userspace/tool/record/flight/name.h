/* SPDX-License-Identifier: BSD-2-Clause */
/* --trigger ip=NAME: a function of the program that is recorded */
#ifndef SOFTPT_TOOL_RECORD_NAME_H
#define SOFTPT_TOOL_RECORD_NAME_H

#include <stdbool.h>

#include <softpt/translate.h>

#include "../../cli/trigger.h"

/**
 * struct names - triggers that wait for functions
 * @name: of each trigger, NAME and what follows it in --trigger; NULL: it has none
 * @program: the file that has the functions, links followed
 * @moves: their addresses count from where it is mapped
 */
struct names {
	const char *name[SOFTPT_TRIGGERS];
	char *program;
	bool moves;
};

/* Whether a --trigger names a function */
bool name_is(const char *text);

/* Read that, with an address that is not known yet. Return: 0, or EXIT_USAGE after a message */
int name_option(const struct command *cmd, struct triggers *set, struct names *n,
		const char *text);

/* Look them up in the program @argv0. Return: 0, or EXIT_REFUSED after a message */
int names_find(struct triggers *set, struct names *n, const char *argv0);

void names_free(struct names *n);

/* What a process waits for: @to, of @set; those of functions of another program for nothing */
void names_place(const struct triggers *set, const struct names *n,
		 const struct softpt_xl_process *p, struct softpt_trigger *to);

#endif /* SOFTPT_TOOL_RECORD_NAME_H */
