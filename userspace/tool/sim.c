// SPDX-License-Identifier: BSD-2-Clause
/* softpt sim: the engine of the module, in this process */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "eventtext.h"
#include "tool.h"
#include "truth.h"

static const struct option_row options[] = {
	{ 'o', "output", "FILE", "raw packets, - is stdout" },
	OPTION_CONFIG,
	{ 't', "truth", "FILE", "event,kind,tsc,cycles of each record of `softpt decode`" },
	{ 's', "stats", NULL, "counts on stderr" },
	{ 0 }
};

struct output {
	const char *path;
	FILE *file;
};

struct run {
	struct output packets;
	struct output truth;
	bool stats;
	struct softpt_config cfg;
};

static int output_open(struct output *o)
{
	if (!o->path)
		return 0;
	o->file = strcmp(o->path, "-") ? fopen(o->path, "wb") : stdout;
	return o->file ? 0 : refuse(o->path, "%s", strerror(errno));
}

/* A full disk may show only now. */
static int output_close(struct output *o)
{
	int err;

	if (!o->file || o->file == stdout)
		return 0;
	err = ferror(o->file);
	if (fclose(o->file) || err)
		return refuse(o->path, "%s", strerror(errno ? errno : EIO));
	return 0;
}

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct run *r = ctx;

	if (!r->packets.file || fwrite(buf, 1, len, r->packets.file) == len)
		return 0;
	return errno ? -errno : -EIO;
}

static int put_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct run *r = ctx;

	(void)rec;
	if (fprintf(r->truth.file, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 "\n", row->event,
		    softpt_record_kind_name(row->kind), row->tsc, row->cycles) >= 0)
		return 0;
	return errno ? -errno : -EIO;
}

static void print_stats(const struct softpt_counts *c)
{
	fprintf(stderr,
		"events %llu, packets %llu, bytes %llu, MTC %llu, suppressed %llu, overflows %llu, events lost %llu\n",
		c->events, c->packets, c->bytes, c->mtc, c->mtc_suppressed, c->overflows,
		c->events_lost);
}

/* The events of a file, one by one. Return: exit status */
static int feed(struct run *r, struct sim *sim, struct event_reader *events)
{
	struct progress progress = { .what = "sim" };
	struct softpt_event ev;
	const char *why;
	uint64_t n = 0;
	int ret = 0, more;

	while (!ret && (more = event_reader_next(events, &ev)) > 0) {
		ret = sim_event(sim, &ev, &why);
		if (ret == -EINVAL || ret == -ERANGE)
			return refuse(events->name, "line %" PRIu64 ": %s", events->line, why);
		if (!(++n & 0xfffff))
			progress_step(&progress, n);
	}
	progress_end(&progress);
	if (!ret && more < 0)
		return EXIT_REFUSED;
	if (!ret)
		ret = sim_finish(sim);
	if (ret)
		return refuse(r->packets.path, "%s", strerror(-ret));
	return 0;
}

static int simulate(struct run *r, const char *path)
{
	struct sim_output out = {
		.bytes = put_bytes,
		.row = r->truth.path ? put_row : NULL,
		.ctx = r,
	};
	struct event_reader events;
	struct sim *sim;
	int status;

	if (spare_input(path, r->packets.path) || spare_input(path, r->truth.path))
		return EXIT_REFUSED;
	if (event_reader_open(&events, path))
		return EXIT_REFUSED;
	status = output_open(&r->packets);
	if (!status)
		status = output_open(&r->truth);
	if (!status && r->truth.file)
		fputs("event,kind,tsc,cycles\n", r->truth.file);
	sim = status ? NULL : sim_new(&r->cfg, &out);
	if (!status)
		status = sim ? feed(r, sim, &events) : refuse(path, "%s", strerror(ENOMEM));
	if (sim && r->stats)
		print_stats(&sim_engine(sim)->counts);
	sim_free(sim);
	status |= output_close(&r->packets);
	status |= output_close(&r->truth);
	event_reader_close(&events);
	return status ? EXIT_REFUSED : 0;
}

static int parse_options(const struct command *cmd, struct run *r, int argc, char **argv)
{
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'o':
			r->packets.path = optarg;
			break;
		case 't':
			r->truth.path = optarg;
			break;
		case 's':
			r->stats = true;
			break;
		case 'c':
			if (config_option(&r->cfg, optarg))
				return EXIT_USAGE;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (config_done(&r->cfg))
		return EXIT_USAGE;
	if (!r->packets.path)
		return misuse(cmd, "-o FILE says where the packets go (- is stdout)");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct softpt_complaint why;
	struct run r = { 0 };
	const char *path;

	softpt_config_default(&r.cfg);
	if (parse_options(cmd, &r, argc, argv))
		return EXIT_USAGE;
	path = only_operand(cmd, argc, argv, "EVENTS");
	if (!path)
		return EXIT_USAGE;
	if (softpt_config_check_stock(&r.cfg, &why))
		fprintf(stderr, "softpt: note: libipt and perf will misread this stream: %s: %s\n",
			why.key, why.rule);
	return simulate(&r, path);
}

const struct command command_sim = {
	.name = "sim",
	.args = "EVENTS -o FILE",
	.what = "turn event text into packets, in this process",
	.more = "EVENTS is event text (man softpt-events), - is stdin. No module, no root: the very\n"
		"engine that runs in the kernel.",
	.options = options,
	.run = run,
};
