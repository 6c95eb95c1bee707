// SPDX-License-Identifier: BSD-2-Clause
/* softpt sim: the engine of the module, in this process */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "base/number.h"
#include "retire/text.h"
#include "events/text.h"
#include "cli/counters.h"
#include "sim/counters.h"
#include "sim/output.h"
#include "sim/port.h"
#include "sim/trigger.h"
#include "cli/fragment.h"
#include "cli/tool.h"
#include "sim/sim.h"

enum {
	ID_COUNTER = 256,
	ID_COUNTERS,
	ID_COUNT,
	ID_INTERVAL,
	ID_TE,
	ID_LIST_EVENTS,
	ID_PIPELINE,
	ID_FREEZE,
	ID_EAR,
	ID_TRIGGER,
	ID_BEFORE,
	ID_AFTER,
};

static const struct option_row options[] = {
	{ 'o', "output", "FILE", "raw packets, - is stdout" },
	OPTION_CONFIG,
	{ 't', "truth", "FILE", "event,kind,tsc,cycles of each record of `softpt decode`" },
	{ 's', "stats", NULL, "counts on stderr" },
	{ ID_COUNTER, "counter", "[K=]CLASS[/SUBMASK][:QUAL...][:preset=N][:stop]",
	  "let counter K, or any, count this, from N on; may be repeated" },
	{ ID_COUNTERS, "counters", "FILE", "what the counters have counted, as CSV" },
	{ ID_COUNT, "count", COUNT_ARG,
	  "at TIME (TSC), before its events, do any of this; may be repeated" },
	{ ID_INTERVAL, "interval", "TICKS", "also what they had counted each TICKS (TSC)" },
	{ ID_LIST_EVENTS, "list-events", NULL, "what can be counted, and by which counters" },
	{ ID_PIPELINE, "pipeline", "KEY=VALUE,...",
	  "instructions retire from it: stages, min, delay, write, depth, after, capacity" },
	{ ID_FREEZE, "freeze", "CLASS[/SUBMASK][:QUAL...][,nth=K]",
	  "the event that freezes the records of retired instructions" },
	{ ID_EAR, "ear", "FILE", "these records, as CSV, for `softpt address`" },
	{ ID_TRIGGER, "trigger", TRIGGER_ARG, TRIGGER_WHAT },
	{ ID_BEFORE, "before", "SIZE", BEFORE_WHAT },
	{ ID_AFTER, "after", "SIZE", AFTER_WHAT },
	{ ID_TE, "te", "K", "format=port: freeze for the K-th trigger event on the pins (1)" },
	{ 0 }
};

struct run {
	struct output packets;
	struct output truth;
	struct output counters;
	struct output ear;
	struct sim_counters counting;
	struct ear_event freeze;
	struct ear_pipeline pipeline;
	bool stats;
	struct softpt_config cfg;
	struct sim_port port;
	struct sim_trigger trigger;
};

/* A list of all outputs */
#define OUTPUTS(r)	{ &(r)->packets, &(r)->truth, &(r)->counters, &(r)->ear }
#define NR_OUTPUTS	4

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct run *r = ctx;

	if (sim_trigger_freezes(&r->trigger)) {
		sim_trigger_bytes(&r->trigger, buf, len);
		return 0;
	}
	if (!r->packets.file || fwrite(buf, 1, len, r->packets.file) == len)
		return 0;
	return output_failed(&r->packets, errno);
}

/* What the ring holds becomes the file, and the next time another. */
static int freeze(void *ctx)
{
	struct run *r = ctx;
	int ret = sim_trigger_fragment(&r->trigger, r->packets.path, r->packets.file);

	return ret < 0 ? output_failed(&r->packets, -ret) : ret;
}

static int put_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct run *r = ctx;

	(void)rec;
	if (fprintf(r->truth.file, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 "\n", row->event,
		    softpt_record_kind_name(row->kind), row->tsc, row->cycles) >= 0)
		return 0;
	return output_failed(&r->truth, errno);
}

static int end(struct run *r)
{
	int ret = sim_trigger_end(&r->trigger, r->packets.path, r->packets.file);

	return ret < 0 ? output_failed(&r->packets, -ret) : ret;
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
	int ret = 0, more = 1;

	while (!ret && more > 0 && (more = event_reader_next(events, &ev)) > 0) {
		ret = sim_counters_pass(&r->counting, sim, ev.tsc, &why);
		if (!ret)
			ret = sim_event(sim, &ev, &why);
		if (ret == -EINVAL || ret == -ERANGE || ret == -EFBIG || ret == -EBUSY)
			return refuse(events->lines.name, "line %" PRIu64 ": %s",
				      events->lines.number, why);
		if (!(++n & 0xfffff))
			progress_step(&progress, n);
	}
	progress_end(&progress);
	if (ret == SIM_FROZEN)
		return 0;
	if (!ret && more < 0)
		return refuse_error(events->lines.name, &events->lines.error);
	if (!ret)
		ret = sim_finish(sim);
	if (!ret && sim_trigger_freezes(&r->trigger))
		ret = end(r);
	if (ret < 0)
		return refuse(events->lines.name, "%s", strerror(-ret));
	return ret ? EXIT_REFUSED : 0;
}

/* The event that freezes takes a counter of its own, which --counters does not show. */
static void start(struct run *r, struct sim *sim)
{
	struct softpt_plan all = r->counting.set.plan;
	int number = r->ear.path ? ear_plan(&all, &r->freeze, NULL) : -1;

	r->counting.file = r->counters.file;
	counters_start(sim, &all, all.counters & ~r->counting.set.stopped);
	sim_trigger_start(&r->trigger, sim);
	if (number >= 0)
		sim_record(sim, &r->pipeline.p, number);
}

static void write_ear(struct run *r, const struct sim *sim)
{
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	struct softpt_frozen frozen = { .capacity = r->pipeline.capacity };
	bool is_frozen = sim_frozen(sim, record, &frozen);

	ear_write(r->ear.file, &frozen);
	if (!is_frozen)
		fprintf(stderr, "softpt: note: %s: no records: the event came less than %" PRIu64
			" times\n", r->ear.path, r->freeze.nth);
}

/* Each output is one file's: two would mix, or one would be gone */
static int check_outputs(const struct command *cmd, const struct run *r)
{
	const struct output *const all[NR_OUTPUTS] = OUTPUTS(r);
	const bool fragments = r->packets.path && sim_trigger_goes_on(&r->trigger);
	const char *path;
	size_t i, k;

	for (i = 0; i < NR_OUTPUTS; i++) {
		path = all[i]->path;
		for (k = 0; path && k < i; k++)
			if (all[k]->path && !strcmp(path, all[k]->path))
				return misuse(cmd, "two outputs go to %s", path);
	}
	for (i = 1; i < NR_OUTPUTS && fragments; i++) {
		path = all[i]->path;
		if (path && is_fragment(path, r->packets.path))
			return misuse(cmd, "%s: a name for what freezes next (rearm)", path);
	}
	return 0;
}

/* A TSC packet has 56 bits, and a PSB+ the others with describe=1. */
static void warn_modulo(const struct run *r, const struct sim *sim)
{
	if (r->packets.path && r->cfg.flags & SOFTPT_F_TSC && !(r->cfg.flags & SOFTPT_F_DESCRIBE) &&
	    sim_engine(sim)->now >> 56)
		fprintf(stderr, "softpt: note: %s: describe=0: nothing tells TSC[63:56], times are modulo 2^56\n",
			r->packets.path);
}

/* Return: 0, or EXIT_REFUSED after a message: an output would be written over the input */
static int check_input(struct run *r, const char *path)
{
	const struct output *const all[NR_OUTPUTS] = OUTPUTS(r);
	size_t i;

	for (i = 0; i < NR_OUTPUTS; i++)
		if (spare_input(path, all[i]->path))
			return EXIT_REFUSED;
	if (sim_trigger_goes_on(&r->trigger) && is_fragment(path, r->packets.path))
		return refuse(path, "is the input, too, and would be lost");
	return 0;
}

static int open_outputs(struct run *r)
{
	struct output *const all[NR_OUTPUTS] = OUTPUTS(r);
	int status = 0;
	size_t i;

	if (sim_trigger_alloc(&r->trigger))
		return refuse(r->packets.path, "%s", strerror(ENOMEM));
	for (i = 0; i < NR_OUTPUTS && !status; i++)
		status = output_open(all[i]);
	if (!status && r->truth.file)
		fputs("event,kind,tsc,cycles\n", r->truth.file);
	return status;
}

static int close_outputs(struct run *r)
{
	struct output *const all[NR_OUTPUTS] = OUTPUTS(r);
	int status = 0;
	size_t i;

	for (i = 0; i < NR_OUTPUTS; i++)
		status |= output_close(all[i]);
	return status;
}

static int run_sim(struct run *r, const char *path, struct event_reader *events)
{
	const struct sim_output out = {
		.bytes = put_bytes,
		.row = r->truth.path ? put_row : NULL,
		.freeze = freeze,
		.ctx = r,
	};
	struct sim *sim = sim_new(&r->cfg, &out);
	int status;

	if (!sim)
		return refuse(path, "%s", strerror(ENOMEM));
	start(r, sim);
	status = feed(r, sim, events);
	if (!status)
		sim_counters_end(&r->counting, sim);
	if (!status && r->ear.file)
		write_ear(r, sim);
	if (r->stats) {
		print_stats(&sim_engine(sim)->counts);
		sim_trigger_print(&r->trigger);
	}
	if (!status)
		warn_modulo(r, sim);
	sim_free(sim);
	return status;
}

static int simulate(struct run *r, const char *path)
{
	struct event_reader events;
	int status;

	if (check_input(r, path))
		return EXIT_REFUSED;
	if (event_reader_open(&events, path))
		return refuse_error(path, &events.lines.error);
	r->trigger.input = path;
	status = open_outputs(r);
	if (!status)
		status = run_sim(r, path, &events);
	sim_trigger_free(&r->trigger);
	status |= close_outputs(r);
	event_reader_close(&events);
	return status ? EXIT_REFUSED : 0;
}

/* --pipeline and --freeze as given. Return: 0, or EXIT_USAGE after a message */
static int ear_options(const struct command *cmd, struct run *r, int id)
{
	struct error e;
	int err;

	if (id == ID_PIPELINE)
		err = ear_parse_pipeline(&r->pipeline, optarg, &e);
	else
		err = ear_parse_event(&r->freeze, optarg, &e);
	if (!err)
		return 0;
	return misuse(cmd, "--%s: %s", id == ID_PIPELINE ? "pipeline" : "freeze", e.text);
}

/* All three or none, and a counter for it */
static int ear_done(const struct command *cmd, const struct run *r)
{
	struct softpt_plan all = r->counting.set.plan;
	struct error e;

	if (!r->pipeline.p.stages && !r->freeze.nth && !r->ear.path)
		return 0;
	if (!r->pipeline.p.stages || !r->freeze.nth || !r->ear.path)
		return misuse(cmd, "--pipeline, --freeze and --ear go together");
	if (r->freeze.delay)
		return misuse(cmd, "--freeze: delay is a key of --pipeline");
	if (ear_plan(&all, &r->freeze, &e) < 0)
		return misuse(cmd, "--freeze: %s", e.text);
	return 0;
}

static int port_options(const struct command *cmd, struct run *r)
{
	if (r->truth.path || r->counters.path || r->ear.path || r->pipeline.p.stages ||
	    r->freeze.nth)
		return misuse(cmd,
			      "--truth, --counters and --ear are of packets, not of format=port");
	if (r->counting.set.stopped || r->counting.set.nr_steps || r->counting.interval)
		return misuse(cmd,
			      "--count, --interval and :stop are of packets, not of format=port");
	r->port.set = &r->trigger.set;
	r->port.plan = &r->counting.set.plan;
	return sim_port_done(cmd, &r->port, r->packets.path);
}

/* Options of counters; those of any counter come when it is known which are left */
struct any {
	const char *text[SOFTPT_COUNTERS];
	unsigned int n;
};

static int counter_options(const struct command *cmd, struct run *r, struct any *any, int id)
{
	switch (id) {
	case ID_COUNTER:
		if (optarg[strcspn(optarg, "=:")] == '=' || any->n == SOFTPT_COUNTERS)
			return counter_option(&r->counting.set, optarg);
		any->text[any->n++] = optarg;
		return 0;
	case ID_COUNTERS:
		r->counters.path = optarg;
		return 0;
	case ID_COUNT:
		return count_option(&r->counting.set, optarg);
	case ID_INTERVAL:
		if (softpt_number_within(optarg, 1, UINT64_MAX, &r->counting.interval))
			return 0;
		return misuse(cmd, "--interval %s: no number of TSC ticks", optarg);
	case ID_LIST_EVENTS:
		exit(list_events());
	}
	return EXIT_USAGE;
}

static int parse_option(const struct command *cmd, struct run *r, struct any *any, int id)
{
	switch (id) {
	case 'o':
		r->packets.path = optarg;
		return 0;
	case 't':
		r->truth.path = optarg;
		return 0;
	case 's':
		r->stats = true;
		return 0;
	case 'c':
		return sim_port_config(&r->port, &r->cfg, optarg);
	case ID_PIPELINE:
	case ID_FREEZE:
		return ear_options(cmd, r, id);
	case ID_EAR:
		r->ear.path = optarg;
		return 0;
	case ID_TRIGGER:
		return trigger_option(cmd, &r->trigger.set, optarg);
	case ID_BEFORE:
		return before_option(cmd, &r->trigger.set, optarg);
	case ID_AFTER:
		return after_option(cmd, &r->trigger.set, optarg);
	case ID_TE:
		if (softpt_number_within(optarg, 1, UINT64_MAX, &r->port.te))
			return 0;
		return misuse(cmd, "--te is 1 or more, not '%s'", optarg);
	default:
		return counter_options(cmd, r, any, id);
	}
}

/* What goes together, once all are there */
static int check_options(const struct command *cmd, struct run *r)
{
	const struct counters *set = &r->counting.set;

	if (config_done(&r->cfg))
		return EXIT_USAGE;
	if (r->port.chosen)
		return port_options(cmd, r);
	if (r->port.te)
		return misuse(cmd, "--te is of the trace port (-c format=port)");
	if (set->plan.counters && !r->counters.path)
		return misuse(cmd, "--counters FILE says where the counters go (- is stdout)");
	if (r->counting.interval && !r->counters.path)
		return misuse(cmd, "--interval is of --counters FILE");
	if (counters_done(set) || ear_done(cmd, r))
		return EXIT_USAGE;
	if (!r->packets.path && !r->counters.path && !r->ear.path)
		return misuse(cmd, "-o FILE says where the packets go (- is stdout)");
	if (check_outputs(cmd, r))
		return EXIT_USAGE;
	return sim_trigger_done(cmd, &r->trigger, &r->cfg, r->packets.path, r->truth.path);
}

static int parse_options(const struct command *cmd, struct run *r, int argc, char **argv)
{
	struct any any = { .n = 0 };
	unsigned int i;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (parse_option(cmd, r, &any, id))
			return EXIT_USAGE;
	for (i = 0; i < any.n; i++)
		if (counter_option(&r->counting.set, any.text[i]))
			return EXIT_USAGE;
	return check_options(cmd, r);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct run r = { 0 };
	const char *path;

	softpt_config_default(&r.cfg);
	softpt_port_config_init(&r.port.cfg);
	if (parse_options(cmd, &r, argc, argv))
		return EXIT_USAGE;
	path = only_operand(cmd, argc, argv, "EVENTS");
	if (!path)
		return EXIT_USAGE;
	if (r.port.chosen)
		return sim_port(&r.port, path, r.packets.path, r.stats);
	config_warn_stock(&r.cfg);
	return simulate(&r, path);
}

const struct command command_sim = {
	.name = "sim",
	.args = "EVENTS -o FILE | EVENTS --counters FILE | EVENTS --ear FILE",
	.what = "turn event text into packets, in this process",
	.more = "EVENTS is event text (man softpt-events), - is stdin. No module, no root: the very\n"
		"engine that runs in the kernel. CLASS and SUBMASK are names or numbers, QUAL is u, k, tN,\n"
		"tNu or tNk: user or kernel level of hardware thread N. Without --counter nothing is counted.\n"
		"--before and --after write what a ring would hold that freezes so much after the first\n"
		"trigger event; with rearm FILE.1 and so on are what it holds after the next ones.\n"
		"-c format=port makes symbols of the 7-pin trace port instead (se_period, fifo). There SIZE is\n"
		"in clocks, or Npsb: N times se_period.",
	.options = options,
	.run = run,
};
