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
#include "cli/line.h"
#include "cli/tool.h"

static const struct option_row options[] = {
	{ 'f', "format", "text|csv|json", "what is printed (text)" },
	OPTION_CONFIG,
	{ 'C', "cpu", "N", "this CPU only" },
	{ 'R', "relative", NULL, "also the time from the trigger event on" },
	{ 'y', "cycles", NULL, "also core cycles since the last TSC or MTC, and in all" },
	{ 't', "truth", "FILE", "also when it really happened, and how far off the time is" },
	{ 0 }
};

/* The trace of one CPU, and its next record */
struct source {
	struct softpt_decoder *d;
	const struct softpt_record *rec;
	int cpu;		/* -1: not known */
	int tid;		/* the same: only a trace of one thread tells */
	const struct trigger_event *te;	/* --relative, or NULL */
	bool cycles;
	struct truth_cursor truth;
	struct truth_judged *judged;	/* --truth: of the record at hand; or NULL */
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
	void (*print)(const struct source *s, const struct softpt_record *rec);
	struct source *src;
	unsigned int nr;
	int status;
};

/* ---- output ---- */

/* From the trigger event on, negative before */
static char *put_after(char *p, const struct source *s, const struct softpt_record *rec)
{
	return put_signed(p, rec->tsc - s->te->rec.tsc);
}

static char *put_truth_csv(char *p, const struct truth_judged *j)
{
	*p++ = ',';
	if (j->known)
		p = put_dec(p, j->tsc);
	*p++ = ',';
	if (j->timed)
		p = put_signed(p, j->error);
	*p++ = ',';
	if (j->known)
		*p++ = '0' + j->inside;
	return p;
}

static char *put_truth_json(char *p, const struct truth_judged *j)
{
	p = put_text(p, ",\"true\":");
	p = j->known ? put_dec(p, j->tsc) : put_text(p, "null");
	p = put_text(p, ",\"error\":");
	p = j->timed ? put_signed(p, j->error) : put_text(p, "null");
	p = put_text(p, ",\"inside\":");
	return put_text(p, !j->known ? "null" : j->inside ? "true" : "false");
}

static char *put_truth(char *p, const struct truth_judged *j)
{
	if (j->known)
		p = put_dec(put_text(p, " true="), j->tsc);
	if (j->timed)
		p = put_signed(put_text(p, " error="), j->error);
	if (j->known && !j->inside) {
		*p++ = ' ';
		p = put_text(p, colour(stdout, COLOUR_WARN));
		p = put_text(p, "OUTSIDE");
		p = put_text(p, colour(stdout, COLOUR_PLAIN));
	}
	return p;
}

/* --cycles: empty where CYC does not tell */
static char *put_cycles_csv(char *p, const struct softpt_record *rec)
{
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_CYCLES)
		p = put_dec(p, rec->cycles);
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_TOTAL)
		p = put_dec(p, rec->cycles_total);
	return p;
}

static char *put_cycles(char *p, const struct softpt_record *rec)
{
	if (rec->flags & SOFTPT_REC_HAS_CYCLES)
		p = put_dec(put_text(p, " cycles="), rec->cycles);
	if (rec->flags & SOFTPT_REC_HAS_TOTAL)
		p = put_dec(put_text(p, " cycles_total="), rec->cycles_total);
	return p;
}

/* Bytes that any line needs */
#define LINE 512

/* A lower bound alone says nothing; the trigger event itself is where time begins. */
static bool has_after(const struct source *s, const struct softpt_record *rec)
{
	const uint32_t both = SOFTPT_REC_HAS_MIN | SOFTPT_REC_HAS_MAX;
	const struct softpt_record *te = &s->te->rec;

	if (rec->kind == te->kind && rec->offset == te->offset && s->cpu == s->te->cpu)
		return true;
	return (rec->flags & te->flags & both) == both;
}

static void print_csv(const struct source *s, const struct softpt_record *rec)
{
	char line[LINE], *p = put_dec(line, rec->offset);

	*p++ = ',';
	p = put_text(p, softpt_record_kind_name(rec->kind));
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_IP)
		p = put_hex(p, rec->ip);
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_VALUE)
		p = put_hex(p, rec->value);
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_MIN)
		p = put_dec(p, rec->tsc);
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_MIN)
		p = put_dec(p, rec->tsc_min);
	*p++ = ',';
	if (rec->flags & SOFTPT_REC_HAS_MAX)
		p = put_dec(p, rec->tsc_max);
	*p++ = ',';
	if (s->cpu >= 0)
		p = put_dec(p, s->cpu);
	*p++ = ',';
	if (s->tid >= 0)
		p = put_dec(p, s->tid);
	if (s->te) {
		*p++ = ',';
		if (has_after(s, rec))
			p = put_after(p, s, rec);
	}
	if (s->judged)
		p = put_truth_csv(p, s->judged);
	if (s->cycles)
		p = put_cycles_csv(p, rec);
	*p++ = '\n';
	fwrite(line, 1, p - line, stdout);
}

/* A number, or null where it is not known */
static char *json_number(char *p, const char *key, bool known, uint64_t v)
{
	p = put_text(p, ",\"");
	p = put_text(p, key);
	p = put_text(p, "\":");
	return known ? put_dec(p, v) : put_text(p, "null");
}

/* JSON numbers lose precision beyond 2^53: addresses and values are strings. */
static char *json_hex(char *p, const char *key, bool known, uint64_t v)
{
	if (!known)
		return json_number(p, key, false, 0);
	p = put_text(p, ",\"");
	p = put_text(p, key);
	p = put_text(p, "\":\"");
	p = put_hex(p, v);
	*p++ = '"';
	return p;
}

static void print_json(const struct source *s, const struct softpt_record *rec)
{
	bool min = rec->flags & SOFTPT_REC_HAS_MIN, max = rec->flags & SOFTPT_REC_HAS_MAX;
	char line[LINE], *p = put_text(line, "{\"offset\":");

	p = put_dec(p, rec->offset);
	p = put_text(p, ",\"kind\":\"");
	p = put_text(p, softpt_record_kind_name(rec->kind));
	*p++ = '"';
	p = json_hex(p, "ip", rec->flags & SOFTPT_REC_HAS_IP, rec->ip);
	p = json_hex(p, "value", rec->flags & SOFTPT_REC_HAS_VALUE, rec->value);
	p = json_number(p, "tsc", min, rec->tsc);
	p = json_number(p, "tsc_min", min, rec->tsc_min);
	p = json_number(p, "tsc_max", max, rec->tsc_max);
	p = json_number(p, "cpu", s->cpu >= 0, s->cpu);
	p = json_number(p, "tid", s->tid >= 0, s->tid);
	if (s->te) {
		p = put_text(p, ",\"relative\":");
		p = has_after(s, rec) ? put_after(p, s, rec) : put_text(p, "null");
	}
	if (s->judged)
		p = put_truth_json(p, s->judged);
	if (s->cycles) {
		p = json_number(p, "cycles", rec->flags & SOFTPT_REC_HAS_CYCLES, rec->cycles);
		p = json_number(p, "cycles_total", rec->flags & SOFTPT_REC_HAS_TOTAL,
				rec->cycles_total);
	}
	p = put_text(p, ",\"packet\":\"");
	p = put_text(p, softpt_packet_name(rec->packet));
	p = put_text(p, "\"}\n");
	fwrite(line, 1, p - line, stdout);
}

/* TSC, and how far off it may be */
static char *put_when(char *p, const struct softpt_record *rec)
{
	bool min = rec->flags & SOFTPT_REC_HAS_MIN, max = rec->flags & SOFTPT_REC_HAS_MAX;

	if (min && max) {
		p = put_dec(p, rec->tsc);
		p = put_dec(put_text(p, " -"), rec->tsc - rec->tsc_min);
		return put_dec(put_text(p, " +"), rec->tsc_max - rec->tsc);
	}
	if (min)
		return put_dec(put_text(p, ">= "), rec->tsc_min);
	if (max)
		return put_dec(put_text(p, "<= "), rec->tsc_max);
	return put_text(p, "?");
}

static void print_text(const struct source *s, const struct softpt_record *rec)
{
	char line[LINE], *p = line, *begin;

	if (s->te) {
		p = has_after(s, rec) ? put_after(p, s, rec) : put_text(p, "-");
		p = put_right(line, p, 14);
		*p++ = ' ';
	}
	if (s->cpu >= 0) {
		begin = p;
		p = put_right(begin, put_dec(p, s->cpu), 3);
		*p++ = ' ';
	}
	p = put_text(p, colour(stdout, COLOUR_TIME));
	begin = p;
	p = put_left(begin, put_when(p, rec), 36);
	p = put_text(p, colour(stdout, COLOUR_PLAIN));
	*p++ = ' ';
	p = put_text(p, softpt_record_kind_name(rec->kind));
	if (rec->flags & SOFTPT_REC_HAS_IP)
		p = put_hex(put_text(p, " ip="), rec->ip);
	if (rec->flags & SOFTPT_REC_HAS_VALUE)
		p = put_hex(put_text(p, " value="), rec->value);
	if (s->cycles)
		p = put_cycles(p, rec);
	if (s->judged)
		p = put_truth(p, s->judged);
	*p++ = '\n';
	fwrite(line, 1, p - line, stdout);
}

/* ---- decoding ---- */

/* The next record of a stream; damage is reported and left behind. */
static void advance(struct decode *d, struct source *s)
{
	const struct softpt_resync *resync = softpt_decoder_resync(s->d);
	int ret;

	while ((ret = softpt_decoder_next(s->d, &s->rec)) < 0) {
		d->status = EXIT_REFUSED;
		refuse_at(d->path, resync->offset, "%s; looking for the next %s",
			  softpt_strerror(ret), ret == -SOFTPT_ERR_TIME ? "that does not" : "PSB");
		if (ret > -SOFTPT_ERR_END)	/* no memory */
			break;
	}
	if (ret > 0)
		return;
	s->rec = NULL;
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
	s->cpu = stream->cpu;
	s->tid = stream->tid;
	s->te = d->relative ? &d->te : NULL;
	s->cycles = d->cycles;
	if (d->truth_path) {
		s->truth.rows = truth_file_rows(&d->truth, s->cpu);
		s->judged = &d->judged;
	}
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

		if (s->rec && (!best || s->rec->tsc < best->rec->tsc))
			best = s;
	}
	return best;
}

/* Return: 0, or EXIT_REFUSED after a message */
static int judge(struct decode *d, struct source *s)
{
	char of[TRUTH_OF_CPU];

	if (!d->truth_path || !truth_judge(&s->truth, &d->sum, s->rec, &d->judged))
		return 0;
	return refuse(d->truth_path, "row %zu%s: not of this trace, which has %s here",
		      s->truth.at + 1, truth_of_cpu(of, s->cpu),
		      softpt_record_kind_name(s->rec->kind));
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
		if (judge(d, s)) {
			d->status = EXIT_REFUSED;
			return;
		}
		d->print(s, s->rec);
		advance(d, s);
	}
	for (i = 0; d->truth_path && i < d->nr; i++)
		if (d->src[i].truth.rows && d->src[i].truth.at < d->src[i].truth.rows->n)
			d->status = refuse(d->truth_path, "more rows%s than the trace has",
					   truth_of_cpu(of, d->src[i].cpu));
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
	if (d->print == print_csv)
		printf("offset,kind,ip,value,tsc,tsc_min,tsc_max,cpu,tid%s%s%s\n",
		       d->relative ? ",relative" : "",
		       d->truth_path ? ",true,error,inside" : "",
		       d->cycles ? ",cycles,cycles_total" : "");
	print_all(d);
	warn_modulo(d);
	for (i = 0; i < d->nr; i++)
		softpt_decoder_free(d->src[i].d);
	free(d->src);
	return d->status;
}

static int pick_format(const struct command *cmd, struct decode *d, const char *name)
{
	if (!strcmp(name, "text"))
		d->print = print_text;
	else if (!strcmp(name, "csv"))
		d->print = print_csv;
	else if (!strcmp(name, "json"))
		d->print = print_json;
	else
		return misuse(cmd, "--format %s: text, csv or json", name);
	return 0;
}

static int parse_options(const struct command *cmd, struct decode *d, int argc, char **argv)
{
	uint64_t cpu;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'f':
			if (pick_format(cmd, d, optarg))
				return EXIT_USAGE;
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
	struct decode d = { .cpu = -1, .print = print_text };
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
	else if (d.print != print_text || d.given || d.relative || d.cycles || d.truth_path)
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
