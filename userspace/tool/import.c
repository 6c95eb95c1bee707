// SPDX-License-Identifier: BSD-2-Clause
/* softpt import: what a simulator logged, as event text; what an analyser saw, as a trace port */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "events/text.h"
#include "import/capture.h"
#include "source/insns.h"
#include "cli/tool.h"

#define ID_FROM		256
#define ID_TICKS	257
#define ID_THREAD	258
#define ID_PINS		259
#define ID_CLOCK	260
#define ID_PERIOD	261

#define TICKS_MAX	1000000	/* no log is so long that time overflows */

static const struct option_row options[] = {
	{ ID_FROM, "from", "FORMAT", "qemu-log, or of a trace port's pins: vcd, csv" },
	{ 'o', "output", "FILE", "event text, or a trace port; - is stdout" },
	{ ID_TICKS, "ticks-per-insn", "N", "time that each instruction takes (1)" },
	{ ID_THREAD, "thread", "N", "the thread of this number (the first in LOG)" },
	{ ID_PINS, "pins", "NAME,...",
	  "the pins, the highest bit first (ES and TS, or ES0.. and TS0..)" },
	{ ID_CLOCK, "clock", "NAME[:rising|:falling|:both][:before]",
	  "a clock is at these edges of a signal (rising); the pins are as before it" },
	{ ID_PERIOD, "period", "TIME", "a clock is so long (vcd: 1 tick; csv: a row is a clock)" },
	{ 0 }
};

struct run {
	const char *from;
	const char *output;
	uint64_t ticks;
	int64_t thread;
	bool of_log;		/* options of qemu-log were given */
	const char *pins;
	char *clock;
	const char *period;
};

static int number_option(const struct command *cmd, const char *name, uint64_t min, uint64_t max,
			 uint64_t *v)
{
	if (softpt_number_within(optarg, min, max, v))
		return 0;
	return misuse(cmd, "--%s: '%s' is no number from %llu to %llu", name, optarg,
		      (unsigned long long)min, (unsigned long long)max);
}

static bool is_capture(const struct run *r)
{
	return !strcmp(r->from, "vcd") || !strcmp(r->from, "csv");
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
			r->of_log = true;
			break;
		case ID_THREAD:
			if (number_option(cmd, "thread", 0, INT32_MAX, &v))
				return EXIT_USAGE;
			r->thread = v;
			r->of_log = true;
			break;
		case ID_PINS:
			r->pins = optarg;
			break;
		case ID_CLOCK:
			r->clock = optarg;
			break;
		case ID_PERIOD:
			r->period = optarg;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (!r->from)
		return misuse(cmd, "--from says what made the log (qemu-log, vcd, csv)");
	if (!is_capture(r) && strcmp(r->from, "qemu-log"))
		return misuse(cmd, "--from: '%s' is not known, qemu-log, vcd and csv are", r->from);
	if (is_capture(r) && r->of_log)
		return misuse(cmd, "--ticks-per-insn and --thread are of qemu-log");
	if (!is_capture(r) && (r->pins || r->clock || r->period))
		return misuse(cmd, "--pins, --clock and --period are of vcd and csv");
	if (!r->output)
		return misuse(cmd, "-o FILE says where it goes (- is stdout)");
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

static FILE *open_output(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!file)
		refuse(path, "%s", strerror(errno));
	return file;
}

static void print_notes(const char *name, const struct import *im)
{
	if (im->others)
		fprintf(stderr, "softpt: note: %s: thread %" PRId64 " only; %" PRIu64
			" instructions of others are left out (--thread)\n",
			name, im->thread, im->others);
	if (im->flow.gaps)
		fprintf(stderr, "softpt: note: %s: %" PRIu64
			" gaps: signals came at branches, or the program has forked\n",
			name, im->flow.gaps);
}

static void step_progress(void *progress, uint64_t bytes)
{
	progress_step(progress, bytes);
}

static int read_log(struct import *im, const char *name)
{
	struct progress progress = { .what = "import" };
	struct error error;
	struct stat st;
	int err;

	if (!fstat(fileno(im->file), &st) && S_ISREG(st.st_mode))
		progress.total = st.st_size;
	im->progress = step_progress;
	im->ctx = &progress;
	err = import_qemu(im, &error);
	progress_end(&progress);
	if (err)
		return refuse_error(name, &error);
	print_notes(name, im);
	return 0;
}

/* A full disk is found when the file is closed. */
static int print_event(void *out, const struct softpt_event *ev)
{
	char text[EVENT_TEXT_MAX];

	event_print(text, sizeof(text), ev);
	fprintf(out, "%s\n", text);
	return 0;
}

static int import_log(const struct run *r, const char *path)
{
	const char *name = strcmp(path, "-") ? path : "stdin";
	struct import im = { .thread = r->thread };
	FILE *out;
	int status;

	im.flow.ticks = r->ticks;
	im.flow.now = 1;	/* behind what is mapped at 0 */
	im.file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!im.file)
		return refuse(path, "%s", strerror(errno));
	out = open_output(r->output);
	im.flow.send = print_event;
	im.flow.ctx = out;
	status = out ? read_log(&im, name) : EXIT_REFUSED;
	if (out)
		status |= close_output(out, r->output);
	if (im.file != stdin)
		fclose(im.file);
	return status;
}

/* ---- captures ---- */

/* From behind the name, which may have colons */
static void take_edge(struct capture *c, char *clock)
{
	static const struct {
		const char *word;
		enum capture_edge edge;
		bool before;
	} words[] = {
		{ "rising", CAPTURE_RISING, false }, { "falling", CAPTURE_FALLING, false },
		{ "both", CAPTURE_BOTH, false }, { "before", CAPTURE_RISING, true },
	};
	char *colon;
	size_t i;

	while ((colon = strrchr(clock, ':'))) {
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (!strcmp(colon + 1, words[i].word))
				break;
		if (i == sizeof(words) / sizeof(words[0]))
			break;
		if (words[i].before)
			c->before = true;
		else
			c->edge = words[i].edge;
		*colon = '\0';
	}
}

static int capture_options(const struct command *cmd, const struct run *r, struct capture *c)
{
	const char *why;
	uint64_t ticks;

	c->pins = r->pins;
	c->clock = r->clock;
	if (r->clock)
		take_edge(c, r->clock);
	why = capture_names(c);
	if (why)
		return misuse(cmd, "--pins and --clock: %s", why);
	if (!r->period)
		return 0;
	if (r->clock)
		return misuse(cmd, "--clock or --period, not both");
	if (!strcmp(r->from, "csv")) {
		if (import_csv_time(r->period, &c->period) && c->period > 0)
			return 0;
		return misuse(cmd, "--period: '%s' is no time", r->period);
	}
	if (!softpt_number_within(r->period, 1, INT64_MAX, &ticks))
		return misuse(cmd, "--period: '%s' is no number of ticks", r->period);
	c->period = ticks;
	return 0;
}

static int put_bytes(void *file, const void *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, file) == len)
		return 0;
	return errno ? -errno : -EIO;
}

static int import_capture(const struct run *r, struct capture *c, const char *path)
{
	const struct softpt_port_config unknown = { 0 };
	FILE *file;
	int status;

	if (lines_open(&c->lines, path))
		return refuse_error(path, &c->lines.error);
	file = open_output(r->output);
	if (file) {
		port_init(&c->port, &unknown, put_bytes, file);
		status = strcmp(r->from, "vcd") ? import_csv(c) : import_vcd(c);
		status |= close_output(file, r->output);
	} else {
		status = EXIT_REFUSED;
	}
	lines_close(&c->lines);
	return status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct run r = { .ticks = 1, .thread = -1 };
	struct capture *c;
	const char *path;
	int status;

	if (parse_options(cmd, &r, argc, argv))
		return EXIT_USAGE;
	path = only_operand(cmd, argc, argv, "LOG");
	if (!path)
		return EXIT_USAGE;
	if (!is_capture(&r))
		return spare_input(path, r.output) ? EXIT_REFUSED : import_log(&r, path);
	c = calloc(1, sizeof(*c));
	if (!c)
		return refuse(path, "%s", strerror(ENOMEM));
	status = capture_options(cmd, &r, c);
	if (!status && spare_input(path, r.output))
		status = EXIT_REFUSED;
	if (!status)
		status = import_capture(&r, c, path);
	free(c);
	return status;
}

const struct command command_import = {
	.name = "import",
	.args = "--from qemu-log LOG -o EVENTS | --from vcd|csv CAPTURE -o FILE",
	.what = "turn a simulator's log into event text, an analyser's capture into a trace port",
	.more = "LOG is what this leaves, - is stdin:\n"
		"  qemu-x86_64 -singlestep -d in_asm,exec,nochain -D LOG PROGRAM\n"
		"CAPTURE is what a logic analyser saw at the pins of a trace port, for dump, decode and flow.",
	.options = options,
	.run = run,
};
