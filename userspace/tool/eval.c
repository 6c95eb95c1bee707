// SPDX-License-Identifier: BSD-2-Clause
/* softpt eval: what a configuration saves, and what it costs in precision */
#include "eval/png.h"
#include "eval/types.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <softpt/params.h>

#include "base/number.h"
#include "source/synth.h"
#include <softpt/softpt.h>
#include "cli/tool.h"

#define GRID_DEFAULT	"cyc=0,1 N=off,2,4,8 M=16,254 V=0 resume=tsc"

enum {
	ID_SYNTH = 256,
	ID_SVG,
	ID_PNG,
	ID_PERF,
	ID_GAPS,
	ID_TRUTH,
};

static const struct option_row options[] = {
	OPTION_CONFIG,
	{ 'g', "grid", "'KEY=VALUE,... KEY=...'", "the configurations: each value with each" },
	{ ID_SYNTH, "synth", "PROFILE[,KEY=VALUE...]",
	  "instead of EVENTS: dense, sparse, bursty, idle or clocks" },
	{ 'f', "format", "table|csv|json", "what is printed (table)" },
	{ 'C', "cpu", "N", "of a recording: the events of this CPU (that with the most)" },
	{ ID_TRUTH, "truth", "FILE", "of a recording: when they happened (FILE.truth beside it)" },
	{ ID_PERF, "perf", NULL, "ask perf, too, where it is installed" },
	{ ID_GAPS, "gaps", NULL, "worst errors by how long nothing had happened" },
	{ ID_SVG, "svg", "FILE", "the same as pictures" },
	{ ID_PNG, "png", "FILE", "the same pictures in pixels, where librsvg is installed" },
	{ 'j', "jobs", "N", "configurations at a time (one for each CPU)" },
	{ 0 }
};

/* The workers take points one by one. */
struct run {
	const char *path;		/* of EVENTS, or the text of --synth */
	const char *synth;
	struct eval_pictures pictures;
	struct eval_recording from;
	const char **config;		/* -c as given: what it changes is known later */
	unsigned int nr_config;
	enum eval_format format;
	bool perf;
	bool gaps;
	uint64_t jobs;
	struct softpt_config cfg;
	struct eval_grid grid;
	struct event_list events[EVAL_VALUES];	/* one, but for each rate of clock changes */
	unsigned int nr_events;
	struct eval_point *points;
	size_t nr_points;

	pthread_mutex_t lock;		/* of the rest */
	size_t next;
	size_t done;
	int err;
	struct eval_refusal refusal;
	struct progress progress;
};

static struct eval_point *take(struct run *r)
{
	struct eval_point *p = NULL;

	pthread_mutex_lock(&r->lock);
	if (!r->err && r->next < r->nr_points)
		p = &r->points[r->next++];
	pthread_mutex_unlock(&r->lock);
	return p;
}

static void *work(void *ctx)
{
	struct eval_refusal refusal = { 0 };
	struct run *r = ctx;
	struct eval_point *p;

	while ((p = take(r))) {
		int err = eval_point(p, r->perf, &refusal);

		pthread_mutex_lock(&r->lock);
		if (err && !r->err) {
			r->err = err;
			r->refusal = refusal;
		}
		progress_step(&r->progress, ++r->done);
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

static int say_refusal(const struct run *r)
{
	const struct eval_refusal *why = &r->refusal;

	if (r->err == -EFBIG)
		return refuse(r->path, "a configuration makes more than %u MiB of packets: a long gap? (suppress=, or a larger mtc_freq=)",
			      EVAL_BYTES_MAX >> 20);
	if (r->err == -ENOENT)
		return refuse("perf", "not found: apt-get install linux-perf, or leave out --perf");
	if (r->err == -ECHILD)
		return refuse("perf", "perf script fails on the trace (known to work: perf 6.1), or leave out --perf");
	if (r->err != -EINVAL)
		return refuse(r->path, "%s", softpt_strerror(r->err));
	if (!r->events[0].line)
		return refuse(r->path, "event %zu: %s", why->event, why->why);
	return refuse(r->path, "line %" PRIu64 ": %s", r->events[0].line[why->event], why->why);
}

static int work_all(struct run *r)
{
	size_t n = r->jobs < r->nr_points ? r->jobs : r->nr_points, i;
	pthread_t *threads = calloc(n, sizeof(*threads));

	if (!threads)
		return refuse(r->path, "out of memory");
	r->progress = (struct progress){ .what = "eval", .total = r->nr_points };
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, r))
			break;
	if (!i)			/* then it does it all by itself */
		work(r);
	while (i--)
		pthread_join(threads[i], NULL);
	free(threads);
	progress_end(&r->progress);
	return r->err ? say_refusal(r) : 0;
}

/* A bound that is wrong is a mistake of ours, and the worst there is. */
static int check_bounds(const struct run *r)
{
	uint64_t outside = 0, records = 0;
	size_t i;

	for (i = 0; i < r->nr_points; i++) {
		outside += r->points[i].outside;
		records += r->points[i].records;
	}
	if (!outside)
		return 0;
	return refuse(r->path, "%" PRIu64 " of %" PRIu64 " records lie outside their bounds",
		      outside, records);
}

static int make_events(struct run *r, int clock_permille)
{
	char why[320];
	int err = synth_events(r->synth, clock_permille, &r->cfg, &r->events[r->nr_events++], why,
			     sizeof(why));

	if (err == -EINVAL) {
		fprintf(stderr, "softpt: --synth: %s\n", why);
		return EXIT_USAGE;
	}
	return err ? refuse(r->path, "%s", softpt_strerror(err)) : 0;
}

/* Points of one rate of clock changes have the same, and follow each other. */
static int make_all_events(struct run *r)
{
	int status = 0, last = -2;
	size_t i;

	for (i = 0; !status && i < r->nr_points; i++) {
		struct eval_point *p = &r->points[i];

		if (p->clock_permille != last)
			status = make_events(r, p->clock_permille);
		last = p->clock_permille;
		p->events = &r->events[r->nr_events - 1];
	}
	return status;
}

static int read_events(struct run *r)
{
	struct event_list *list = &r->events[0];
	struct error e;
	size_t i;
	int status;

	if (r->synth)
		return make_all_events(r);
	if (r->points[0].clock_permille >= 0)
		return refuse(r->path, "a grid of clock_permille needs --synth: these events have the clock that they have");
	status = list->n || !event_list_read(list, r->path, &e) ? 0 : refuse_error(r->path, &e);
	if (!status && !list->n)
		status = refuse(r->path, "no event");
	for (i = 0; i < r->nr_points; i++)
		r->points[i].events = list;
	return status;
}

static int make_points(struct run *r)
{
	char why[320];
	int n = eval_grid_points(&r->grid, &r->cfg, &r->points, why, sizeof(why));

	if (n == -EINVAL) {
		fprintf(stderr, "softpt: --grid: %s\n", why);
		return EXIT_USAGE;
	}
	if (n < 0)
		return refuse(r->path, "%s", softpt_strerror(n));
	r->nr_points = n;
	return 0;
}

/* A recording says what it was made with, the rest begins with the defaults. */
static int configure(struct run *r)
{
	unsigned int i;
	int status = 0;

	softpt_config_default(&r->cfg);
	r->from.path = r->path;
	if (!r->synth && eval_is_recording(r->path))
		status = eval_recording(&r->from, &r->cfg, &r->events[0]);
	else if (r->from.truth || r->from.cpu >= 0)
		status = refuse(r->path, "no recording: it has neither --truth nor --cpu");
	for (i = 0; i < r->nr_config && !status; i++)
		status = config_option(&r->cfg, r->config[i]);
	return status ? status : config_done(&r->cfg);
}

static int evaluate(struct run *r)
{
	int status = configure(r);

	if (!status)
		status = make_points(r);

	if (!status && !r->synth && (spare_input(r->path, r->pictures.svg) ||
				     spare_input(r->path, r->pictures.png)))
		return EXIT_REFUSED;
	if (!status && r->pictures.png)
		status = eval_png_load(r->pictures.png);
	if (!status)
		status = read_events(r);
	if (!status)
		status = work_all(r);
	if (status)
		return status;
	if (r->gaps)
		eval_print_gaps(stdout, r->format, r->points, r->nr_points);
	else
		eval_print(stdout, r->format, r->points, r->nr_points, r->perf);
	if (r->pictures.svg || r->pictures.png)
		status = eval_draw(&r->pictures, r->points, r->nr_points);
	return status | check_bounds(r);
}

static int parse_format(const struct command *cmd, struct run *r)
{
	static const char *const names[] = { "table", "csv", "json" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], optarg)) {
			r->format = i;
			return 0;
		}
	return misuse(cmd, "--format %s: table, csv or json", optarg);
}

static int parse_grid(struct eval_grid *grid, const char *text)
{
	char why[320];

	if (!eval_grid_parse(grid, text, why, sizeof(why)))
		return 0;
	fprintf(stderr, "softpt: --grid: %s\n", why);
	return EXIT_USAGE;
}

static int parse_options(const struct command *cmd, struct run *r, int argc, char **argv)
{
	const char *grid = GRID_DEFAULT;
	uint64_t cpu;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'c':
			if (config_option(&r->cfg, optarg))
				return EXIT_USAGE;
			r->config[r->nr_config++] = optarg;
			break;
		case 'C':
			if (!softpt_number_within(optarg, 0, INT32_MAX, &cpu))
				return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
			r->from.cpu = cpu;
			break;
		case ID_TRUTH:
			r->from.truth = optarg;
			break;
		case 'g':
			if (parse_grid(&r->grid, optarg))
				return EXIT_USAGE;
			grid = "";
			break;
		case ID_SYNTH:
			r->synth = optarg;
			break;
		case ID_SVG:
			r->pictures.svg = optarg;
			break;
		case ID_PERF:
			r->perf = true;
			break;
		case ID_GAPS:
			r->gaps = true;
			break;
		case ID_PNG:
			r->pictures.png = optarg;
			break;
		case 'f':
			if (parse_format(cmd, r))
				return EXIT_USAGE;
			break;
		case 'j':
			if (!softpt_number_within(optarg, 1, 1024, &r->jobs))
				return misuse(cmd, "--jobs %s: 1 to 1024", optarg);
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (r->pictures.svg && r->pictures.png && !strcmp(r->pictures.svg, r->pictures.png))
		return misuse(cmd, "--svg and --png %s: one file is not both", r->pictures.png);
	return parse_grid(&r->grid, grid);
}

static int parse_and_evaluate(const struct command *cmd, struct run *r, int argc, char **argv)
{
	if (parse_options(cmd, r, argc, argv))
		return EXIT_USAGE;
	if (r->synth && optind < argc)
		return misuse(cmd, "%s: --synth makes the events", argv[optind]);
	r->path = r->synth ? r->synth : only_operand(cmd, argc, argv, "EVENTS");
	return r->path ? evaluate(r) : EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct run r = {
		.jobs = cpus > 0 ? cpus : 1, .lock = PTHREAD_MUTEX_INITIALIZER,
		.from.cpu = -1,
	};
	unsigned int i;
	int status;

	r.config = calloc(argc, sizeof(*r.config));
	if (!r.config)
		return refuse("eval", "%s", strerror(ENOMEM));
	softpt_config_default(&r.cfg);
	status = parse_and_evaluate(cmd, &r, argc, argv);
	free(r.config);
	free(r.points);
	for (i = 0; i < EVAL_VALUES; i++)
		event_list_free(&r.events[i]);
	return status;
}

const struct command command_eval = {
	.name = "eval",
	.args = "EVENTS | RECORDING | --synth PROFILE",
	.what = "weigh configurations: bytes against the precision of times",
	.more = "EVENTS is event text (man softpt-events), - is stdin. Of a RECORDING, raw packets or\n"
		"perf.data, one CPU's records become events again, at their true times where they are known\n"
		"(record -c truth=1M), and what it was made with is where -c begins. Each configuration's packets are made,\n"
		"decoded and compared with the truth, here, by libipt where it is linked, and with --perf by perf.\n"
		"Times are TSC ticks. The exit status is 1 when a true time lies outside its bounds.\n"
		"KEYs of a grid: cyc, mtc_freq, suppress, resume, burst, preroll; or the letters N (suppress),\n"
		"M (resume=count), V (resume=payload), B (burst), K (preroll). -c says what they do not.\n"
		"With --synth clock_permille is one more: of 1000 events, how many change the clock.\n"
		"Without --grid: '" GRID_DEFAULT "'.\n"
		"KEYs of a profile: seed, events, mean_gap, burst, sleep_permille, clock_permille.",
	.options = options,
	.run = run,
};
