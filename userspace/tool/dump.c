// SPDX-License-Identifier: BSD-2-Clause
/* softpt dump: packets, one per line */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "packet/stream.h"
#include "cli/input.h"
#include "port-print.h"
#include "cli/tool.h"

enum {
	OPT_RAW = 256,
};

static const struct option_row options[] = {
	{ 'C', "cpu", "N", "this CPU only" },
	{ 'o', "only", "NAME,...", "these packets only: TSC,MTC,..." },
	{ 's', "summary", NULL, "count packets and bytes instead" },
	{ OPT_RAW, "raw", NULL, "begin at the first byte, PSB or not" },
	{ 0 }
};

struct dump {
	const char *path;
	int cpu;		/* -1: all */
	bool summary;
	bool raw;
	uint64_t only;		/* bit per type */
	uint64_t packets[SOFTPT_PKT_NR];
	uint64_t bytes[SOFTPT_PKT_NR];
	uint64_t skipped;
	uint64_t last_ip;
	struct progress progress;
};

_Static_assert(SOFTPT_PKT_NR <= 64, "a bit per packet type");

static bool pick_name(struct dump *d, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < SOFTPT_PKT_NR; i++) {
		const char *known = softpt_packet_name(i);

		if (strlen(known) == len && !strncasecmp(known, name, len)) {
			d->only |= 1ull << i;
			return true;
		}
	}
	return false;
}

static int pick(const struct command *cmd, struct dump *d, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, ",");

		if (!pick_name(d, names, len))
			return misuse(cmd, "%.*s: no such packet", (int)len, names);
		names += len + (names[len] == ',');
	}
	return 0;
}

static enum colour colour_of(unsigned int type)
{
	static const uint8_t flags[SOFTPT_PKT_NR] = {
#define X(id, name, opc, ext, size, flags) \
		[SOFTPT_PKT_##id] = (flags),
		SOFTPT_PACKETS(X)
#undef X
	};

	if (flags[type] & SOFTPT_PKF_TIMING)
		return COLOUR_TIME;
	return flags[type] & SOFTPT_PKF_CYC ? COLOUR_FLOW : COLOUR_PLAIN;
}

static void show(const struct dump *d, uint64_t offset, const struct softpt_packet *pkt)
{
	char text[SOFTPT_PACKET_TEXT];

	if (!(d->only >> pkt->type & 1))
		return;
	softpt_packet_print(text, sizeof(text), offset, pkt);
	printf("%s%s%s\n", colour(stdout, colour_of(pkt->type)), text,
	       colour(stdout, COLOUR_PLAIN));
}

/* Addresses are shown whole; ipbytes tells how much of them was sent. */
static void whole_ip(struct dump *d, struct softpt_packet *pkt)
{
	switch (pkt->type) {
	case SOFTPT_PKT_PSB:
	case SOFTPT_PKT_OVF:
		d->last_ip = 0;
		break;
	case SOFTPT_PKT_TIP:
	case SOFTPT_PKT_TIP_PGE:
	case SOFTPT_PKT_TIP_PGD:
	case SOFTPT_PKT_FUP:
		if (softpt_ip_update(&d->last_ip, pkt))
			pkt->payload = d->last_ip;
		break;
	}
}

static void take(struct dump *d, uint64_t offset, struct softpt_packet *pkt)
{
	whole_ip(d, pkt);
	if (!d->summary) {
		show(d, offset, pkt);
	} else {
		d->packets[pkt->type]++;
		d->bytes[pkt->type] += pkt->size;
	}
}

/* The trace is damaged at the position: say so, and go to the next PSB */
static void resync(struct dump *d, struct softpt_stream *s, int err)
{
	struct softpt_resync note;
	uint64_t at = softpt_stream_offset(s);

	if (softpt_sync_again(s, err, &note))
		refuse_at(d->path, at, "%s; no PSB behind it", softpt_strerror(err));
	else
		refuse_at(d->path, at, "%s; going on at the PSB at 0x%" PRIx64,
			  softpt_strerror(err), softpt_stream_offset(s));
	d->skipped += note.skipped;
}

/* To the first PSB, unless --raw. Return: whether there is anything to decode */
static bool begin(struct dump *d, struct softpt_stream *s)
{
	struct softpt_resync note;

	if (d->raw || s->pos == s->end)
		return true;
	if (softpt_sync_forward(s, 0, &note)) {
		refuse_at(d->path, 0, "no PSB: not a trace, or cut out of one (try --raw)");
		return false;
	}
	if (note.skipped)
		refuse_at(d->path, 0,
			  "%" PRIu64 " bytes before the first PSB left out (--raw shows them)",
			  note.skipped);
	d->skipped += note.skipped;
	return true;
}

static int dump_stream(struct dump *d, const struct input_stream *in)
{
	uint64_t next_report = 1 << 20;
	struct softpt_packet pkt;
	struct softpt_stream s;
	int err, status = 0;

	softpt_stream_init(&s, in->buf, in->len);
	d->last_ip = 0;
	if (!begin(d, &s))
		return EXIT_REFUSED;
	for (;;) {
		err = softpt_stream_parse(&s, &pkt);
		if (err == -SOFTPT_ERR_END)
			return status;
		if (err > 0) {
			take(d, softpt_stream_offset(&s) - err, &pkt);
		} else {
			resync(d, &s, err);
			status = EXIT_REFUSED;
		}
		if (softpt_stream_offset(&s) >= next_report) {
			progress_step(&d->progress, next_report);
			next_report += 1 << 20;
		}
	}
}

static void print_summary(const struct dump *d)
{
	uint64_t packets = 0, bytes = 0;
	unsigned int i;

	printf("%-12s%14s%14s\n", "packet", "count", "bytes");
	for (i = 0; i < SOFTPT_PKT_NR; i++) {
		if (!d->packets[i] || !(d->only >> i & 1))
			continue;
		printf("%-12s%14" PRIu64 "%14" PRIu64 "\n", softpt_packet_name(i), d->packets[i],
		       d->bytes[i]);
		packets += d->packets[i];
		bytes += d->bytes[i];
	}
	printf("%-12s%14" PRIu64 "%14" PRIu64 "\n", "all", packets, bytes);
	if (d->skipped)
		printf("%-12s%14s%14" PRIu64 "\n", "not decoded", "", d->skipped);
}

static int dump_input(struct dump *d, const struct input *in)
{
	unsigned int i, shown = 0;
	int status = 0;

	for (i = 0; i < in->nr; i++) {
		const struct input_stream *s = &in->streams[i];

		if (d->cpu >= 0 && s->cpu >= 0 && s->cpu != d->cpu)
			continue;
		if (s->cpu >= 0 && !d->summary)
			printf("# cpu %d\n", s->cpu);
		d->progress.total = s->len;
		if (dump_stream(d, s))
			status = EXIT_REFUSED;
		shown++;
	}
	progress_end(&d->progress);
	if (!shown)
		return refuse_no_trace(in->path, d->cpu);
	if (d->summary)
		print_summary(d);
	return status;
}

static int parse_options(const struct command *cmd, struct dump *d, int argc, char **argv)
{
	uint64_t cpu;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'C':
			if (!softpt_number_within(optarg, 0, INT32_MAX, &cpu))
				return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
			d->cpu = cpu;
			break;
		case 'o':
			if (pick(cmd, d, optarg))
				return EXIT_USAGE;
			break;
		case 's':
			d->summary = true;
			break;
		case OPT_RAW:
			d->raw = true;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (!d->only)
		d->only = UINT64_MAX;
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct dump d = { .cpu = -1, .progress.what = "dump" };
	struct input in;
	int status;

	if (parse_options(cmd, &d, argc, argv))
		return EXIT_USAGE;
	d.path = only_operand(cmd, argc, argv, "FILE");
	if (!d.path)
		return EXIT_USAGE;
	if (open_input(&in, d.path))
		return EXIT_REFUSED;
	d.path = in.path;
	if (!port_is(&in))
		status = dump_input(&d, &in);
	else if (d.summary || d.only != UINT64_MAX || d.cpu >= 0)
		status = misuse(cmd, "--only, --summary and --cpu are of packets, not of a trace port");
	else
		status = port_dump(&in);
	input_close(&in);
	return status;
}

const struct command command_dump = {
	.name = "dump",
	.args = "FILE",
	.what = "print the packets of a trace, one per line",
	.more = "FILE is raw packets or perf.data, - is stdin. Damage is reported on stderr, the rest\n"
		"is printed, and the exit status is 1. Of a trace port (sim -c format=port) lines are\n"
		"CLOCK ES TS; clocks in which nothing happens are one line, their number behind an x.",
	.options = options,
	.run = run,
};
