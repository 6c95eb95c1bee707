// SPDX-License-Identifier: BSD-2-Clause
/* libipt's side of the benchmark: packet decoder, query decoder, encoder */
#include "bench.h"

#include <intel-pt.h>
#include <stdlib.h>

static struct pt_packet *packets;
static size_t npackets;
static uint8_t *out;

static void config(const struct bench *b, struct pt_config *c, uint8_t *begin, size_t len)
{
	pt_config_init(c);
	c->begin = begin;
	c->end = begin + len;
	c->mtc_freq = b->cfg.mtc_freq;
	c->nom_freq = b->cfg.p1;
	c->cpuid_0x15_eax = b->cfg.tsc_eax;
	c->cpuid_0x15_ebx = b->cfg.tsc_ebx;
}

static size_t for_packets(const struct bench *b, struct pt_packet *keep)
{
	struct pt_packet_decoder *d;
	struct pt_packet packet;
	struct pt_config c;
	size_t n = 0;

	config(b, &c, b->buf, b->len);
	d = pt_pkt_alloc_decoder(&c);
	if (!d)
		return 0;
	if (pt_pkt_sync_forward(d) >= 0)
		while (pt_pkt_next(d, keep ? &keep[n] : &packet, sizeof(packet)) > 0)
			n++;
	pt_pkt_free_decoder(d);
	return n;
}

size_t bench_ipt_packets(const struct bench *b)
{
	return for_packets(b, NULL);
}

/* Every branch and event with its time, as a decoder without the program can have them */
size_t bench_ipt_events(const struct bench *b)
{
	struct pt_query_decoder *d;
	struct pt_event event;
	struct pt_config c;
	uint64_t time, ip, sum = 0;
	size_t n = 0;
	int status, taken;

	config(b, &c, b->buf, b->len);
	d = pt_qry_alloc_decoder(&c);
	if (!d)
		return 0;
	status = pt_qry_sync_forward(d, &ip);
	while (status >= 0 && !(status & pts_eos)) {
		if (status & pts_event_pending) {
			status = pt_qry_event(d, &event, sizeof(event));
		} else {
			status = pt_qry_cond_branch(d, &taken);
			if (status == -pte_bad_query)
				status = pt_qry_indirect_branch(d, &ip);
			if (status == -pte_bad_query)
				status = pt_qry_event(d, &event, sizeof(event));
		}
		pt_qry_time(d, &time, NULL, NULL);
		sum += time;
		n++;
	}
	pt_qry_free_decoder(d);
	return sum ? n : 0;
}

int bench_ipt_prepare(const struct bench *b)
{
	packets = malloc((b->packets + 16) * sizeof(*packets));
	out = malloc(b->len + 64);
	if (!packets || !out)
		return -1;
	npackets = for_packets(b, packets);
	return npackets ? 0 : -1;
}

void bench_ipt_release(void)
{
	free(packets);
	free(out);
}

size_t bench_ipt_write(const struct bench *b)
{
	struct pt_encoder *enc;
	struct pt_config c;
	size_t i, len = 0;

	config(b, &c, out, b->len + 64);
	enc = pt_alloc_encoder(&c);
	if (!enc)
		return 0;
	for (i = 0; i < npackets; i++) {
		int size = pt_enc_next(enc, &packets[i]);

		if (size < 0)
			break;
		len += size;
	}
	pt_free_encoder(enc);
	return len;
}
