// SPDX-License-Identifier: BSD-2-Clause
#include "flight.h"

#include <sys/syscall.h>

#include <softpt/params.h>

#include "base/tsc.h"

static bool is_seen(uint32_t source)
{
	return source == SOFTPT_ON_SIGNAL || source == SOFTPT_ON_SYSCALL ||
	       source == SOFTPT_ON_EXIT || source == SOFTPT_ON_IP || source == SOFTPT_ON_PTW;
}

const char *flight_refusal(const struct record_job *job)
{
	const struct triggers *set = &job->trigger.set;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (!is_seen(set->trigger[i].source))
			return "a trigger that is no ip, ptw, signal, syscall or exit";
	return NULL;
}

bool flight_watches(const struct flight *f)
{
	unsigned int i;

	for (i = 0; i < f->trigger->set.nr; i++)
		if (f->trigger->set.trigger[i].source == SOFTPT_ON_IP)
			return true;
	return f->cfg->clock == SOFTPT_CLOCK_MODEL;
}

void flight_place(struct place *p, const struct softpt_xl_escape *e)
{
	/* Code may have been there for as long as its thread may have been. */
	if (e->tsc > p->tsc && e->what != SOFTPT_XL_BYTES)
		p->tsc = e->tsc;
	switch (e->what) {
	case SOFTPT_XL_THREAD:
		p->tid = e->from;
		p->cycles = 1;
		p->in_kernel = false;
		break;
	case SOFTPT_XL_END:
		p->tid = 0;
		break;
	case SOFTPT_XL_CALL:
		p->in_kernel = true;
		break;
	case SOFTPT_XL_RETURN:
		p->in_kernel = false;
		break;
	case SOFTPT_XL_GO_ON ... 64:
		p->in_kernel = !e->to;
		break;
	}
}

/* Whether a trigger waits for it, as the module judges what it steps (kmod/channel/emit.h) */
static bool is_source(const struct softpt_trigger *t, const struct softpt_xl_escape *e)
{
	switch (t->source) {
	case SOFTPT_ON_SIGNAL:
		return e->what >= 1 && e->what <= 64 && t->value >> (e->what - 1) & 1 &&
		       (!(t->flags & SOFTPT_TRIGGER_FATAL) || !e->to);
	case SOFTPT_ON_SYSCALL:
		return e->what == SOFTPT_XL_CALL && e->from == t->value;
	case SOFTPT_ON_PTW:
		return e->what == SOFTPT_XL_VALUE && (e->to & t->mask) == t->value;
	case SOFTPT_ON_EXIT:
		return e->what == SOFTPT_XL_CALL && e->from == SYS_exit_group;
	}
	return false;
}

/* One more. Return: whether that is a trigger event */
static bool count(struct flight *f, unsigned int i)
{
	const struct softpt_trigger *t = &f->trigger->set.trigger[i];
	const uint64_t n = ++f->seen[i];

	return t->flags & SOFTPT_TRIGGER_REARM ? n % t->nth == 0 : n == t->nth;
}

/* Its TRIG packet, and the PSB+ that comes with it */
static void mark(struct flight *f, const struct xl_hit *hit, unsigned int words)
{
	const struct softpt_trigger *t = &f->trigger->set.trigger[hit->trigger];
	struct xl_mark *m = f->nr_marks ? &f->mark[f->nr_marks - 1] : NULL;

	if (!m || ((m->step != hit->step || m->behind != hit->behind) && f->nr_marks < XL_MARKS)) {
		m = &f->mark[f->nr_marks++];
		*m = (struct xl_mark){ .step = hit->step, .behind = hit->behind };
	}
	if (f->cfg->flags & SOFTPT_F_TRIG)
		m->bits |= 1u << hit->trigger;
	f->words = words;
	m->psb |= t->flags & SOFTPT_TRIGGER_PSB;
}

void flight_hit(struct flight *f, const struct slot *s, const struct xl_hit *hit,
		unsigned int words)
{
	if (!count(f, hit->trigger))
		return;
	mark(f, hit, words);
	if (f->fired)
		return;
	f->fired = true;
	f->index = hit->trigger;
	f->slot = s;
	f->tid = s->here.tid;
	f->tsc = tsc_now();
	f->ip = hit->ip;
}

void flight_escape(struct flight *f, const struct slot *s, const struct softpt_xl_escape *e,
		   uint64_t ip)
{
	struct xl_hit hit = {
		.step = XL_STEP_END, .ip = e->what == SOFTPT_XL_CALL ? ip : e->from,
	};

	for (hit.trigger = 0; hit.trigger < f->trigger->set.nr; hit.trigger++)
		if (is_source(&f->trigger->set.trigger[hit.trigger], e))
			flight_hit(f, s, &hit, sizeof(*e) / sizeof(uint32_t));
}

static uint64_t interval(const struct flight *f)
{
	return softpt_psb_interval(f->cfg);
}

bool flight_is_over(const struct flight *f)
{
	const struct amount *after = &f->trigger->set.after;

	switch (after->unit) {
	case SOFTPT_AFTER_TICKS:
		return tsc_now() - f->tsc >= after->n;
	case SOFTPT_AFTER_PSBS:
		return f->psbs >= after->n || f->bytes / interval(f) >= after->n;
	}
	return f->bytes >= after->n;
}

uint64_t flight_before(const struct flight *f)
{
	const struct amount *before = &f->trigger->set.before;

	if (!before->given)
		return UINT64_MAX;
	return before->unit == SOFTPT_AFTER_PSBS ? before->n * interval(f) : before->n;
}

bool flight_rearm(struct flight *f)
{
	const bool again = f->trigger->set.trigger[f->index].flags & SOFTPT_TRIGGER_REARM;

	f->fired = false;
	f->bytes = 0;
	f->psbs = 0;
	return again;
}
