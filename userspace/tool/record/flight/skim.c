// SPDX-License-Identifier: BSD-2-Clause
#include "skim.h"

#include <errno.h>

#include "../side.h"

/* A record in which an address was come to */
struct come {
	struct flight *flight;
	struct slot *slot;
	unsigned int words;
};

static void hit(void *ctx, const struct xl_hit *hit)
{
	const struct come *c = ctx;

	flight_hit(c->flight, c->slot, hit, c->words);
}

/* The instruction at which a record ends; 0: it is none */
static uint64_t last_of(const struct member *m, uint32_t record)
{
	struct softpt_xl_exit x;

	return xl_exit_at(m->runs.process, record, SOFTPT_XL_EXITS, &x) ?
		softpt_xl_address(m->runs.process->far, x.last) : 0;
}

static void add_cycles(struct translation *t, struct place *p, int insns)
{
	if (insns == -EBADMSG)
		t->all.err = insns;
	else
		p->cycles += insns;
}

static void ignore(void *ctx, const struct xl_hit *hit)
{
	(void)ctx;
	(void)hit;
}

void skim_place(struct translation *t, struct member *m, struct place *p,
		const struct softpt_xl_escape *e)
{
	const struct xl_hits none = { .hit = ignore };
	struct xl_visit v = { .on = false };

	if (flight_watches(&t->flight))
		add_cycles(t, p, xl_watch_escape(&m->watch, &v, e, p->in_kernel, &none));
	flight_place(p, e);
}

/* @before: the record before it */
static void skim_escape(struct translation *t, struct member *m, struct slot *s,
			const struct softpt_xl_escape *e, uint32_t before)
{
	struct come come = { .flight = &t->flight, .slot = s, .words = ESCAPE_WORDS };
	const struct xl_hits hits = { .hit = hit, .ctx = &come };

	int insns = 0;

	if (flight_watches(&t->flight))
		insns = xl_watch_escape(&m->watch, &s->visit, e, s->here.in_kernel, &hits);
	add_cycles(t, &s->here, insns);
	flight_place(&s->here, e);
	flight_escape(&t->flight, s, e, last_of(m, before));
	if (e->what == SOFTPT_XL_THREAD)
		side_drain(t);		/* while it is there */
	if (e->what == SOFTPT_XL_BYTES && !t->all.err)
		t->all.err = side_code(t, m, e, &s->here);
}

static int watch(struct translation *t, struct member *m)
{
	const struct record_trigger *wanted = t->flight.trigger;

	if (!flight_watches(&t->flight))
		return 0;
	if (m->watch.flags) {
		xl_watch_look(&m->watch);
		return 0;
	}
	names_place(&wanted->set, &wanted->names, m->runs.process, m->trigger);
	return xl_watch_init(&m->watch, m->runs.process, m->trigger, wanted->set.nr);
}

/* Exits, up to what is none, or has a trigger event */
static const uint32_t *skim_exits(struct translation *t, struct member *m, struct slot *s,
				  const uint32_t *from, const uint32_t *to)
{
	const uint32_t known = __atomic_load_n(&m->runs.process->exits, __ATOMIC_ACQUIRE);
	struct come come = { .flight = &t->flight, .slot = s, .words = 1 };
	const struct xl_hits hits = { .hit = hit, .ctx = &come };
	int insns;

	for (; from < to && *from != SOFTPT_XL_ESCAPE && !t->flight.nr_marks; from++) {
		insns = xl_watch_exit(&m->watch, &s->visit, *from, known, &hits);
		if (insns < 0) {
			t->all.err = insns;
			break;
		}
		s->here.cycles += insns;
	}
	return from;
}

static const uint32_t *skip_exits(const uint32_t *from, const uint32_t *to)
{
	while (from < to && *from != SOFTPT_XL_ESCAPE)
		from++;
	return from;
}

const uint32_t *skim_piece(struct translation *t, struct member *m, struct slot *s,
			   const uint32_t *from, const uint32_t *to, size_t most)
{
	const bool watches = flight_watches(&t->flight);
	const uint32_t *first = from, *end;
	struct softpt_xl_escape e;
	uint32_t before = SOFTPT_XL_ESCAPE;

	t->all.err = watch(t, m);
	while (from < to && (size_t)(from - first) < most && !t->flight.nr_marks && !t->all.err) {
		if (escape_at(from, to, &e)) {
			skim_escape(t, m, s, &e, before);
			before = SOFTPT_XL_ESCAPE;
			from += ESCAPE_WORDS;
			continue;
		}
		if (*from == SOFTPT_XL_ESCAPE)
			t->all.err = -EBADMSG;
		end = (size_t)(to - from) > most ? from + most : to;
		end = watches ? skim_exits(t, m, s, from, end) : skip_exits(from, end);
		if (end > from)
			before = end[-1];
		from = end;
	}
	return from;
}

const uint32_t *skim_records(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
			     const uint32_t *to)
{
	struct translation *t = ctx;

	from = skim_piece(t, m, s, from, to, SIZE_MAX);
	t->all.stop = t->flight.fired;
	return from;
}
