// SPDX-License-Identifier: BSD-2-Clause
/* Options of a subcommand, from its table */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include <softpt/softpt.h>
#include "tool.h"

#define OPTIONS_MAX	40
#define ID_HELP		0x1000

static bool is_optional(const struct option_row *row)
{
	return row->arg && !strncmp(row->arg, "[=", 2);
}

static void print_option(FILE *to, const struct option_row *row)
{
	char text[64];
	int n;

	n = snprintf(text, sizeof(text), "--%s%s%s", row->name,
		     row->arg && !is_optional(row) ? " " : "", row->arg ? row->arg : "");
	if (row->id < 256)
		fprintf(to, "  -%c, ", row->id);
	else
		fprintf(to, "      ");
	fprintf(to, "%-26s%s%s\n", text, n >= 26 ? "\n                                " : "",
		row->what);
}

void print_command_help(FILE *to, const struct command *cmd)
{
	static const struct option_row help = { 'h', "help", NULL, "this" };
	const struct option_row *row;

	fprintf(to, "usage: softpt %s%s%s%s\n\n%s\n\n", cmd->name, cmd->options ? " [OPTION]..." : "",
		*cmd->args ? " " : "", cmd->args, cmd->what);
	for (row = cmd->options; row && row->name; row++)
		print_option(to, row);
	print_option(to, &help);
	if (cmd->more)
		fprintf(to, "\n%s\n", cmd->more);
}

/* The table in getopt's terms; "+" ends at the first operand, ":" tells what lacks */
static void build(const struct command *cmd, char *letters, struct option *longs)
{
	const struct option_row *row = cmd->options;
	unsigned int i;

	if (cmd->until_operand)
		*letters++ = '+';
	*letters++ = ':';
	for (i = 0; row && row[i].name && i < OPTIONS_MAX; i++) {
		longs[i] = (struct option){
			.name = row[i].name,
			.has_arg = is_optional(&row[i]) ? optional_argument :
				   row[i].arg ? required_argument : no_argument,
			.val = row[i].id,
		};
		if (row[i].id > 255)
			continue;
		*letters++ = row[i].id;
		if (row[i].arg)
			*letters++ = ':';
		if (is_optional(&row[i]))
			*letters++ = ':';
	}
	longs[i] = (struct option){ .name = "help", .val = ID_HELP };
	*letters++ = 'h';
	*letters = '\0';
}

int option_next(const struct command *cmd, int argc, char **argv)
{
	struct option longs[OPTIONS_MAX + 2] = { 0 };
	char letters[3 * OPTIONS_MAX + 4];
	int id;

	build(cmd, letters, longs);
	opterr = 0;
	id = getopt_long(argc, argv, letters, longs, NULL);
	switch (id) {
	case 'h':
	case ID_HELP:
		print_command_help(stdout, cmd);
		exit(close_stdout(0));
	case ':':
		misuse(cmd, "%s needs an argument", argv[optind - 1]);
		return '?';
	case '?':
		if (optopt && optopt < 256)
			misuse(cmd, "-%c: no such option", optopt);
		else
			misuse(cmd, "%s: no such option", argv[optind - 1]);
		return '?';
	}
	return id;
}

const char *only_operand(const struct command *cmd, int argc, char **argv, const char *what)
{
	if (argc - optind == 1)
		return argv[optind];
	if (argc == optind)
		misuse(cmd, "%s is missing", what);
	else
		misuse(cmd, "%s: one %s only", argv[optind + 1], what);
	return NULL;
}

int config_option(struct softpt_config *cfg, const char *text)
{
	char why[320];

	if (!softpt_config_parse(cfg, text, why, sizeof(why)))
		return 0;
	fprintf(stderr, "softpt: -c: %s\n", why);
	return EXIT_USAGE;
}

int config_done(const struct softpt_config *cfg)
{
	char why[320];

	if (!softpt_config_validate(cfg, why, sizeof(why)))
		return 0;
	fprintf(stderr, "softpt: -c: %s\n", why);
	return EXIT_USAGE;
}

/* libipt adds whole TSC ticks, and drops the fraction (Documentation/studies/stock-decoders.rst) */
static bool libipt_drifts(const struct softpt_config *cfg)
{
	const uint32_t clocked = SOFTPT_F_TSC | SOFTPT_F_MTC;

	return (cfg->flags & clocked) == clocked &&
	       ((uint64_t)cfg->tsc_ebx << cfg->mtc_freq) % cfg->tsc_eax;
}

void config_warn_stock(const struct softpt_config *cfg)
{
	struct softpt_complaint why;
	unsigned int rule;

	for (rule = 0; rule < SOFTPT_STOCK_RULES; rule++)
		if (rule != SOFTPT_STOCK_TRIG && softpt_config_stock_rule(cfg, rule, &why))
			fprintf(stderr,
				"softpt: note: libipt and perf will misread this stream: %s: %s\n",
				why.key, why.rule);
	if (libipt_drifts(cfg))
		fprintf(stderr,
			"softpt: note: libipt will misread this stream: tsc_ratio: it loses the fraction of 2^mtc_freq * EBX / EAX with every MTC\n");
}
