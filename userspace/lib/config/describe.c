// SPDX-License-Identifier: BSD-2-Clause
/*
 * MNT packets -> configuration. The packets may come from anywhere: a description
 * counts only when it is whole and a unit could have been configured like that.
 */
#include <errno.h>

#include <softpt/params.h>
#include "config/describe.h"
#include "packet/stream.h"

enum {
	SEEN_MAGIC	= 1,
	SEEN_CLOCK	= 2,
};

#define SEEN_ALL	(SEEN_MAGIC | SEEN_CLOCK)

static void take_magic(struct softpt_description *d, uint64_t v)
{
	d->seen = 0;
	if (v >> 44 != SOFTPT_MNT_SPT)
		return;
	d->seen = SEEN_MAGIC;
	softpt_config_init(&d->next);
	d->next.flags = v >> 28 & 0xffff;
	d->next.tsc_ebx = v & SOFTPT_CLOCK_TERM_MAX;
}

static void take_clock(struct softpt_description *d, uint64_t v)
{
	d->next.tsc_eax = v & SOFTPT_CLOCK_TERM_MAX;
	d->next.mtc_freq = v >> 28 & 0xf;
	d->next.cyc_thresh = v >> 32 & 0xf;
	d->next.psb_freq = v >> 36 & 0xf;
	d->tsc_high = v >> 40;
	d->next.cyc_bits = (v >> 48 & 0x3f) + 16;
	d->seen |= SEEN_CLOCK;
}

/* The last that every description has */
static bool take_suppress(struct softpt_description *d, uint64_t v)
{
	struct softpt_complaint why;

	if (d->seen != SEEN_ALL)
		return false;
	d->next.max_ratio = v;
	d->next.min_ratio = v >> 8;
	d->next.p1 = v >> 16;
	d->next.suppress = v >> 24;
	d->next.burst = v >> 32;
	d->next.resume_value = v >> 40;
	d->next.resume = v >> 48 & 3;
	d->next.preroll = v >> 50 & 7;
	if (softpt_config_check(&d->next, &why))
		return false;
	d->config = d->next;
	d->known = true;
	return true;
}

static bool is_whole(const struct softpt_description *d)
{
	return d->known && d->seen == SEEN_ALL;
}

/* A range is two packets: FROM, then what kind it is and where it ends. */
static void take_range(struct softpt_description *d, unsigned int tag, uint64_t address)
{
	struct softpt_config *c = &d->config;
	struct softpt_range *r = &c->range[tag & 3];

	if (!is_whole(d) || (tag & 3) != c->nr_ranges)
		return;
	if ((tag & ~3u) == SOFTPT_MNT_FROM) {
		d->next.range[0].from = address;
		return;
	}
	if (d->next.range[0].from > address)
		return;
	r->from = d->next.range[0].from;
	r->to = address;
	r->kind = (tag & ~3u) == SOFTPT_MNT_STOP ? SOFTPT_RANGE_STOP : SOFTPT_RANGE_FILTER;
	c->nr_ranges++;
}

bool softpt_describe(struct softpt_description *d, uint64_t payload)
{
	unsigned int tag = payload >> 56;
	uint64_t v = payload << 8 >> 8;

	switch (tag) {
	case SOFTPT_MNT_MAGIC:
		take_magic(d, v);
		return false;
	case SOFTPT_MNT_CLOCK:
		take_clock(d, v);
		return false;
	case SOFTPT_MNT_SUPPRESS:
		return take_suppress(d, v);
	case SOFTPT_MNT_CR3:
		if (is_whole(d) && d->config.flags & SOFTPT_F_CR3)
			d->config.cr3 = v;
		return false;
	case SOFTPT_MNT_FROM ... SOFTPT_MNT_STOP + SOFTPT_RANGES - 1:
		take_range(d, tag, (uint64_t)((int64_t)(v << 8) >> 8));
		return false;
	}
	return false;
}

int softpt_config_of_stream(struct softpt_config *cfg, const void *buf, size_t len)
{
	struct softpt_description d = { 0 };
	struct softpt_packet pkt;
	struct softpt_stream s;

	softpt_stream_init(&s, buf, len);
	while (!softpt_sync_forward(&s, 0, NULL)) {
		bool end = false;

		/* CR3 and ranges lie behind PSBEND. */
		while (softpt_stream_parse(&s, &pkt) > 0 && (!end || pkt.type == SOFTPT_PKT_MNT)) {
			end |= pkt.type == SOFTPT_PKT_PSBEND;
			if (pkt.type == SOFTPT_PKT_MNT)
				softpt_describe(&d, pkt.payload);
		}
		if (d.known) {
			*cfg = d.config;
			return 0;
		}
		if (s.pos < s.end)
			s.pos++;
	}
	return -ENODATA;
}
