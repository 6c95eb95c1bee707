// SPDX-License-Identifier: BSD-2-Clause
/* Which subcommands there are: main.c has the table */
#include <string.h>

#include "tool.h"

static const struct command *const *commands;

void tool_set_commands(const struct command *const *table)
{
	commands = table;
}

const struct command *const *tool_commands(void)
{
	return commands;
}

const struct command *tool_find(const char *name)
{
	unsigned int i;

	for (i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}
