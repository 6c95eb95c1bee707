// SPDX-License-Identifier: BSD-2-Clause
/*
 * The engine in this process. What it says of each event is matched with the library's records
 * of its output (match.c).
 */
#include "sim/sim.h"

#include <softpt/address.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (64 * 1024)

/* What one event may write, its gap included: 2^54 ticks are 40 TB of MTCs */
#define EVENT_BYTES_MAX (4ull << 30)

struct sim {
	struct softpt_engine e;
	struct sim_output out;
	struct match *match;	/* NULL: nobody asks for rows */
	struct softpt_truth_log log;
	struct softpt_truth told[SOFTPT_TRUTH_MAX(CHUNK)];
	uint64_t offset;	/* bytes handed out */
	uint64_t te_noted;	/* trigger events so far, but for those before a freeze */
	uint64_t te_offset;	/* and the stream's offset behind the last */
	struct softpt_retirement retired[SOFTPT_FIFO_DEPTH];
	size_t len;
	uint8_t buf[CHUNK];
};

/* Nothing that the engine wrote here is without truth. */
static int put_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct sim *s = ctx;

	return row->known ? s->out.row(s->out.ctx, row, rec) : -EPROTO;
}

struct sim *sim_new(const struct softpt_config *cfg, const struct sim_output *out)
{
	struct sim *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->out = *out;
	softpt_engine_init(&s->e, cfg);
	if (!out->row)
		return s;
	s->match = match_new(cfg, put_row, s);
	if (s->match) {
		softpt_truth_arm(&s->e, &s->log);
		return s;
	}
	free(s);
	return NULL;
}

void sim_live(struct sim *s)
{
	s->e.live = true;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	match_free(s->match);
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

void sim_settle(struct sim *s, uint64_t tsc)
{
	softpt_durations_settle(&s->e, tsc);
}

void sim_record(struct sim *s, const struct softpt_pipeline *p, uint8_t counter)
{
	softpt_fifo_arm(&s->e, p, counter, s->retired);
}

bool sim_frozen(const struct sim *s, struct softpt_retirement *record,
		struct softpt_frozen *frozen)
{
	const struct softpt_fifo *fifo = &s->e.fifo;

	frozen->pipeline = fifo->pipeline;
	frozen->freeze = fifo->freeze;
	frozen->record = record;
	frozen->n = 0;
	if (fifo->state != SOFTPT_FIFO_FROZEN)
		return false;
	for (; frozen->n < fifo->n; frozen->n++)
		record[frozen->n] = *softpt_fifo_read(fifo, frozen->n);
	return true;
}

int sim_arm(struct sim *s, const struct softpt_trigger *trigger, unsigned int n)
{
	struct softpt_triggers set = { 0 };
	const char *why;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (softpt_set_trigger(&set, &trigger[i], &why))
			return -EINVAL;
	softpt_triggers_arm(&s->e, &set);
	return 0;
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
	return match_decoder(s->match);
}

int sim_flush(struct sim *s)
{
	int ret = 0;

	if (s->out.bytes)
		ret = s->out.bytes(s->out.ctx, s->buf, s->len);
	if (!ret && s->match)
		ret = match_bytes(s->match, s->buf, s->len);
	s->offset += s->len;
	s->len = 0;
	return ret;
}

/* One call of the engine. @more: set to whether it is to be called again. Return: 0, -ENOMEM */
static int call(struct sim *s, const struct softpt_event *ev, bool *more)
{
	struct softpt_sink sink = { s->buf + s->len, s->buf + CHUNK };

	s->log.cur = s->told;
	s->log.end = s->told + SOFTPT_TRUTH_MAX(CHUNK);
	*more = softpt_engine_event(&s->e, ev, &sink) == SOFTPT_MORE;
	s->len = sink.cur - s->buf;
	return s->match ? match_truth(s->match, s->told, s->log.cur - s->told) : 0;
}

/* TNT flush and closing anchor */
static int close_stream(struct sim *s)
{
	int ret = sim_flush(s);
	struct softpt_sink sink = { s->buf, s->buf + CHUNK };

	if (ret)
		return ret;
	softpt_engine_flush(&s->e, &sink);
	s->len = sink.cur - s->buf;
	return sim_flush(s);
}

/* Of a trigger event that the last call to the engine had, and what it wants frozen */
static int note_trigger(struct sim *s)
{
	const struct softpt_triggers *t = &s->e.triggers;
	int ret;

	if (s->te_noted != t->marked)
		s->te_offset = s->offset + s->len;
	s->te_noted = t->marked;
	if (!softpt_trigger_due(t))
		return 0;
	softpt_trigger_frozen(&s->e.triggers);
	ret = close_stream(s);
	if (!ret && s->out.freeze)
		ret = s->out.freeze(s->out.ctx);
	if (ret)
		return ret;
	softpt_trigger_rearm(&s->e);
	return 0;
}

int sim_event(struct sim *s, const struct softpt_event *ev, const char **why)
{
	int ret = softpt_engine_check(&s->e, ev, why);
	const uint64_t from = s->offset + s->len;
	bool more = true;

	if (ret)
		return ret;
	if (CHUNK - s->len < 2 * SOFTPT_GROUP_MAX)
		ret = sim_flush(s);
	while (!ret && more) {
		ret = call(s, ev, &more);
		if (!ret && s->e.triggers.set)
			ret = note_trigger(s);
		if (!ret && more)
			ret = sim_flush(s);
		if (!ret && more && s->offset - from > EVENT_BYTES_MAX) {
			*why = "4 GiB of MTCs lie before it (try suppress=2 or a larger mtc_freq=)";
			return -EFBIG;
		}
	}
	return ret;
}

int sim_check(const struct softpt_config *cfg, uint64_t now, const struct softpt_event *ev,
	      const char **why)
{
	struct softpt_engine e;

	softpt_engine_init(&e, cfg);
	e.now = now;
	e.trigger_en = true;
	return softpt_engine_check(&e, ev, why);
}

void sim_hold_psb(struct sim *s)
{
	softpt_engine_hold_psb(&s->e);
}

int sim_anchor(struct sim *s, uint64_t tsc)
{
	struct softpt_event idle = { .tsc = tsc, .kind = SOFTPT_EV_IDLE };
	struct softpt_sink sink;
	const char *why;
	int ret = sim_event(s, &idle, &why);

	if (!ret && CHUNK - s->len < 2 * SOFTPT_GROUP_MAX)
		ret = sim_flush(s);
	if (ret)
		return ret;
	sink = (struct softpt_sink){ s->buf + s->len, s->buf + CHUNK };
	softpt_engine_anchor(&s->e, &sink);
	s->len = sink.cur - s->buf;
	return 0;
}

struct softpt_engine *sim_bulk(struct sim *s, struct softpt_sink *sink, int *err)
{
	*err = CHUNK - s->len < SIM_BULK_ROOM ? sim_flush(s) : 0;
	*sink = (struct softpt_sink){ s->buf + s->len, s->buf + CHUNK };
	return &s->e;
}

void sim_bulk_end(struct sim *s, const struct softpt_sink *sink)
{
	s->len = sink->cur - s->buf;
}

int sim_finish(struct sim *s)
{
	int ret = close_stream(s);

	softpt_fifo_end(&s->e);
	return ret || !s->match ? ret : match_end(s->match);
}
