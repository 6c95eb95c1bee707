// SPDX-License-Identifier: BSD-2-Clause
#include "take.h"

#include <errno.h>
#include <string.h>

#include "base/tsc.h"
#include "sideband/system.h"
#include "sim/sim.h"

#define ESCAPE_WORDS	(sizeof(struct softpt_xl_escape) / sizeof(uint32_t))

/* Not 0, which says that there is no time */
static uint64_t unit_tsc(const struct xl_unit *u)
{
	uint64_t tsc = u->model ? u->cycles : u->now;

	return tsc ? tsc : 1;
}

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct slot *s = ctx;
	struct translation *t = s->ctx;

	return len ? softpt_perf_writer_thread(t->writer, s->unit.tid, unit_tsc(&s->unit), buf,
					       len) : 0;
}

static uint64_t record_time(const struct translation *t, uint64_t tsc)
{
	return t->setup.time_zero +
		(uint64_t)((__uint128_t)tsc * t->setup.time_mult >> t->setup.time_shift);
}

/* Code that no file holds. It was there when the thread came to it: at the last time known. */
static int put_code(struct translation *t, struct member *m,
		    const struct softpt_xl_escape *e, const struct place *at)
{
	uint8_t bytes[SOFTPT_XL_BLOCK];
	const struct softpt_perf_code code = {
		.addr = e->from, .pid = m->pid, .len = e->steps, .bytes = bytes,
	};

	if (e->steps > sizeof(bytes) || e->first > SOFTPT_XL_CODE - sizeof(bytes) || !at->tid)
		return -EBADMSG;
	memcpy(bytes, (char *)xl_process(&t->all.share, m->area) + SOFTPT_XL_CODE_AT + e->first,
	       e->steps);
	return softpt_perf_writer_code(t->writer, &code, at->tid, record_time(t, at->tsc));
}

/* Mappings first: a file that ends here must hold those that its trace needs. */
void take_sideband(struct translation *t)
{
	if (!t->all.err)
		t->all.err = sideband_drain(t->sideband, t->writer);
	t->drained = tsc_now();
}

/* ---- threads ---- */

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

void take_end_unit(struct translation *t, struct xl_unit *u, uint64_t tsc)
{
	if (!u->sim)
		return;
	xl_unit_end(u, tsc);
	if (u->err && !t->all.err)
		t->all.err = u->err;
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

static void begin_unit(struct translation *t, struct member *m, struct slot *s,
		       const struct softpt_xl_escape *e)
{
	const struct sim_output out = { .bytes = put_bytes, .ctx = s };

	struct executed x = { .t = t, .next = &s->unit, .tid = e->from };

	take_end_unit(t, &s->unit, e->tsc);
	members_each(&t->all, end_executed, &x);
	s->ctx = t;
	/* The model clock begins at 1: a TSC of 0 is none to perf. */
	s->unit = (struct xl_unit){
		.runs = &m->runs, .tid = e->from, .model = is_model(t),
		.cycles = 1, .sim = sim_new(&t->cfg, &out),
	};
	if (!s->unit.sim) {
		t->all.err = -ENOMEM;
		return;
	}
	sim_live(s->unit.sim);
	if (!s->unit.model)
		sim_hold_psb(s->unit.sim);
	take_sideband(t);
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

	if (flight_marks(&t->flight, s, e) && t->cfg.flags & SOFTPT_F_TRIG)
		s->unit.trigger = 1u << t->flight.index;
	if (e->what == SOFTPT_XL_THREAD)
		begin_unit(t, m, s, e);
	else if (e->what == SOFTPT_XL_END)
		take_end_unit(t, &s->unit, e->tsc);
	else if (e->what == SOFTPT_XL_BYTES)
		t->all.err = t->replays ? 0 : put_code(t, m, e, &at);
	else
		xl_unit_escape(&s->unit, e);
}

/* Return: whether there is an escape at @from, whole */
static bool escape_at(const uint32_t *from, const uint32_t *to, struct softpt_xl_escape *e)
{
	if (*from != SOFTPT_XL_ESCAPE || (size_t)(to - from) < ESCAPE_WORDS)
		return false;
	memcpy(e, from, sizeof(*e));
	return true;
}

/* The instruction at which a record ends; 0: it is none */
static uint64_t last_of(const struct member *m, uint32_t record)
{
	struct softpt_xl_exit x;

	return xl_exit_at(m->runs.process, record, SOFTPT_XL_EXITS, &x) ?
		softpt_xl_address(m->runs.process->far, x.last) : 0;
}

/* Records that are held: of all that they say, what can't wait */
void skim_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
		  const uint32_t *to)
{
	struct translation *t = ctx;
	struct softpt_xl_escape e;
	uint32_t before = SOFTPT_XL_ESCAPE;

	for (; from < to && !t->all.err; before = *from++) {
		if (!escape_at(from, to, &e))
			continue;
		flight_escape(&t->flight, s, &e, last_of(m, before));
		if (e.what == SOFTPT_XL_THREAD)
			take_sideband(t);	/* while it is there */
		if (e.what == SOFTPT_XL_BYTES)
			t->all.err = put_code(t, m, &e, &s->here);
		from += ESCAPE_WORDS - 1;
	}
}

static void begin_at(struct translation *t, struct member *m, struct slot *s, uint64_t to)
{
	const struct softpt_xl_escape e = { .from = s->here.tid, .to = to, .tsc = s->here.tsc };

	if (!s->here.tid)
		t->all.err = -EBADMSG;
	else
		begin_unit(t, m, s, &e);
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
		flight_place(&s->here, &e);
		if (e.what == SOFTPT_XL_RETURN || (e.what <= 64 && e.to)) {
			s->joins = false;
			begin_at(t, m, s, e.to);
			return from;
		}
	}
	return to;
}

/* Records at @from, up to @to */
void take_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
		  const uint32_t *to)
{
	struct translation *t = ctx;
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
