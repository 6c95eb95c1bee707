// SPDX-License-Identifier: BSD-2-Clause
#include "flight.h"

#include <sys/syscall.h>

const char *flight_refusal(const struct record_job *job)
{
	const struct triggers *set = &job->trigger.set;
	unsigned int i;

	if (job->cfg.clock == SOFTPT_CLOCK_MODEL)
		return "clock=model counts from the begin, which a flight recorder forgets";
	if (set->before.given)
		return "--before: how many bytes the records that are held become is not known";
	if (set->after.given && set->after.n && set->after.unit == SOFTPT_AFTER_PSBS)
		return "--after Npsb: bytes or Nclocks";
	for (i = 0; i < set->nr; i++) {
		const struct softpt_trigger *t = &set->trigger[i];

		if (t->flags & (SOFTPT_TRIGGER_REARM | SOFTPT_TRIGGER_PSB))
			return "a trigger with rearm or psb";
		if (t->source != SOFTPT_ON_SIGNAL && t->source != SOFTPT_ON_SYSCALL &&
		    t->source != SOFTPT_ON_EXIT)
			return "a trigger that is no signal, syscall or exit";
	}
	return NULL;
}

void flight_place(struct place *p, const struct softpt_xl_escape *e)
{
	/* Code may have been there for as long as its thread may have been. */
	if (e->tsc > p->tsc && e->what != SOFTPT_XL_BYTES)
		p->tsc = e->tsc;
	switch (e->what) {
	case SOFTPT_XL_THREAD:
		p->tid = e->from;
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
	case SOFTPT_ON_EXIT:
		return e->what == SOFTPT_XL_CALL && e->from == SYS_exit_group;
	}
	return false;
}

void flight_escape(struct flight *f, struct slot *s, const struct softpt_xl_escape *e, uint64_t ip)
{
	unsigned int i;

	flight_place(&s->here, e);
	for (i = 0; i < f->trigger->set.nr && !f->fired; i++) {
		const struct softpt_trigger *t = &f->trigger->set.trigger[i];

		if (!is_source(t, e) || ++f->seen[i] != t->nth)
			continue;
		f->fired = true;
		f->index = i;
		f->slot = s;
		f->tid = s->here.tid;
		f->event = *e;
		f->ip = e->what == SOFTPT_XL_CALL ? ip : e->from;
	}
}

bool flight_marks(struct flight *f, const struct slot *s, const struct softpt_xl_escape *e)
{
	if (!f->fired || f->marked || s != f->slot || e->tsc != f->event.tsc ||
	    e->what != f->event.what)
		return false;
	f->marked = true;
	return true;
}

bool flight_is_over(const struct flight *f, uint64_t bytes, uint64_t tsc)
{
	const struct amount *after = &f->trigger->set.after;

	if (after->unit == SOFTPT_AFTER_TICKS)
		return tsc - f->event.tsc >= after->n;
	return bytes >= after->n;
}
