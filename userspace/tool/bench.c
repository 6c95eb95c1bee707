// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt bench: the engine and the decoders against libipt, on the same bytes in one
 * run. Machines are noisy: only ratios mean anything, each the best of some passes.
 */
#include "bench/bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "../../kmod/engine/engine.h"
#include "base/number.h"
#include "base/tsc.h"
#include "packet/stream.h"
#include <softpt/decoder.h>
#include "cli/tool.h"

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

/* ---- workloads ---- */

enum density { DENSE, SPARSE, BURSTY };

static uint64_t gap(enum density density, size_t i)
{
	const uint32_t period = 864;

	switch (density) {
	case DENSE:
		return below(40);
	case SPARSE:
		return below(400 * period);
	default:
		return i % 1000 ? below(40) : below(4000 * period);
	}
}

/* Branches as compiled code has them: mostly conditional, calls with their returns */
static void fill(struct bench *b, enum density spread, size_t n)
{
	uint64_t tsc = 1000000, stack[32];
	unsigned int depth = 0;
	size_t i;

	state = 1;
	for (i = 0; i < n; i++) {
		struct softpt_event *ev = &b->ev[i];
		unsigned int kind = below(100);

		tsc += gap(spread, i);
		ev->tsc = tsc;
		ev->ip = 0x401000 + below(1 << 16);
		ev->target = 0x401000 + below(1 << 16);
		if (!i) {
			ev->kind = SOFTPT_EV_ENABLE;
		} else if (kind < 80) {
			ev->kind = SOFTPT_EV_JCC;
			ev->flags = below(2) ? SOFTPT_EVF_TAKEN : 0;
		} else if (kind < 88 && depth < 32) {
			ev->kind = SOFTPT_EV_CALL;
			ev->len = 5;
			stack[depth++] = ev->ip + 5;
		} else if (kind < 96 && depth) {
			ev->kind = SOFTPT_EV_RET;
			ev->target = stack[--depth];
		} else if (kind < 99) {
			ev->kind = SOFTPT_EV_IJMP;
		} else {
			ev->kind = SOFTPT_EV_PTW;
			ev->arg = i;
		}
	}
	b->events = n;
}

/* All events through the engine. Return: bytes */
static size_t emit(const struct bench *b)
{
	static struct softpt_engine e;
	size_t i, room = b->len;
	struct softpt_sink s = { b->buf, b->buf + room };

	softpt_engine_init(&e, &b->cfg);
	for (i = 0; i < b->events; i++)
		if (softpt_engine_event(&e, &b->ev[i], &s))
			return 0;
	softpt_engine_flush(&e, &s);
	return s.cur - b->buf;
}

static size_t our_packets(const struct bench *b)
{
	struct softpt_packet pkt;
	struct softpt_stream s;
	uint64_t sum = 0;
	size_t n = 0;

	softpt_stream_init(&s, b->buf, b->len);
	while (softpt_stream_parse(&s, &pkt) > 0) {
		sum += pkt.payload + pkt.type;	/* or the compiler drops the work */
		n++;
	}
	return sum ? n : 0;
}

static size_t our_events(const struct bench *b)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec;
	uint64_t sum = 0;
	size_t n = 0;

	if (!d)
		return 0;
	softpt_decoder_set_buffer(d, b->buf, b->len);
	while (softpt_decoder_next(d, &rec) > 0) {
		sum += rec->tsc;
		n++;
	}
	softpt_decoder_free(d);
	return sum ? n : 0;
}

/* The packets of the workload, for the writers */
static struct softpt_packet *packets;
static uint8_t *written;

static int keep_packets(const struct bench *b)
{
	struct softpt_stream s;
	size_t i;

	packets = malloc(b->packets * sizeof(*packets));
	written = malloc(b->len + 64);
	if (!packets || !written)
		return -1;
	softpt_stream_init(&s, b->buf, b->len);
	for (i = 0; i < b->packets; i++)
		softpt_stream_next(&s, &packets[i]);
	return 0;
}

static size_t our_write(const struct bench *b)
{
	uint8_t *p = written, *end = written + b->len + 64;
	size_t i;

	for (i = 0; i < b->packets; i++) {
		int size = softpt_packet_encode(p, end, &packets[i]);

		if (size < 0)
			return 0;
		p += size;
	}
	return p - written;
}

/* ---- measuring ---- */

#define PASSES 5

/* Seconds of the best pass; ours and theirs take turns, so that noise hits both */
static void race(const struct bench *b, size_t (*ours)(const struct bench *),
		 size_t (*theirs)(const struct bench *), double *our_time, double *their_time)
{
	unsigned int i;

	*our_time = 1e9;
	*their_time = 1e9;
	for (i = 0; i < PASSES; i++) {
		double t = seconds_now();

		if (ours(b) && seconds_now() - t < *our_time)
			*our_time = seconds_now() - t;
		t = seconds_now();
		if (theirs && theirs(b) && seconds_now() - t < *their_time)
			*their_time = seconds_now() - t;
	}
}

static void row(const struct bench *b, bool json, const char *what, double mb, double ours,
		double theirs)
{
	bool both = theirs < 1e8;

	if (json) {
		printf("{\"workload\":\"%s\",\"what\":\"%s\",\"softpt_mb_s\":%.1f", b->name, what,
		       mb / ours);
		if (both)
			printf(",\"libipt_mb_s\":%.1f,\"ratio\":%.2f", mb / theirs, theirs / ours);
		printf("}\n");
	} else if (both) {
		printf("%-22s %-28s %8.1f %8.1f %7.2fx\n", b->name, what, mb / ours, mb / theirs,
		       theirs / ours);
	} else {
		printf("%-22s %-28s %8.1f %8s\n", b->name, what, mb / ours, "-");
	}
	fflush(stdout);
}

#ifndef HAVE_LIBIPT
#define bench_ipt_packets NULL
#define bench_ipt_events NULL
#define bench_ipt_write NULL
#define bench_ipt_prepare(b) ((void)(b), 0)
#define bench_ipt_release() ((void)0)
#endif

static int measure(struct bench *b, bool json)
{
	double ours, theirs, mb;
	size_t room = b->len;

	b->len = emit(b);
	if (!b->len)
		return -1;
	mb = b->len / 1e6;
	b->packets = our_packets(b);
	b->records = our_events(b);
	if (keep_packets(b) || bench_ipt_prepare(b) || our_write(b) != b->len ||
	    memcmp(written, b->buf, b->len))
		return -1;
	race(b, our_packets, bench_ipt_packets, &ours, &theirs);
	row(b, json, "packets", mb, ours, theirs);
	race(b, our_events, bench_ipt_events, &ours, &theirs);
	row(b, json, "events and time", mb, ours, theirs);
	race(b, our_write, bench_ipt_write, &ours, &theirs);
	row(b, json, "packet writer", mb, ours, theirs);
	b->len = room;
	race(b, emit, NULL, &ours, &theirs);
	if (json)
		printf("{\"workload\":\"%s\",\"what\":\"engine\",\"events_s\":%.0f}\n", b->name,
		       b->events / ours);
	else
		printf("%-22s %-28s %8.1f million a second\n", b->name, "engine, events",
		       b->events / ours / 1e6);
	bench_ipt_release();
	free(packets);
	free(written);
	return 0;
}

/* Bytes of an event with suppression off and on */
static int density(struct bench *b, bool json, const char *name)
{
	size_t off, on;

	b->cfg.suppress = 0;
	off = emit(b);
	b->cfg.suppress = 2;
	on = emit(b);
	b->cfg.suppress = 0;
	if (!off || !on)
		return -1;
	if (json)
		printf("{\"workload\":\"%s\",\"what\":\"bytes per event\",\"off\":%.3f,\"on\":%.3f}\n",
		       name, (double)off / b->events, (double)on / b->events);
	else
		printf("%-22s %-28s %8.3f %8.3f %7.2fx\n", name, "bytes/event, suppress off, 2",
		       (double)off / b->events, (double)on / b->events, (double)off / on);
	return 0;
}

/* Nanoseconds that a counter adds to an event that it counts */
static void counters(struct bench *b, bool json, size_t n)
{
	double on, off;

	bench_count_fill(b, n);
	softpt_config_default(&b->cfg);
	race(b, bench_count, bench_count_off, &on, &off);
	if (json)
		printf("{\"workload\":\"counted\",\"what\":\"a pmu event\",\"off_ns\":%.1f,\"on_ns\":%.1f}\n",
		       off / n * 1e9, on / n * 1e9);
	else
		printf("%-22s %-28s %8.1f %8.1f ns\n", "counted", "a pmu event: counter off, on",
		       off / n * 1e9, on / n * 1e9);
}

static int measure_all(bool json, size_t n)
{
	static const struct {
		const char *name, *cyc;
		enum density density;
		size_t bytes;	/* of an event, at most */
	} load[] = {
		{ "dense", "dense, cyc", DENSE, 40 },
		{ "sparse", "sparse, cyc", SPARSE, 3000 },
		{ "bursty", "bursty, cyc", BURSTY, 100 },
	};
	struct bench b = { .ev = calloc(n, sizeof(*b.ev)) };
	unsigned int i, cyc;
	int ret = b.ev ? 0 : -1;

	if (!json)
		printf("%-22s %-28s %8s %8s %8s\n", "workload", "MB/s (MB = 10^6 bytes)", "softpt",
		       "libipt", "ratio");
	for (i = 0; !ret && i < sizeof(load) / sizeof(*load); i++) {
		size_t few = load[i].density == SPARSE ? n / 20 : n;
		size_t room = few * load[i].bytes + 65536;

		memset(b.ev, 0, n * sizeof(*b.ev));
		fill(&b, load[i].density, few);
		b.buf = malloc(room);
		for (cyc = 0; b.buf && !ret && cyc < 2; cyc++) {
			softpt_config_default(&b.cfg);
			if (cyc)
				b.cfg.flags |= SOFTPT_F_CYC;
			b.name = cyc ? load[i].cyc : load[i].name;
			b.len = room;
			ret = density(&b, json, b.name);
			if (!ret)
				ret = measure(&b, json);
		}
		ret = b.buf ? ret : -1;
		free(b.buf);
	}
	if (!ret)
		counters(&b, json, n);
	free(b.ev);
	return ret;
}

static const struct option_row options[] = {
	{ 'f', "format", "text|json", "what is printed (text)" },
	{ 'n', "events", "N", "events of a workload (1000000)" },
	{ 0 }
};

static int run(const struct command *cmd, int argc, char **argv)
{
	uint64_t events = 1000000;
	bool json = false;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'f':
			json = !strcmp(optarg, "json");
			if (!json && strcmp(optarg, "text"))
				return misuse(cmd, "--format %s: text or json", optarg);
			break;
		case 'n':
			if (!softpt_number_within(optarg, 10000, 10000000, &events))
				return misuse(cmd, "--events %s: 10000 to 10000000", optarg);
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind < argc)
		return misuse(cmd, "%s: takes no operand", argv[optind]);
	return measure_all(json, events) ? refuse("bench", "out of memory") : 0;
}

const struct command command_bench = {
	.name = "bench",
	.args = "",
	.what = "measure the engine and the decoders, against libipt",
	.more = "Each figure is the best of five passes, ours and libipt's in turns on the same bytes.",
	.options = options,
	.run = run,
};
