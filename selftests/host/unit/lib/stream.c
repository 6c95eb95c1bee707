// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <stdlib.h>

void stream_expect(struct stream *s, const struct softpt_event *ev, size_t n)
{
	struct softpt_counts counts;

	s->bytes = kit_expect(&s->config, ev, n, &counts);
	s->len = counts.bytes;
}

struct stream stream_make(bool describe)
{
	struct softpt_event *ev = kit_events(5, STREAM_EVENTS);
	struct stream s;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_CYC | SOFTPT_F_PWR;
	if (!describe)
		s.config.flags &= ~SOFTPT_F_DESCRIBE;
	s.config.psb_freq = 0;
	stream_expect(&s, ev, STREAM_EVENTS);
	free(ev);
	return s;
}

static void add(struct records *to, const struct softpt_record *rec)
{
	if (to->n == to->alloc) {
		to->alloc = 2 * to->alloc + 256;
		to->v = reallocarray(to->v, to->alloc, sizeof(*to->v));
		if (!to->v)
			kit_bail("memory for %zu records", to->alloc);
	}
	to->v[to->n++] = *rec;
}

void records_take(struct softpt_decoder *d, struct records *to)
{
	const struct softpt_record *rec;
	int ret;

	while ((ret = softpt_decoder_next(d, &rec)))
		if (ret < 0)
			to->errors++;
		else
			add(to, rec);
}

static void add_run(struct records *to, const struct softpt_record_run *run)
{
	struct softpt_record rec = *run->first;
	unsigned int i;

	if (!run->count)
		add(to, &rec);
	for (i = 0; i < run->count; i++) {
		rec.kind = run->bits >> (run->count - 1 - i) & 1 ? SOFTPT_REC_TAKEN :
								   SOFTPT_REC_NOT;
		rec.tsc = softpt_record_run_tsc(run, i);
		rec.offset = softpt_record_run_offset(run, i);
		add(to, &rec);
	}
	to->runs += run->count > 1;
}

void records_take_runs(struct softpt_decoder *d, struct records *to)
{
	struct softpt_record_run run;
	int ret;

	while ((ret = softpt_decoder_next_run(d, &run)))
		if (ret < 0)
			to->errors++;
		else
			add_run(to, &run);
}

struct records records_of(const struct stream *s, size_t piece)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	struct records all = { 0 };
	size_t i, n;

	if (!piece)
		softpt_decoder_set_buffer(d, s->bytes, s->len);
	for (i = 0; piece && i < s->len; i += n) {
		n = piece < s->len - i ? piece : s->len - i;
		if (softpt_decoder_feed(d, s->bytes + i, n))
			kit_bail("feeding %zu bytes", n);
		records_take(d, &all);
	}
	softpt_decoder_end(d);
	records_take(d, &all);
	softpt_decoder_free(d);
	return all;
}

bool same_record(const struct softpt_record *a, const struct softpt_record *b)
{
	if (a->offset != b->offset || a->kind != b->kind || a->packet != b->packet ||
	    a->flags != b->flags)
		return false;
	if ((a->flags & SOFTPT_REC_HAS_IP && a->ip != b->ip) ||
	    (a->flags & SOFTPT_REC_HAS_VALUE && a->value != b->value))
		return false;
	if (a->flags & SOFTPT_REC_HAS_MIN && (a->tsc != b->tsc || a->tsc_min != b->tsc_min))
		return false;
	return !(a->flags & SOFTPT_REC_HAS_MAX) || a->tsc_max == b->tsc_max;
}
