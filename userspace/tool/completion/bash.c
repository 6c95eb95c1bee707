// SPDX-License-Identifier: BSD-2-Clause
#include "shells.h"

#include <softpt/softpt.h>
#include "../cli/tool.h"

static void print_words(void)
{
	const struct command *const *c;
	const struct softpt_param *p;
	unsigned int i;

	printf("\tlocal commands='");
	for (c = tool_commands(); *c; c++)
		printf("%s%s", c == tool_commands() ? "" : " ", (*c)->name);
	printf("'\n\tlocal keys='");
	for (i = 0; (p = softpt_config_param(i)); i++)
		printf("%s%s=", i ? " " : "", p->key);
	printf("'\n");
}

static void print_case(const struct command *cmd)
{
	const struct option_row *row;

	printf("\t%s)\n\t\twords='", cmd->name);
	for (row = cmd->options; row && row->name; row++) {
		printf("--%s ", row->name);
		if (row->id < 256)
			printf("-%c ", row->id);
	}
	printf("--help'\n\t\t;;\n");
}

void completion_bash(void)
{
	const struct command *const *c;

	printf("# bash completion of softpt; made by: softpt completion bash\n_softpt()\n{\n");
	print_words();
	printf("\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n"
	       "\n\tif ((COMP_CWORD == 1)); then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$cur\"))\n"
	       "\t\treturn\n\tfi\n"
	       "\tif [[ ${COMP_LINE:0:COMP_POINT} =~ \\ (-c|--config)\\ [^\\ ]*$ ]]; then\n"
	       "\t\tlocal head=\n\t\t[[ $cur == *,* ]] && head=${cur%%,*},\n"
	       "\t\tCOMPREPLY=($(compgen -P \"$head\" -W \"$keys\" -- \"${cur##*,}\"))\n"
	       "\t\tcompopt -o nospace\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
	for (c = tool_commands(); *c; c++)
		print_case(*c);
	printf("\tesac\n"
	       "\t[[ ${COMP_WORDS[1]} == help ]] && words=\"$commands config\"\n"
	       "\t[[ $cur == -* || ${COMP_WORDS[1]} == help ]] &&\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	       "}\ncomplete -o default -F _softpt softpt\n");
}
