// SPDX-License-Identifier: BSD-2-Clause
/* softpt help: from the tables that the commands themselves use */
#include <getopt.h>
#include <string.h>

#include <softpt/softpt.h>
#include "cli/tool.h"

static void print_commands(FILE *to)
{
	const struct command *const *c;

	fprintf(to, "softpt: processor trace in software\n\nusage: softpt COMMAND [OPTION]... [ARG]...\n\n");
	for (c = tool_commands(); *c; c++)
		fprintf(to, "  %-12s%s\n", (*c)->name, (*c)->what);
	fprintf(to, "\nsoftpt help COMMAND tells more; softpt help config lists the keys of -c.\n");
}

static void print_config(FILE *to)
{
	const struct softpt_param *p;
	unsigned int i;

	fprintf(to, "-c KEY=VALUE,... (bytes with K, M or G; addresses with 0x; filter and stop may be repeated)\n\n");
	fprintf(to, "  %-12s%-36s%-12s\n", "KEY", "VALUES", "DEFAULT");
	for (i = 0; (p = softpt_config_param(i)); i++)
		fprintf(to, "  %-12s%-36s%-12s%s\n", p->key, p->values, p->def, p->what);
	fprintf(to, "\nrecord begins with os=0, suppress=2, pge_tsc=1.\n");
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const struct command *about;

	if (option_next(cmd, argc, argv) != -1)
		return EXIT_USAGE;
	argc -= optind - 1;
	argv += optind - 1;
	about = argc > 1 ? tool_find(argv[1]) : NULL;
	if (argc > 2)
		return misuse(cmd, "%s: one command only", argv[2]);
	if (argc < 2)
		print_commands(stdout);
	else if (!strcmp(argv[1], "config"))
		print_config(stdout);
	else if (about)
		print_command_help(stdout, about);
	else
		return misuse(cmd, "%s: no such command", argv[1]);
	return 0;
}

const struct command command_help = {
	.name = "help",
	.args = "[COMMAND | config]",
	.what = "tell about a command, or the keys of a configuration",
	.run = run,
};
