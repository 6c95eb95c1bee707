// SPDX-License-Identifier: BSD-2-Clause
/* One configuration: the engine's bytes, the library's times of them, and the truth */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"
#include "sim/sim.h"

#ifndef HAVE_LIBIPT
#define eval_ipt(p, s) 0
#endif

struct run {
	struct eval_point *p;
	struct eval_stream s;
	struct eval_values error;
	struct eval_values width;
	uint64_t period;	/* of MTC, in TSC ticks */
	uint64_t last;		/* time of the row before */
};

int eval_stream_add(struct eval_stream *s, const void *buf, size_t len)
{
	if (s->len + len > EVAL_BYTES_MAX)
		return -EFBIG;
	if (s->len + len > s->alloc) {
		size_t alloc = (s->len + len) * 2;
		uint8_t *bytes = realloc(s->bytes, alloc);

		if (!bytes)
			return -ENOMEM;
		s->bytes = bytes;
		s->alloc = alloc;
	}
	if (len)
		memcpy(s->bytes + s->len, buf, len);
	s->len += len;
	return 0;
}

static int keep_bytes(void *ctx, const void *buf, size_t len)
{
	return eval_stream_add(&((struct run *)ctx)->s, buf, len);
}

static unsigned int silence_class(uint64_t ticks, uint64_t period)
{
	uint64_t periods = ticks / period;
	unsigned int class = periods ? 64 - __builtin_clzll(periods) : 0;

	return class < EVAL_SILENCES ? class : EVAL_SILENCES - 1;
}

static int keep_row(struct run *r, const struct truth_row *row, const struct softpt_record *rec,
		    unsigned int silence)
{
	bool intr = rec->kind == SOFTPT_REC_INTR;
	struct eval_stream *s = &r->s;

	if (s->nr_rows == s->alloc_rows) {
		size_t alloc = s->alloc_rows ? s->alloc_rows * 2 : 4096;
		struct eval_row *rows = reallocarray(s->rows, alloc, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		s->rows = rows;
		s->alloc_rows = alloc;
	}
	s->rows[s->nr_rows++] = (struct eval_row){
		.tsc = row->tsc, .kind = row->kind, .silence = silence,
		.ip = intr ? rec->value : rec->ip,
		.has_ip = rec->flags & (intr ? SOFTPT_REC_HAS_VALUE : SOFTPT_REC_HAS_IP),
	};
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* A record that has a time, against its truth */
static int judge(struct run *r, const struct truth_row *row, const struct softpt_record *rec,
		 unsigned int silence)
{
	const bool min = rec->flags & SOFTPT_REC_HAS_MIN, max = rec->flags & SOFTPT_REC_HAS_MAX;
	struct eval_point *p = r->p;
	uint64_t error;
	int err = 0;

	p->outside += (min && row->tsc < rec->tsc_min) || (max && row->tsc > rec->tsc_max);
	/* The more bytes, the more PSBs: they would make many bytes look good. */
	if (row->kind == SOFTPT_REC_PSB)
		return 0;
	p->records++;
	p->unbounded += !min || !max;
	if (min && max)
		err = eval_values_add(&r->width, rec->tsc_max - rec->tsc_min);
	if (err || !min)
		return err;
	error = distance(rec->tsc, row->tsc);
	eval_error_note(&p->ours, silence, error);
	return eval_values_add(&r->error, error);
}

static int one_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct run *r = ctx;
	unsigned int silence = silence_class(r->s.nr_rows ? row->tsc - r->last : 0, r->period);
	int err = keep_row(r, row, rec, silence);

	r->last = row->tsc;
	return err ? err : judge(r, row, rec, silence);
}

static int feed(struct sim *sim, const struct event_list *events, struct eval_refusal *refusal)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < events->n; i++)
		err = sim_event(sim, &events->ev[i], &refusal->why);
	if (err == -EINVAL || err == -ERANGE) {
		refusal->event = i - 1;
		return -EINVAL;
	}
	return err ? err : sim_finish(sim);
}

double eval_periods(const struct eval_point *p, uint64_t ticks)
{
	return (double)ticks * p->cfg.tsc_eax / ((uint64_t)p->cfg.tsc_ebx << p->cfg.mtc_freq);
}

double eval_bytes_per_event(const struct eval_point *p)
{
	return (double)p->bytes / p->events->n;
}

int eval_point(struct eval_point *p, bool perf, struct eval_refusal *refusal)
{
	const uint64_t span = (uint64_t)p->cfg.tsc_ebx << p->cfg.mtc_freq;
	struct run r = { .p = p, .period = (span + p->cfg.tsc_eax - 1) / p->cfg.tsc_eax };
	const struct sim_output out = { .bytes = keep_bytes, .row = one_row, .ctx = &r };
	struct sim *sim = sim_new(&p->cfg, &out);
	int err = sim ? feed(sim, p->events, refusal) : -ENOMEM;

	if (!err) {
		p->bytes = r.s.len;
		p->mtc = softpt_decoder_counts(sim_decoder(sim))->mtc;
		p->mtc_suppressed = sim_engine(sim)->counts.mtc_suppressed;
		err = eval_ipt(p, &r.s);
		if (!err && perf)
			err = eval_perf(p, &r.s);
	}
	p->ours.all = eval_spread_of(&r.error);
	p->width = eval_spread_of(&r.width);
	sim_free(sim);
	free(r.s.bytes);
	free(r.s.rows);
	return err;
}
