// SPDX-License-Identifier: BSD-2-Clause
/*
 * Truth: the library's records of the engine's output, each matched with the event
 * that it comes from. TNT bits are matched in order, for a bit waits in the engine;
 * all other packets by where in the stream the event wrote.
 */
#include "truth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (64 * 1024)

/* An event, and what it wrote */
struct call {
	uint64_t event;
	uint64_t end;		/* stream offset behind its packets */
	uint64_t tsc;
	uint64_t cycles;
	uint64_t resumed;	/* when a sleep or overflow ended on the way to it */
	uint64_t resumed_cycles;
	bool woke;
};

/* A queue of calls in one growing array */
struct queue {
	struct call *v;
	size_t head, tail, alloc;
};

struct sim {
	struct softpt_engine e;
	struct sim_output out;
	struct softpt_decoder *d;
	struct queue calls;	/* that wrote bytes */
	struct queue bits;	/* that appended a TNT bit */
	uint64_t event;
	uint64_t offset;	/* bytes handed out */
	uint64_t te_noted;	/* trigger events so far, but for those before a freeze */
	uint64_t te_offset;	/* and the stream's offset behind the last */
	bool began;
	uint64_t tsc;		/* up to which parts is counted */
	__uint128_t parts;	/* core cycles * P1 */
	struct softpt_retirement retired[SOFTPT_FIFO_DEPTH];
	size_t len;
	uint8_t buf[CHUNK];
};

static int push(struct queue *q, const struct call *c)
{
	if (q->tail == q->alloc) {
		size_t n = q->tail - q->head, alloc = n * 2 + 64;
		struct call *v;

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
	q->v[q->tail++] = *c;
	return 0;
}

struct sim *sim_new(const struct softpt_config *cfg, const struct sim_output *out)
{
	struct sim *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->out = *out;
	softpt_engine_init(&s->e, cfg);
	if (out->row) {
		s->d = softpt_decoder_new(cfg->flags & SOFTPT_F_DESCRIBE ? NULL : cfg);
		if (!s->d) {
			free(s);
			return NULL;
		}
	}
	return s;
}

void sim_live(struct sim *s)
{
	s->e.live = true;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	softpt_decoder_free(s->d);
	free(s->calls.v);
	free(s->bits.v);
	free(s);
}

struct softpt_counters *sim_counters(struct sim *s)
{
	return &s->e.counters;
}

void sim_count(struct sim *s, const struct softpt_count_args *args)
{
	softpt_count_control(&s->e, s->e.now, args);
}

void sim_record(struct sim *s, const struct softpt_pipeline *p, uint8_t counter)
{
	softpt_fifo_arm(&s->e, p, counter, s->retired);
}

void sim_arm(struct sim *s, const struct softpt_triggers *triggers)
{
	softpt_triggers_arm(&s->e, triggers);
}

uint64_t sim_triggered(const struct sim *s)
{
	return s->te_offset;
}

const struct softpt_engine *sim_engine(const struct sim *s)
{
	return &s->e;
}

const struct softpt_decoder *sim_decoder(const struct sim *s)
{
	return s->d;
}

static uint64_t cycles_now(const struct sim *s)
{
	return s->parts / s->e.cfg.p1;
}

/* The row of a record, from the event that it comes from. Return: whether there is one */
static bool match(struct sim *s, const struct softpt_record *rec, struct truth_row *row)
{
	bool bit = rec->kind == SOFTPT_REC_TAKEN || rec->kind == SOFTPT_REC_NOT;
	struct queue *q = bit ? &s->bits : &s->calls;
	struct call *c;

	if (q->head == q->tail)
		return false;
	if (!bit)
		while (q->head < q->tail - 1 && q->v[q->head].end <= rec->offset)
			q->head++;
	c = &q->v[q->head];
	*row = (struct truth_row){ c->event, c->tsc, c->cycles, rec->kind };
	if (rec->kind == SOFTPT_REC_OVF || (rec->kind == SOFTPT_REC_CBR && c->woke)) {
		row->tsc = c->resumed;
		row->cycles = c->resumed_cycles;
		c->woke = false;
	}
	if (bit)
		q->head++;
	return true;
}

static int rows(struct sim *s)
{
	const struct softpt_record *rec;
	struct truth_row row;
	int ret;

	while ((ret = softpt_decoder_next(s->d, &rec)) > 0) {
		if (!match(s, rec, &row))
			return -EPROTO;
		ret = s->out.row(s->out.ctx, &row, rec);
		if (ret)
			return ret;
	}
	return ret;
}

int sim_flush(struct sim *s)
{
	int ret = 0;

	if (s->out.bytes)
		ret = s->out.bytes(s->out.ctx, s->buf, s->len);
	if (!ret && s->d)
		ret = softpt_decoder_feed(s->d, s->buf, s->len);
	s->offset += s->len;
	s->len = 0;
	return ret ? ret : s->d ? rows(s) : 0;
}

/* Core cycles up to @tsc */
static void count(struct sim *s, uint64_t tsc, uint8_t ratio)
{
	if (!s->began)
		s->tsc = tsc;
	s->began = true;
	s->parts += (__uint128_t)(tsc - s->tsc) * ratio;
	s->tsc = tsc;
}

/* What of the engine's state before an event tells what the event did */
struct before {
	uint64_t wake_at;
	uint64_t overflows;
	uint64_t tnt_bits;
	uint64_t offset;
	uint8_t ratio;
	bool asleep;
};

/* An event that wrote, or that is writing more than one buffer */
static int note_begin(struct sim *s, const struct softpt_event *ev, const struct before *was)
{
	struct call c = { .event = s->event, .tsc = ev->tsc, .end = UINT64_MAX };
	bool woke = was->asleep && !(ev->kind == SOFTPT_EV_IDLE && ev->tsc < was->wake_at);

	if (woke)
		s->tsc = s->e.woke_at;
	if (s->e.counts.overflows != was->overflows) {
		c.resumed = s->e.resumed_at;
		count(s, c.resumed, was->ratio);
	} else if (woke) {
		c.resumed = s->e.woke_at;
		c.woke = true;
	}
	c.resumed_cycles = cycles_now(s);
	if (!was->asleep || woke)
		count(s, ev->tsc, was->ratio);
	c.cycles = cycles_now(s);
	return push(&s->calls, &c);
}

static int note_end(struct sim *s, const struct before *was)
{
	struct call *c = &s->calls.v[s->calls.tail - 1];
	bool silent = s->offset + s->len == was->offset;

	c->end = s->offset + s->len;
	if (silent)
		s->calls.tail--;
	return s->e.tnt_bits != was->tnt_bits ? push(&s->bits, c) : 0;
}

/* TNT flush and closing anchor */
static int close_stream(struct sim *s)
{
	int ret = sim_flush(s);
	struct softpt_sink sink = { s->buf, s->buf + CHUNK };

	if (ret)
		return ret;
	softpt_engine_finish(&s->e, &sink);
	s->len = sink.cur - s->buf;
	return sim_flush(s);
}

/* Of a trigger event that the last call to the engine had, and what it wants frozen */
static int note_trigger(struct sim *s)
{
	const struct softpt_triggers *t = &s->e.triggers;
	int ret;

	if (s->te_noted != t->noted)
		s->te_offset = s->offset + s->len;
	s->te_noted = t->noted;
	if (!softpt_trigger_due(t))
		return 0;
	softpt_trigger_frozen(&s->e.triggers);
	ret = close_stream(s);
	if (!ret && s->out.freeze)
		ret = s->out.freeze(s->out.ctx);
	if (ret)
		return ret;
	softpt_trigger_rearm(&s->e.triggers);
	s->e.psb_at = 0;	/* what follows is another file */
	return 0;
}

int sim_event(struct sim *s, const struct softpt_event *ev, const char **why)
{
	const struct before was = {
		.wake_at = s->e.wake_at, .overflows = s->e.counts.overflows,
		.tnt_bits = s->e.tnt_bits,
		.offset = s->offset + s->len, .ratio = s->e.ratio, .asleep = s->e.asleep,
	};
	int ret = softpt_engine_check(&s->e, ev, why);
	bool noted = !s->d;

	if (ret)
		return ret;
	if (CHUNK - s->len < 2 * SOFTPT_GROUP_MAX)
		ret = sim_flush(s);
	while (!ret) {
		struct softpt_sink sink = { s->buf + s->len, s->buf + CHUNK };
		int more = softpt_engine_event(&s->e, ev, &sink);

		s->len = sink.cur - s->buf;
		if (!noted)
			ret = note_begin(s, ev, &was);
		noted = true;
		if (!ret && s->e.triggers.set)
			ret = note_trigger(s);
		if (more != SOFTPT_MORE)
			break;
		if (!ret)
			ret = sim_flush(s);
	}
	if (!ret && s->d)
		ret = note_end(s, &was);
	s->event++;
	return ret;
}

int sim_finish(struct sim *s)
{
	int ret = close_stream(s);

	softpt_fifo_end(&s->e);
	if (ret || !s->d)
		return ret;
	softpt_decoder_end(s->d);
	return rows(s);
}
