// SPDX-License-Identifier: BSD-2-Clause
#include "shells.h"

#include <softpt/softpt.h>
#include "../cli/tool.h"
#include "words.h"

static void put_text(const char *text)
{
	putchar('\'');
	completion_text(text, "\\'", "\\");
	putchar('\'');
}

/* Files are offered where an option has an argument that nothing else is known of. */
static void put_argument(const struct option_row *row)
{
	const struct softpt_param *p;
	unsigned int i;

	if (row->id == 'c') {
		printf(" -x -a '");
		for (i = 0; (p = softpt_config_param(i)); i++)
			printf("%s%s=", i ? " " : "", p->key);
		putchar('\'');
	} else if (completion_is_choice(row)) {
		printf(" -x -a '");
		completion_choices(row);
		putchar('\'');
	} else if (row->arg && row->arg[0] != '[') {
		printf(" -r");
	}
}

static void put_option(const struct command *cmd, const struct option_row *row)
{
	printf("complete -c softpt -n '__fish_seen_subcommand_from %s' -l %s", cmd->name,
	       row->name);
	if (row->id < 256)
		printf(" -s %c", row->id);
	put_argument(row);
	printf(" -d ");
	put_text(row->what);
	putchar('\n');
}

void completion_fish(void)
{
	const struct command *const *c;
	const struct option_row *row;

	printf("# fish completion of softpt; made by: softpt completion fish\n"
	       "complete -c softpt -n __fish_use_subcommand -f\n");
	for (c = tool_commands(); *c; c++) {
		printf("complete -c softpt -n __fish_use_subcommand -a %s -d ", (*c)->name);
		put_text((*c)->what);
		putchar('\n');
		for (row = (*c)->options; row && row->name; row++)
			put_option(*c, row);
		printf("complete -c softpt -n '__fish_seen_subcommand_from %s' -l help -s h\n",
		       (*c)->name);
	}
	printf("complete -c softpt -n '__fish_seen_subcommand_from help' -f -a '");
	for (c = tool_commands(); *c; c++)
		printf("%s ", (*c)->name);
	printf("config'\n");
}
