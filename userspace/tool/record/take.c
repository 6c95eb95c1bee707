// SPDX-License-Identifier: BSD-2-Clause
#include "take.h"

#include <errno.h>
#include <string.h>

#include "base/tsc.h"
#include "flight/skim.h"
#include "side.h"
#include "sideband/system.h"
#include "sim/sim.h"

/* Not 0, which says that there is no time */
static uint64_t unit_tsc(const struct xl_unit *u)
{
	uint64_t tsc = u->model ? u->cycles : u->now;

	return tsc ? tsc : 1;
}

/* Whether the call that is recorded has taken as long as is asked for */
static bool is_slow(const struct translation *t, const struct xl_unit *u)
{
	return !u->outside && u->now - u->entered >= t->slower;
}

static int put_held(struct translation *t, struct slot *s)
{
	int err = softpt_perf_writer_thread(t->writer, s->unit.tid, unit_tsc(&s->unit),
					    s->history.buf, s->history.len);

	history_free(&s->history);
	return err;
}

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct slot *s = ctx;
	struct translation *t = s->ctx;

	if (t->replays && t->flight.trigger->set.before.given)
		return history_add(&s->history, buf, len);
	if (t->slower && !is_slow(t, &s->unit))
		return history_add(&s->history, buf, len);
	side_drain(t);
	if (!t->all.err && s->history.len)
		t->all.err = put_held(t, s);
	if (t->all.err)
		return t->all.err;
	return len ? softpt_perf_writer_thread(t->writer, s->unit.tid, unit_tsc(&s->unit), buf,
					       len) : 0;
}

/* ---- threads ---- */

/* Of what was before the trigger event, as much as is wanted */
int take_history(struct slot *s, void *arg)
{
	struct translation *t = arg;
	struct history *h = &s->history;
	size_t cut;
	int err = s->unit.sim ? sim_flush(s->unit.sim) : 0;

	if (err || !h->len)
		return err;
	cut = history_cut(h, flight_before(&t->flight));
	if (s == t->flight.slot)
		t->flight.held = h->len - cut;
	err = softpt_perf_writer_thread(t->writer, s->unit.tid, unit_tsc(&s->unit), h->buf + cut,
					h->len - cut);
	history_free(h);
	return err;
}

static struct slot *slot_of(struct xl_unit *u)
{
	return (struct slot *)((char *)u - offsetof(struct slot, unit));
}

static void add_counts(struct translation *t, const struct xl_unit *u)
{
	const struct softpt_counts *c = &sim_engine(u->sim)->counts;

	t->counts.events += c->events;
	t->counts.packets += c->packets;
	t->counts.bytes += c->bytes;
	t->counts.mtc += c->mtc;
	t->counts.mtc_suppressed += c->mtc_suppressed;
	t->branches += u->branches;
}

static int add_unit(struct xl_unit *u, void *arg)
{
	struct softpt_counts *c = arg;

	c->events += u->branches;
	c->bytes += sim_engine(u->sim)->counts.bytes;
	return 0;
}

struct softpt_counts take_sum(struct translation *t)
{
	struct softpt_counts c = { .events = t->branches, .bytes = t->counts.bytes };

	members_each(&t->all, add_unit, &c);
	return c;
}

/* The unit is about to end. What is still held is of a call that was not slow, or of none. */
static void drop_held(struct translation *t, struct slot *s)
{
	if (s->unit.in_call && !s->unit.outside && !is_slow(t, &s->unit))
		t->calls.taken--;
	s->history.len = 0;
}

void take_end_unit(struct translation *t, struct xl_unit *u, uint64_t tsc)
{
	if (!u->sim)
		return;
	xl_unit_end(u, tsc);
	if (u->err && !t->all.err)
		t->all.err = u->err;
	if (t->slower)
		drop_held(t, slot_of(u));
	if (t->replays && !t->all.err)
		t->all.err = take_history(slot_of(u), t);
	add_counts(t, u);
	sim_free(u->sim);
	u->sim = NULL;
}

/* Its process is gone: by an exit, a signal, or an exec, which the next program's begin follows. */
void take_end(void *ctx, struct slot *s)
{
	take_end_unit(ctx, &s->unit, s->unit.in_kernel ? s->unit.now : tsc_now());
}

struct executed {
	struct translation *t;
	const struct xl_unit *next;
	pid_t tid;
};

/* Of a thread that has executed another program, and is in another process's area now */
static int end_executed(struct xl_unit *u, void *arg)
{
	const struct executed *x = arg;

	if (u->tid == x->tid && u != x->next)
		take_end_unit(x->t, u, u->now);
	return 0;
}

/* Return: whether the unit has a new stream */
static bool begin_stream(struct translation *t, struct slot *s)
{
	const struct sim_output out = { .bytes = put_bytes, .ctx = s };

	s->unit.sim = sim_new(&t->cfg, &out);
	if (!s->unit.sim)
		return false;
	sim_live(s->unit.sim);
	if (!s->unit.model)
		sim_hold_psb(s->unit.sim);
	return true;
}

/* What comes next begins with a PSB+: a call that was not slow leaves nothing behind. */
void take_call_over(struct xl_unit *u)
{
	struct slot *s = slot_of(u);
	struct translation *t = s->ctx;

	u->err = sim_flush(u->sim);
	if (u->err)
		return;
	if (u->now - u->entered >= t->slower) {
		u->err = s->history.len ? put_held(t, s) : 0;
		add_counts(t, u);
	} else {
		t->calls.taken--;
		s->history.len = 0;
	}
	u->branches = 0;
	sim_free(u->sim);
	u->sim = NULL;
	if (u->err)
		return;
	if (begin_stream(t, s))
		xl_unit_begin(u, 0, u->now);
	else
		u->err = -ENOMEM;
}

static void begin_unit(struct translation *t, struct member *m, struct slot *s,
		       const struct softpt_xl_escape *e, uint64_t cycles)
{
	struct xl_unit next = {
		.runs = &m->runs, .tid = e->from, .model = is_model(t), .cycles = cycles,
		.nr_marks = s->unit.nr_marks, .outside = t->job->inside.nr,
		.calls = t->job->inside.nr ? &t->calls : NULL, .numbers = t->job->kernel,
	};
	struct executed x = { .t = t, .next = &s->unit, .tid = e->from };

	take_end_unit(t, &s->unit, e->tsc);
	members_each(&t->all, end_executed, &x);
	s->ctx = t;
	memcpy(next.mark, s->unit.mark, sizeof(next.mark));
	s->unit = next;
	if (!begin_stream(t, s)) {
		t->all.err = -ENOMEM;
		return;
	}
	side_drain(t);
	xl_unit_begin(&s->unit, e->to, e->tsc);
	if (!t->all.err)
		t->all.err = start_put(t->writer, m->pid, s->unit.tid, -1,
				       record_time(t, unit_tsc(&s->unit)));
}

/* ---- records ---- */

static void take_escape(struct translation *t, struct member *m, struct slot *s,
			const struct softpt_xl_escape *e)
{
	const struct place at = {
		.tsc = unit_tsc(&s->unit), .tid = s->unit.sim ? s->unit.tid : 0,
	};

	/* The model clock begins at 1: a TSC of 0 is none to perf. */
	if (e->what == SOFTPT_XL_THREAD)
		begin_unit(t, m, s, e, 1);
	else if (e->what == SOFTPT_XL_END)
		take_end_unit(t, &s->unit, e->tsc);
	else if (e->what == SOFTPT_XL_BYTES)
		t->all.err = t->skims ? 0 : side_code(t, m, e, &at);
	else
		xl_unit_escape(&s->unit, e);
	if (e->what >= 1 && e->what <= 64 && !e->to && s->unit.sim && !t->all.err)
		t->all.err = side_crash(t, m, s, e, unit_tsc(&s->unit));
}

static void begin_at(struct translation *t, struct member *m, struct slot *s, uint64_t to)
{
	const struct softpt_xl_escape e = { .from = s->there.tid, .to = to, .tsc = s->there.tsc };

	if (!s->there.tid)
		t->all.err = -EBADMSG;
	else
		begin_unit(t, m, s, &e, s->there.cycles);
}

/* Where the records at @from go on, if they are exits; 0: they are not */
static uint64_t head_of(const struct member *m, const uint32_t *from, const uint32_t *to)
{
	struct softpt_xl_exit x;

	if (from >= to || !xl_exit_at(m->runs.process, *from, SOFTPT_XL_EXITS, &x))
		return 0;
	return softpt_xl_address(m->runs.process->far, x.head);
}

/*
 * A thread that was there before the records that are held: its unit begins with the first of them
 * that says where it is.
 *
 * Return: the first record that is the unit's, or @to.
 */
static const uint32_t *join(struct translation *t, struct member *m, struct slot *s,
			    const uint32_t *from, const uint32_t *to)
{
	struct softpt_xl_escape e;
	uint64_t at;

	while (from < to && !t->all.err) {
		if (!escape_at(from, to, &e)) {
			s->joins = false;
			at = head_of(m, from, to);
			if (at)
				begin_at(t, m, s, at);
			return from;
		}
		if (e.what == SOFTPT_XL_THREAD) {
			s->joins = false;
			return from;
		}
		from += ESCAPE_WORDS;
		/* Of the record behind it, which may be still to come */
		if (e.what == SOFTPT_XL_TIME) {
			at = head_of(m, from, to);
			if (at) {
				s->joins = false;
				begin_at(t, m, s, at);
				return from - ESCAPE_WORDS;
			}
		}
		skim_place(t, m, &s->there, &e);
		if (e.what == SOFTPT_XL_RETURN || (e.what <= 64 && e.to)) {
			s->joins = false;
			begin_at(t, m, s, e.to);
			return from;
		}
	}
	return to;
}

/* Records at @from, up to @to */
static void take_plain(struct translation *t, struct member *m, struct slot *s,
		       const uint32_t *from, const uint32_t *to)
{
	struct softpt_xl_escape e;

	if (s->joins)
		from = join(t, m, s, from, to);
	while (from < to && !t->all.err) {
		if (*from != SOFTPT_XL_ESCAPE && !s->unit.sim) {
			t->all.err = -EBADMSG;
			return;
		}
		from = xl_unit_exits(&s->unit, from, to);
		if (s->unit.err)
			t->all.err = s->unit.err;
		if (from == to || t->all.err)
			return;
		if (!escape_at(from, to, &e)) {
			t->all.err = -EBADMSG;
			return;
		}
		take_escape(t, m, s, &e);
		from += ESCAPE_WORDS;
	}
	if (s->unit.err && !t->all.err)
		t->all.err = s->unit.err;
}

/* ---- of a flight recorder ---- */

/* A record in which a trigger event is, and from which on what comes is behind it */
static void take_marked(struct translation *t, struct member *m, struct slot *s,
			const uint32_t *from, const uint32_t *to)
{
	struct flight *f = &t->flight;

	memcpy(s->unit.mark, f->mark, sizeof(f->mark));
	s->unit.nr_marks = f->nr_marks;
	f->nr_marks = 0;
	take_plain(t, m, s, from, to);
	s->unit.nr_marks = 0;
}

/* What was done behind the trigger event in a piece, of one unit or of the next */
static void count_piece(struct flight *f, const struct sim *sim, const struct softpt_engine *before,
			uint64_t bytes, uint64_t psbs)
{
	const struct softpt_engine *e = sim ? sim_engine(sim) : NULL;

	if (!e)
		return;
	f->bytes += e->counts.bytes - (e == before ? bytes : 0);
	f->psbs += e->triggers.psbs - (e == before ? psbs : 0);
}

/* Records that were held: those of the thread of the trigger event end with it. */
static void take_held(struct translation *t, struct member *m, struct slot *s,
		      const uint32_t *from, const uint32_t *to)
{
	const bool last = t->flight.fired && s == t->flight.slot && s->ends;
	const uint32_t *end = last ? to - t->flight.words : to;

	take_plain(t, m, s, from, end);
	if (last && !t->all.err)
		take_marked(t, m, s, end, to);
}

#define PIECE	256	/* words of records, before it is looked whether they are enough */

/* What was skimmed just now. Return: the first record of the next piece */
static const uint32_t *take_piece(struct translation *t, struct member *m, struct slot *s,
				  const uint32_t *from, const uint32_t *to)
{
	const struct softpt_engine *e = s->unit.sim ? sim_engine(s->unit.sim) : NULL;
	const uint64_t bytes = e ? e->counts.bytes : 0, psbs = e ? e->triggers.psbs : 0;
	const uint32_t *next = skim_piece(t, m, s, from, to, PIECE), *end = next;

	if (t->flight.nr_marks && (size_t)(next - from) >= t->flight.words)
		end -= t->flight.words;
	take_plain(t, m, s, from, end);
	if (end < next && !t->all.err)
		take_marked(t, m, s, end, next);
	count_piece(&t->flight, s->unit.sim, e, bytes, psbs);
	return next;
}

const uint32_t *take_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
			     const uint32_t *to)
{
	struct translation *t = ctx;

	if (t->skims && t->replays) {
		take_held(t, m, s, from, to);
		return to;
	}
	if (!t->skims) {
		take_plain(t, m, s, from, to);
		return to;
	}
	while (from < to && !t->all.err && !t->all.stop) {
		from = take_piece(t, m, s, from, to);
		t->all.stop = t->flight.fired && flight_is_over(&t->flight);
	}
	return from;
}
