// SPDX-License-Identifier: BSD-2-Clause
/* Left out is what only counts: packets, and cycles since the begin of the stream. */
#include <string.h>

#include "base/digest.h"
#include "time/digest.h"

uint64_t softpt_record_digest(uint64_t digest, const struct softpt_record *rec)
{
	digest = digest_add(digest, rec->tsc);
	digest = digest_add(digest, rec->tsc_min);
	digest = digest_add(digest, rec->tsc_max);
	digest = digest_add(digest, rec->ip);
	digest = digest_add(digest, rec->value);
	digest = digest_add(digest, rec->offset);
	digest = digest_add(digest, (uint64_t)rec->kind << 32 | rec->packet);
	digest = digest_add(digest, (uint64_t)rec->private_ << 32 | rec->reserved);
	return digest_add(digest, rec->flags & ~SOFTPT_REC_HAS_TOTAL);
}

static uint64_t add_spread(uint64_t digest, const struct softpt_spread *s)
{
	uint64_t step;

	memcpy(&step, &s->step, sizeof(step));
	digest = digest_add(digest, s->lo);
	digest = digest_add(digest, s->likely);
	return digest_add(digest_add(digest, step), s->even);
}

static uint64_t add_anchor(uint64_t digest, const struct softpt_anchor *a)
{
	digest = digest_add(digest, a->lo);
	digest = digest_add(digest, a->hi);
	return digest_add(digest, (uint64_t)a->slack << 32 | a->clock << 1 | a->valid);
}

static uint64_t add_ticks(uint64_t digest, const struct softpt_time *t)
{
	digest = digest_add(digest, t->tick.index);
	digest = digest_add(digest, t->tick.tsc);
	digest = digest_add(digest, t->tick_before);
	digest = digest_add(digest, t->tsc_high);
	digest = digest_add(digest, t->base);
	digest = digest_add(digest, (uint64_t)t->credit << 2 | t->flushed << 1 | t->described);
	if (!t->ctc_valid)
		return digest;
	digest = digest_add(digest, t->ctc);
	digest = digest_add(digest, t->ctc_base);
	return digest_add(digest, t->ctc_base_tsc + t->ctc_whole);
}

static uint64_t add_cycles(uint64_t digest, const struct softpt_time *t)
{
	unsigned int i;

	digest = digest_add(digest, t->cycles);
	digest = digest_add(digest, t->after_cyc | t->cyc_zero << 1 | t->unknown << 2 |
			    t->ratio << 8 | t->nsegs << 16);
	for (i = 0; i < t->nsegs; i++) {
		digest = digest_add(digest, t->seg[i].cycles);
		digest = digest_add(digest, t->seg[i].fast);
		digest = digest_add(digest, t->seg[i].slow);
		digest = digest_add(digest, t->seg[i].ratio);
	}
	return digest;
}

/* The records of the interval that were not handed out, and how the times of bits are found */
static uint64_t add_records(uint64_t digest, const struct softpt_decoder *d)
{
	const struct softpt_time *t = &d->time;
	size_t i;

	for (i = d->ready ? d->out : 0; i < t->n; i++)
		digest = softpt_record_digest(digest, &t->rec[i]);
	digest = digest_add(digest, t->events);
	digest = digest_add(digest, t->stop);
	digest = add_spread(digest, &t->spread[0]);
	return t->stop == SIZE_MAX ? digest : add_spread(digest, &t->spread[1]);
}

/* Between two packets */
static uint64_t add_packets(uint64_t digest, const struct softpt_decoder *d)
{
	digest = digest_add(digest, softpt_stream_offset(&d->s));
	digest = digest_add(digest, d->s.block);
	digest = digest_add(digest, d->last_ip);
	digest = digest_add(digest, d->fup ? d->fup_ip : 0);
	digest = digest_add(digest, d->bit);
	return digest_add(digest, d->fup | d->fup_taken << 1 | d->in_psb << 2 | d->at_anchor << 3 |
			  d->pad << 4 | d->restart << 5 | d->tma << 6 | d->described << 7 |
			  d->ready << 8 | d->synced << 9 | d->failed << 10 | d->restarted << 11);
}

uint64_t softpt_decoder_digest(const struct softpt_decoder *d)
{
	const struct softpt_time *t = &d->time;
	uint64_t digest = add_packets(0, d);

	digest = digest_bytes(digest, &t->cfg, sizeof(t->cfg));
	digest = digest_add(digest, t->own | t->clocked << 1 | t->announced << 2);
	digest = add_anchor(digest, &t->from);
	digest = add_ticks(digest, t);
	digest = add_cycles(digest, t);
	return add_records(digest, d);
}
