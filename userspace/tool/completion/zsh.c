// SPDX-License-Identifier: BSD-2-Clause
#include "shells.h"

#include <string.h>

#include <softpt/softpt.h>
#include "../cli/tool.h"
#include "words.h"

/* Text within a specification of _arguments or _describe */
static void put_text(const char *text)
{
	completion_text(text, "'\\''", "\\[]:");
}

static void put_argument(const struct option_row *row)
{
	const struct softpt_param *p;
	unsigned int i;

	if (!row->arg || row->arg[0] == '[')
		return;
	putchar(':');
	put_text(row->arg);
	if (row->id == 'c') {
		printf(":{compset -P \"*,\"; compadd -S \"\" --");
		for (i = 0; (p = softpt_config_param(i)); i++)
			printf(" %s=", p->key);
		putchar('}');
	} else if (completion_is_choice(row)) {
		printf(":(");
		completion_choices(row);
		putchar(')');
	} else {
		printf(":_files");
	}
}

/* '(-o --output)'{-o+,--output=}'[what]:FILE:_files' */
static void put_option(const struct option_row *row)
{
	const bool has_arg = row->arg && row->arg[0] != '[';

	printf("\t\t\t");
	if (row->id < 256)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", row->id, row->name, row->id,
		       has_arg ? "+" : "", row->name, has_arg ? "=" : "");
	else
		printf("'--%s%s[", row->name, has_arg ? "=" : "");
	put_text(row->what);
	putchar(']');
	put_argument(row);
	printf("' \\\n");
}

static void put_command(const struct command *cmd)
{
	const bool is_command = cmd->until_operand && strncmp(cmd->args, "FILE", 4);
	const struct option_row *row;

	printf("\t%s)\n\t\t_arguments -s%s \\\n", cmd->name, cmd->until_operand ? " -A \"-*\"" : "");
	for (row = cmd->options; row && row->name; row++)
		put_option(row);
	printf("\t\t\t'(-h --help)'{-h,--help}'[help]' \\\n\t\t\t'*:%s'\n\t\t;;\n",
	       is_command ? "::command:_normal" : "file:_files");
}

void completion_zsh(void)
{
	const struct command *const *c;

	printf("#compdef softpt\n# zsh completion of softpt; made by: softpt completion zsh\n\n"
	       "_softpt()\n{\n\tlocal -a commands=(\n");
	for (c = tool_commands(); *c; c++) {
		printf("\t\t'%s:", (*c)->name);
		put_text((*c)->what);
		printf("'\n");
	}
	printf("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	       "\tshift words\n\t((CURRENT--))\n\tcase $words[1] in\n");
	for (c = tool_commands(); *c; c++)
		if (strcmp((*c)->name, "help"))
			put_command(*c);
	printf("\thelp)\n\t\tcommands+=('config:keys of a configuration')\n"
	       "\t\t_describe command commands\n\t\t;;\n");
	printf("\tesac\n}\n\n"
	       "if [[ $funcstack[1] == _softpt ]]; then\t# autoloaded from $fpath\n\t_softpt \"$@\"\n"
	       "else\n\tcompdef _softpt softpt\nfi\n");
}
