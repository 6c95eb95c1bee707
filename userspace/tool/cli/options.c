// SPDX-License-Identifier: BSD-2-Clause
/* Options of a subcommand, from its table */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "softpt.h"
#include "tool.h"

#define OPTIONS_MAX	40
#define ID_HELP		0x1000

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
			.has_arg = row[i].arg ? required_argument : no_argument,
			.val = row[i].id,
		};
		if (row[i].id > 255)
			continue;
		*letters++ = row[i].id;
		if (row[i].arg)
			*letters++ = ':';
	}
	longs[i] = (struct option){ .name = "help", .val = ID_HELP };
	*letters++ = 'h';
	*letters = '\0';
}

int option_next(const struct command *cmd, int argc, char **argv)
{
	struct option longs[OPTIONS_MAX + 2] = { 0 };
	char letters[2 * OPTIONS_MAX + 4];
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

/* libipt adds whole TSC ticks, and drops the fraction (Documentation/stock-decoders.rst) */
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
