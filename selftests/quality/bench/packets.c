// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packet decoders against each other on the same bytes: ours inline and called, and
 * libipt's; the ratios are libipt's time over ours. The best of some passes, taken in
 * turns; every field is used.
 *
 * usage: packets [EVENTS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <intel-pt.h>

#include <softpt/params.h>
#include "userspace/lib/packet/stream.h"
#include "selftests/kit/kit.h"

#define PASSES 9

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static volatile uint64_t sink;	/* so that no decoder's work is left out */

static size_t run_inline(const uint8_t *buf, size_t len)
{
	struct softpt_packet pkt;
	struct softpt_stream s;
	uint64_t sum = 0;
	size_t n = 0;

	softpt_stream_init(&s, buf, len);
	while (softpt_stream_parse(&s, &pkt) > 0) {
		sum += pkt.payload + pkt.type + pkt.count;
		n++;
	}
	sink = sum;
	return n;
}

static size_t run_call(const uint8_t *buf, size_t len)
{
	struct softpt_packet pkt;
	struct softpt_stream s;
	uint64_t sum = 0;
	size_t n = 0;

	softpt_stream_init(&s, buf, len);
	while (softpt_stream_next(&s, &pkt) > 0) {
		sum += pkt.payload + pkt.type + pkt.count;
		n++;
	}
	sink = sum;
	return n;
}

static size_t run_libipt(const uint8_t *buf, size_t len)
{
	struct pt_packet_decoder *d;
	struct pt_packet pkt;
	struct pt_config config;
	uint64_t sum = 0;
	size_t n = 0;

	pt_config_init(&config);
	config.begin = (uint8_t *)buf;
	config.end = (uint8_t *)buf + len;
	d = pt_pkt_alloc_decoder(&config);
	pt_pkt_sync_set(d, 0);
	while (pt_pkt_next(d, &pkt, sizeof(pkt)) > 0) {
		sum += pkt.payload.ip.ip + pkt.type;
		n++;
	}
	sink = sum;
	pt_pkt_free_decoder(d);
	return n;
}

static double seconds(size_t (*run)(const uint8_t *, size_t), const uint8_t *buf, size_t len,
		      size_t *packets)
{
	double t = now();

	*packets = run(buf, len);
	return now() - t;
}

static int race(const char *name, const uint8_t *buf, size_t len)
{
	size_t (*const runs[])(const uint8_t *, size_t) = { run_inline, run_call, run_libipt };
	double best[3] = { 1e9, 1e9, 1e9 };
	size_t i, pass, n[3];

	for (pass = 0; pass < PASSES; pass++)
		for (i = 0; i < 3; i++) {
			double t = seconds(runs[i], buf, len, &n[i]);

			best[i] = t < best[i] ? t : best[i];
		}
	if (n[0] != n[1] || n[0] != n[2]) {
		fprintf(stderr, "%s: the decoders count %zu, %zu and %zu packets\n", name,
			n[0], n[1], n[2]);
		return 1;
	}
	printf("%-24s %8.2f  %8.1f %8.1f %8.1f  %.2f %.2f\n", name, (double)len / n[0],
	       n[0] / best[0] / 1e6, n[0] / best[1] / 1e6, n[0] / best[2] / 1e6,
	       best[2] / best[0], best[2] / best[1]);
	return 0;
}

/* Random branches, harder than real code: the most that a predictor can be asked */
static struct softpt_event *branches(size_t n)
{
	struct softpt_event *ev = calloc(n, sizeof(*ev));
	uint64_t state = 7, tsc = 1000;
	size_t i;

	for (i = 0; ev && i < n; i++) {
		uint64_t r = kit_random(&state);

		tsc += r & 0x3f;
		ev[i] = (struct softpt_event){
			.tsc = tsc,
			.ip = 0x401000 + (r >> 8 & 0xffff),
			.target = 0x401000 + (r >> 24 & 0xffff),
			.kind = !i ? SOFTPT_EV_ENABLE : (r >> 40) % 8 ? SOFTPT_EV_JCC :
				SOFTPT_EV_IJMP,
			.flags = i && (r >> 40) % 8 && r >> 63 ? SOFTPT_EVF_TAKEN : 0,
		};
	}
	return ev;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *config;
	} loads[] = {
		{ "branches", "cyc=0" },
		{ "branches, CYC", "cyc=1" },
		{ "branches, CYC, TNT-64", "cyc=1,tnt64=1" },
	};
	size_t i, n = argc > 1 ? strtoul(argv[1], NULL, 0) : 4000000;
	struct softpt_event *ev = branches(n);
	int status = !ev;

	printf("%-24s %8s  %8s %8s %8s  %s\n", "millions of packets/s", "bytes", "inline", "call",
	       "libipt", "ratios");
	for (i = 0; ev && i < sizeof(loads) / sizeof(loads[0]); i++) {
		struct softpt_counts counts;
		struct softpt_config cfg;
		char why[320];
		uint8_t *buf;

		softpt_config_init(&cfg);
		softpt_config_parse(&cfg, loads[i].config, why, sizeof(why));
		buf = kit_expect(&cfg, ev, n, &counts);
		status |= race(loads[i].name, buf, counts.bytes);
		free(buf);
	}
	free(ev);
	return status;
}
