// SPDX-License-Identifier: BSD-2-Clause
/* softpt decode: timed events, with bounds */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "base/number.h"
#include <softpt/decoder.h>
#include "truth/judge.h"
#include "port-print.h"
#include "cli/input.h"
#include "cli/tool.h"
#include "decode/print.h"

static const struct option_row options[] = {
	{ 'f', "format", "text|csv|json", "what is printed (text)" },
	OPTION_CONFIG,
	{ 'C', "cpu", "N", "this CPU only" },
	{ 'R', "relative", NULL, "also the time from the trigger event on" },
	{ 'y', "cycles", NULL, "also core cycles since the last TSC or MTC, and in all" },
	{ 't', "truth", "FILE", "also when it really happened, and how far off the time is" },
	{ 0 }
};

/* The trace of one CPU or thread, and its next record; @row.rec NULL: there is none */
struct source {
	struct softpt_decoder *d;
	struct decode_row row;
	struct truth_cursor truth;
};

struct decode {
	const char *path;
	int cpu;		/* -1: all */
	bool given;		/* -c */
	bool relative;
	bool cycles;
	struct trigger_event te;
	const char *truth_path;
	struct truth_file truth;
	struct truth_sum sum;
	struct truth_judged judged;
	struct softpt_config cfg;
	const struct decode_format *format;
	struct source *src;
	unsigned int nr;
	int status;
};

/* ---- decoding ---- */

/* The next record of a stream; damage is reported and left behind. */
static void advance(struct decode *d, struct source *s)
{
	const struct softpt_resync *resync = softpt_decoder_resync(s->d);
	int ret;

	while ((ret = softpt_decoder_next(s->d, &s->row.rec)) < 0) {
		d->status = EXIT_REFUSED;
		refuse_at(d->path, resync->offset, "%s; looking for the next %s",
			  softpt_strerror(ret), ret == -SOFTPT_ERR_TIME ? "that does not" : "PSB");
		if (ret > -SOFTPT_ERR_END)	/* no memory */
			break;
	}
	if (ret > 0)
		return;
	s->row.rec = NULL;
	if (!softpt_decoder_counts(s->d)->packets) {
		d->status = EXIT_REFUSED;
		refuse_at(d->path, 0, "no PSB: not a trace, or cut out of one");
	}
}

/* What -c says and the trace says of itself, and times are made of */
static bool same_clocks(const struct softpt_config *a, const struct softpt_config *b)
{
	const uint32_t flags = SOFTPT_F_MTC | SOFTPT_F_CYC;

	return !((a->flags ^ b->flags) & flags) && a->tsc_ebx == b->tsc_ebx &&
	       a->tsc_eax == b->tsc_eax && a->mtc_freq == b->mtc_freq &&
	       a->cyc_thresh == b->cyc_thresh && a->cyc_bits == b->cyc_bits && a->p1 == b->p1 &&
	       a->min_ratio == b->min_ratio && a->max_ratio == b->max_ratio &&
	       a->suppress == b->suppress;
}

/* Who knows better is believed, but may have been mistaken. */
static void check_given(const struct decode *d, const struct input_stream *stream)
{
	struct softpt_config told;

	if (d->given && !d->nr && !softpt_config_of_stream(&told, stream->buf, stream->len) &&
	    !same_clocks(&d->cfg, &told))
		fprintf(stderr,
			"softpt: note: %s: -c says otherwise than the trace itself: times may be wrong\n",
			d->path);
}

static int source_open(struct decode *d, const struct input *in, const struct input_stream *stream)
{
	struct source *s = &d->src[d->nr];

	s->d = softpt_decoder_new(d->given ? &d->cfg : NULL);
	if (!s->d)
		return refuse(d->path, "out of memory");
	if (in->foreign)
		softpt_decoder_set_foreign(s->d, &in->config);
	softpt_decoder_set_buffer(s->d, stream->buf, stream->len);
	check_given(d, stream);
	s->row = (struct decode_row){
		.cpu = stream->cpu,
		.tid = stream->tid,
		.te = d->relative ? &d->te : NULL,
		.truth = d->truth_path ? &d->judged : NULL,
		.cycles = d->cycles,
	};
	if (d->truth_path)
		s->truth.rows = truth_file_rows(&d->truth, stream->cpu);
	d->nr++;
	if (stream->len)
		advance(d, s);
	return 0;
}

/* The stream whose next record is the earliest */
static struct source *earliest(struct decode *d)
{
	struct source *best = NULL;
	unsigned int i;

	for (i = 0; i < d->nr; i++) {
		struct source *s = &d->src[i];

		if (s->row.rec && (!best || s->row.rec->tsc < best->row.rec->tsc))
			best = s;
	}
	return best;
}

/* The record against the truth. Return: 0, or EXIT_REFUSED after a message */
static int compare(struct decode *d, struct source *s)
{
	char of[TRUTH_OF_CPU];

	if (!d->truth_path || !truth_judge(&s->truth, &d->sum, s->row.rec, &d->judged))
		return 0;
	return refuse(d->truth_path, "row %zu%s: not of this trace, which has %s here",
		      s->truth.at + 1, truth_of_cpu(of, s->row.cpu),
		      softpt_record_kind_name(s->row.rec->kind));
}

/* A line on stderr. Return: 0, or EXIT_REFUSED where a record was outside of its bounds */
static int tell_truth(const struct truth_sum *sum, const char *path)
{
	fprintf(stderr, "softpt: %s: rows %" PRIu64 ", with truth %" PRIu64 ", worst error %" PRIu64
		", mean %.1f ticks, outside %" PRIu64 "\n", path, sum->rows, sum->known, sum->worst,
		sum->timed ? sum->total / sum->timed : 0, sum->outside);
	return sum->outside ? EXIT_REFUSED : 0;
}

/* All records, by time */
static void print_all(struct decode *d)
{
	char of[TRUTH_OF_CPU];
	struct source *s;
	unsigned int i;

	while ((s = earliest(d))) {
		if (compare(d, s)) {
			d->status = EXIT_REFUSED;
			return;
		}
		d->format->print(&s->row);
		advance(d, s);
	}
	for (i = 0; d->truth_path && i < d->nr; i++)
		if (d->src[i].truth.rows && d->src[i].truth.at < d->src[i].truth.rows->n)
			d->status = refuse(d->truth_path, "more rows%s than the trace has",
					   truth_of_cpu(of, d->src[i].row.cpu));
	if (d->truth_path && tell_truth(&d->sum, d->path))
		d->status = EXIT_REFUSED;
}

/* TSC[63:56] is what the packets ask for, but which number that is they don't tell. */
static void warn_modulo(const struct decode *d)
{
	unsigned int i;

	for (i = 0; i < d->nr; i++)
		if (softpt_decoder_counts(d->src[i].d)->tsc_folded) {
			fprintf(stderr, "softpt: note: %s: nothing tells TSC[63:56], times are modulo 2^56\n",
				d->path);
			return;
		}
}

static int decode_input(struct decode *d, const struct input *in)
{
	struct error e;
	unsigned int i;

	if (d->truth_path && truth_file_read(&d->truth, d->truth_path, &e))
		return refuse_error(d->truth_path, &e);
	if (d->relative && find_te(&d->te, in, d->given ? &d->cfg : NULL))
		return EXIT_REFUSED;
	d->src = calloc(in->nr + 1, sizeof(*d->src));
	if (!d->src)
		return refuse(d->path, "out of memory");
	for (i = 0; i < in->nr; i++) {
		const struct input_stream *stream = &in->streams[i];

		if (d->cpu >= 0 && stream->cpu >= 0 && stream->cpu != d->cpu)
			continue;
		if (source_open(d, in, stream))
			d->status = EXIT_REFUSED;
	}
	if (!d->nr)
		d->status = refuse_no_trace(d->path, d->cpu);
	if (d->format->begin)
		d->format->begin(d->relative, d->truth_path, d->cycles);
	print_all(d);
	warn_modulo(d);
	for (i = 0; i < d->nr; i++)
		softpt_decoder_free(d->src[i].d);
	free(d->src);
	return d->status;
}

static int parse_options(const struct command *cmd, struct decode *d, int argc, char **argv)
{
	uint64_t cpu;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'f':
			d->format = decode_format_find(optarg);
			if (!d->format)
				return misuse(cmd, "--format %s: text, csv or json", optarg);
			break;
		case 'c':
			if (config_option(&d->cfg, optarg))
				return EXIT_USAGE;
			d->given = true;
			break;
		case 'R':
			d->relative = true;
			break;
		case 'y':
			d->cycles = true;
			break;
		case 't':
			d->truth_path = optarg;
			break;
		case 'C':
			if (!softpt_number_within(optarg, 0, INT32_MAX, &cpu))
				return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
			d->cpu = cpu;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	return d->given ? config_done(&d->cfg) : 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct decode d = { .cpu = -1, .format = decode_format_find("text") };
	struct input in;
	int status;

	softpt_config_default(&d.cfg);
	if (parse_options(cmd, &d, argc, argv))
		return EXIT_USAGE;
	d.path = only_operand(cmd, argc, argv, "FILE");
	if (!d.path)
		return EXIT_USAGE;
	if (open_input(&in, d.path))
		return EXIT_REFUSED;
	d.path = in.path;
	if (!port_is(&in))
		status = decode_input(&d, &in);
	else if (d.format != decode_format_find("text") || d.given || d.relative || d.cycles ||
		 d.truth_path)
		status = misuse(cmd,
				"--format, --config, --relative, --cycles and --truth are of packets, not of a trace port");
	else
		status = port_decode(&in);
	input_close(&in);
	truth_file_free(&d.truth);
	return status;
}

const struct command command_decode = {
	.name = "decode",
	.args = "FILE",
	.what = "print what happened and when, with bounds",
	.more = "FILE is raw packets or perf.data, - is stdin. Times are in TSC ticks: estimate, and how\n"
		"far before and after it the event may lie. A stream of softpt describes itself; -c is\n"
		"for one that was made with describe=0, and vouches that it comes from softpt. Of a trace\n"
		"port: synchronizing events with IAR, LR and CTR, triggers, interrupts, wait and stop.\n"
		"--truth takes what softpt sim --truth writes, or softpt record -c truth=1M beside FILE;\n"
		"the exit status is 1 where a record did not happen within its bounds.",
	.options = options,
	.run = run,
};
