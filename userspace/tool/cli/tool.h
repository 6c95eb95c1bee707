/* SPDX-License-Identifier: BSD-2-Clause */
/* What every subcommand is made of: its table row, options, messages. */
#ifndef SOFTPT_TOOL_CLI_TOOL_H
#define SOFTPT_TOOL_CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/softpt.h>

#include "base/error.h"
#include "base/quote.h"

#define EXIT_REFUSED	1	/* the input or the device refused */
#define EXIT_USAGE	2

/**
 * struct option_row - an option of a subcommand
 * @id: its letter, or a number above 255 where it has none
 * @name: without the dashes; NULL ends the table
 * @arg: name of its argument, NULL: it takes none; [=NAME]: it may have one, in the same word
 * @what: one line for --help and completion
 */
struct option_row {
	int id;
	const char *name;
	const char *arg;
	const char *what;
};

/* -c, for every subcommand that takes a configuration */
#define OPTION_CONFIG { 'c', "config", "KEY=VALUE,...", "configure (softpt help config)" }

/**
 * struct command - a subcommand
 * @name: as typed
 * @args: what follows its options
 * @what: one line for --help and completion
 * @more: lines for its own --help, or NULL
 * @options: the table
 * @until_operand: options end at the first operand (record -- CMD)
 * @run: argv[0] is the name. Return: exit status
 */
struct command {
	const char *name;
	const char *args;
	const char *what;
	const char *more;
	const struct option_row *options;
	bool until_operand;
	int (*run)(const struct command *cmd, int argc, char **argv);
};

/* One row per subcommand, in the order of --help; each has a file of its own */
#define COMMANDS(X) \
	X(load) \
	X(unload) \
	X(info) \
	X(doctor) \
	X(record) \
	X(stat) \
	X(replay) \
	X(sim) \
	X(eval) \
	X(address) \
	X(import) \
	X(dump) \
	X(decode) \
	X(flow) \
	X(report) \
	X(annotate) \
	X(crash) \
	X(gdb) \
	X(diff) \
	X(view) \
	X(export) \
	X(archive) \
	X(bench) \
	X(help) \
	X(completion)

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

/* The table of main.c, NULL behind the last: before what follows is called */
void tool_set_commands(const struct command *const *table);
const struct command *const *tool_commands(void);	/* NULL behind the last */
const struct command *tool_find(const char *name);

/**
 * option_next() - the next option, by the table
 * @cmd: the command
 * @argc: of main()
 * @argv: of main()
 *
 * Sets optarg and optind as getopt does. --help is answered here.
 *
 * Return: the row's id; -1 behind the last; '?' after a message: return EXIT_USAGE.
 */
int option_next(const struct command *cmd, int argc, char **argv);

/* The operand that must be the only one. Return: NULL after a message */
const char *only_operand(const struct command *cmd, int argc, char **argv, const char *what);

/* Apply -c TEXT. Return: 0, or EXIT_USAGE after a message */
int config_option(struct softpt_config *cfg, const char *text);
/* Judge the whole after the last -c. Return: 0, or EXIT_USAGE after a message */
int config_done(const struct softpt_config *cfg);
/* Notes on stderr: what of a judged configuration libipt and perf will misread */
void config_warn_stock(const struct softpt_config *cfg);

/* "softpt: FILE: what", one line on stderr. Return: EXIT_REFUSED */
int refuse(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "softpt: FILE: offset 0x...: what". Return: EXIT_REFUSED */
int refuse_at(const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Says what the library tells of errors, and notes */
extern const struct error_sink tool_errors;
/* The same of what the library says; FILE is stdin for "-". Return: EXIT_REFUSED */
int refuse_error(const char *file, const struct error *e);
/* "softpt: COMMAND: what". Return: EXIT_USAGE */
int misuse(const struct command *cmd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return: 0, or EXIT_REFUSED after a message where opening @output would empty @input */
int spare_input(const char *input, const char *output);

void print_command_help(FILE *to, const struct command *cmd);

enum colour {
	COLOUR_PLAIN,
	COLOUR_DIM,
	COLOUR_FLOW,
	COLOUR_TIME,
	COLOUR_WARN,
};

/* The escape sequence, or "" where @to is no terminal or NO_COLOR is set */
const char *colour(FILE *to, enum colour c);

/* How far long work has come, on stderr; silent where that is no terminal */
struct progress {
	const char *what;
	uint64_t total;		/* 0: unknown */
	uint64_t next_ms;
	bool shown;
};

void progress_step(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

/* Flush what was printed. Return: @status, or EXIT_REFUSED after a message */
int close_stdout(int status);

#endif /* SOFTPT_TOOL_CLI_TOOL_H */
