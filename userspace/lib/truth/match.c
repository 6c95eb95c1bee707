// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library's records of a stream, each matched with the event that it comes from. TNT
 * bits are matched in order, for a bit waits in the engine; all other packets by where in
 * the stream the event wrote.
 */
#include "truth/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A queue of what was said, in one growing array */
struct queue {
	struct softpt_truth *v;
	size_t head, tail, alloc;
};

struct match {
	struct softpt_decoder *d;
	struct queue calls;	/* that wrote bytes */
	struct queue bits;	/* that appended a TNT bit */
	truth_row_fn row;
	void *ctx;
};

static int push(struct queue *q, const struct softpt_truth *t)
{
	if (q->tail == q->alloc) {
		size_t n = q->tail - q->head, alloc = n * 2 + 64;
		struct softpt_truth *v;

		if (q->head > q->alloc / 2) {
			memmove(q->v, q->v + q->head, n * sizeof(*v));
		} else {
			v = malloc(alloc * sizeof(*v));
			if (!v)
				return -ENOMEM;
			if (n)
				memcpy(v, q->v + q->head, n * sizeof(*v));
			free(q->v);
			q->v = v;
			q->alloc = alloc;
		}
		q->head = 0;
		q->tail = n;
	}
	q->v[q->tail++] = *t;
	return 0;
}

struct match *match_new(const struct softpt_config *cfg, truth_row_fn row, void *ctx)
{
	struct match *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->row = row;
	m->ctx = ctx;
	m->d = softpt_decoder_new(cfg->flags & SOFTPT_F_DESCRIBE ? NULL : cfg);
	if (m->d)
		return m;
	free(m);
	return NULL;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	softpt_decoder_free(m->d);
	free(m->calls.v);
	free(m->bits.v);
	free(m);
}

const struct softpt_decoder *match_decoder(const struct match *m)
{
	return m->d;
}

/* What is missing before a torn one may be bits: it cuts their queue, with or without its own. */
int match_truth(struct match *m, const struct softpt_truth *truth, size_t n)
{
	const struct softpt_truth *end = truth + n;
	int err = 0;

	for (; truth < end && !err; truth++) {
		if (truth->bytes)
			err = push(&m->calls, truth);
		if (!err && truth->flags & (SOFTPT_TRUTH_BIT | SOFTPT_TRUTH_TORN))
			err = push(&m->bits, truth);
	}
	return err;
}

/* The bits before a hole that the stream has passed have been written: those left had no truth. */
static void pass_holes(struct queue *q, uint64_t offset)
{
	size_t i;

	for (i = q->head; i < q->tail && q->v[i].offset <= offset; i++)
		if (q->v[i].flags & SOFTPT_TRUTH_TORN) {
			q->head = i;
			q->v[i].flags &= ~SOFTPT_TRUTH_TORN;
		}
}

static const struct softpt_truth *next_bit(struct queue *q, uint64_t offset)
{
	pass_holes(q, offset);
	while (q->head < q->tail && !(q->v[q->head].flags & (SOFTPT_TRUTH_BIT | SOFTPT_TRUTH_TORN)))
		q->head++;
	if (q->head == q->tail || q->v[q->head].flags & SOFTPT_TRUTH_TORN)
		return NULL;
	return &q->v[q->head++];
}

static const struct softpt_truth *call_at(struct queue *q, uint64_t offset)
{
	while (q->head < q->tail && q->v[q->head].offset + q->v[q->head].bytes <= offset)
		q->head++;
	if (q->head == q->tail || q->v[q->head].offset > offset)
		return NULL;
	return &q->v[q->head];
}

static int rows(struct match *m)
{
	const struct softpt_record *rec;
	const struct softpt_truth *t;
	int ret;

	while ((ret = softpt_decoder_next(m->d, &rec)) > 0) {
		struct truth_row row = { .kind = rec->kind };

		if (rec->kind == SOFTPT_REC_TAKEN || rec->kind == SOFTPT_REC_NOT)
			t = next_bit(&m->bits, rec->offset);
		else
			t = call_at(&m->calls, rec->offset);
		if (t)
			row = (struct truth_row){ t->event, t->tsc, t->cycles, rec->kind, true,
						  t->flags, t->kind };
		ret = m->row(m->ctx, &row, rec);
		if (ret)
			return ret;
	}
	return ret;
}

int match_bytes(struct match *m, const void *buf, size_t len)
{
	int ret = softpt_decoder_feed(m->d, buf, len);

	return ret ? ret : rows(m);
}

int match_end(struct match *m)
{
	softpt_decoder_end(m->d);
	return rows(m);
}
