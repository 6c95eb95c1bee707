// SPDX-License-Identifier: BSD-2-Clause
/* softpt import: what a simulator logged, as event text */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "../lib/number.h"
#include "import.h"
#include "tool.h"

#define ID_FROM		256
#define ID_TICKS	257
#define ID_THREAD	258

#define TICKS_MAX	1000000	/* no log is so long that time overflows */

static const struct option_row options[] = {
	{ ID_FROM, "from", "qemu-log", "what made LOG" },
	{ 'o', "output", "FILE", "event text, - is stdout" },
	{ ID_TICKS, "ticks-per-insn", "N", "time that each instruction takes (1)" },
	{ ID_THREAD, "thread", "N", "the thread of this number (the first in LOG)" },
	{ 0 }
};

struct run {
	const char *from;
	const char *output;
	uint64_t ticks;
	int64_t thread;
};

static int number_option(const struct command *cmd, const char *name, uint64_t min, uint64_t max,
			 uint64_t *v)
{
	if (softpt_number_within(optarg, min, max, v))
		return 0;
	return misuse(cmd, "--%s: '%s' is no number from %llu to %llu", name, optarg,
		      (unsigned long long)min, (unsigned long long)max);
}

static int parse_options(const struct command *cmd, struct run *r, int argc, char **argv)
{
	uint64_t v;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case ID_FROM:
			r->from = optarg;
			break;
		case 'o':
			r->output = optarg;
			break;
		case ID_TICKS:
			if (number_option(cmd, "ticks-per-insn", 1, TICKS_MAX, &r->ticks))
				return EXIT_USAGE;
			break;
		case ID_THREAD:
			if (number_option(cmd, "thread", 0, INT32_MAX, &v))
				return EXIT_USAGE;
			r->thread = v;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (!r->from)
		return misuse(cmd, "--from says what made the log (qemu-log)");
	if (strcmp(r->from, "qemu-log"))
		return misuse(cmd, "--from: '%s' is not known, qemu-log is", r->from);
	if (!r->output)
		return misuse(cmd, "-o FILE says where the event text goes (- is stdout)");
	return 0;
}

/* A full disk may show only now. */
static int close_output(FILE *file, const char *path)
{
	int err;

	if (file == stdout)
		return 0;
	err = ferror(file);
	if (fclose(file) || err)
		return refuse(path, "%s", strerror(errno ? errno : EIO));
	return 0;
}

static int import(struct import *im, const char *output)
{
	int status;

	im->flow.out = strcmp(output, "-") ? fopen(output, "we") : stdout;
	if (!im->flow.out)
		return refuse(output, "%s", strerror(errno));
	status = import_qemu(im);
	return close_output(im->flow.out, output) | status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct run r = { .ticks = 1, .thread = -1 };
	struct import im;
	const char *path;
	int status;

	if (parse_options(cmd, &r, argc, argv))
		return EXIT_USAGE;
	path = only_operand(cmd, argc, argv, "LOG");
	if (!path)
		return EXIT_USAGE;
	if (spare_input(path, r.output))
		return EXIT_REFUSED;
	im = (struct import){ .name = path, .thread = r.thread };
	im.flow.ticks = r.ticks;
	im.flow.now = 1;	/* behind what is mapped at 0 */
	if (!strcmp(path, "-")) {
		im.name = "stdin";
		im.file = stdin;
	} else {
		im.file = fopen(path, "re");
	}
	if (!im.file)
		return refuse(path, "%s", strerror(errno));
	status = import(&im, r.output);
	if (im.file != stdin)
		fclose(im.file);
	return status;
}

const struct command command_import = {
	.name = "import",
	.args = "--from qemu-log LOG -o EVENTS",
	.what = "turn the log of a simulator into event text, for sim and replay",
	.more = "LOG is what this leaves, - is stdin:\n"
		"  qemu-x86_64 -singlestep -d in_asm,exec,nochain -D LOG PROGRAM",
	.options = options,
	.run = run,
};
