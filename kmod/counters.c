// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's event counters: what they count is the same in all of its units, and each
 * unit counts what happens on its CPU.
 *
 * struct softpt_session.counters is how they were set, for units that are made later. It
 * counts nothing, and all that a caller asks for is judged by it. SOFTPT_COUNT is
 * published to all units with a number of its own: each does it before the next event
 * that it sees, or when it is asked to, whichever comes first. So there is one instant
 * for all CPUs: that at which the number changed.
 */

#include <linux/cpumask.h>
#include <linux/nospec.h>

#include "clock.h"
#include "put.h"
#include "user.h"

struct call {
	struct softpt_unit *unit;
	const void *what;
	struct softpt_counter_values *values;
};

static void each_unit(struct softpt_session *session, void (*fn)(void *call), const void *what)
{
	struct call call = { .what = what };
	unsigned int cpu;

	for (cpu = 0; (call.unit = softpt_session_next(session, &cpu)); cpu++) {
		mutex_lock(&call.unit->lock);
		softpt_unit_run(call.unit, fn, &call);
		mutex_unlock(&call.unit->lock);
	}
}

/* ---- what a source can know ---- */

/* An event has one subclass at least, so who wants all that are known misses none. */
static bool knows(const struct softpt_sight *s, u16 mask)
{
	return !(mask & ~s->submask) || (mask & s->submask) == s->submask;
}

/* What a source must know of the events besides, for the counter's sake */
enum need {
	NEED_STOP	= 1,	/* it can stop who caused them */
	NEED_ADDRESS	= 2,	/* which instruction that was */
};

/* Whether a source tells all that is selected; @need: enum need, 0: nothing besides */
bool softpt_counters_sees(const struct softpt_source_ops *ops, const struct softpt_select *select,
			  unsigned int need)
{
	const struct softpt_sight *s;

	if (!select->mask || select->event_class == SOFTPT_CLASS_TRACE)
		return !need;
	if (!ops->sees)
		return !(need & NEED_STOP);
	for (s = ops->sees; s->submask; s++)
		if (s->event_class == select->event_class)
			return knows(s, select->mask) && (s->stops || !(need & NEED_STOP)) &&
			       (s->located || !(need & NEED_ADDRESS));
	return false;
}

static unsigned int freezes(const struct softpt_session *session, unsigned int k)
{
	return session->freeze.pipeline.stages && session->freeze.counter == k ? NEED_ADDRESS : 0;
}

static unsigned int needed(const struct softpt_session *session, unsigned int k)
{
	return (session->counters.breaking & BIT(k) ? NEED_STOP : 0) | freezes(session, k);
}

/* By the counters that are set to @escr */
static unsigned int needed_of(const struct softpt_session *session, u32 escr)
{
	const struct softpt_counters *c = &session->counters;
	unsigned int k, need = 0;

	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if (c->set & BIT(k) && c->escr_of[k] == escr)
			need |= needed(session, k);
	return need;
}

/**
 * softpt_counters_seen() - whether a source knows all that counters are set to count
 * @session: locked
 * @ops: the source
 */
bool softpt_counters_seen(const struct softpt_session *session,
			  const struct softpt_source_ops *ops)
{
	const struct softpt_counters *c = &session->counters;
	unsigned int k;

	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if (c->set & BIT(k) &&
		    !softpt_counters_sees(ops, &c->escr[c->escr_of[k]], needed(session, k)))
			return false;
	return true;
}

/* ---- the session's commands ---- */

static void apply_escr(void *data)
{
	const struct call *call = data;
	const char *why;

	softpt_set_escr(&call->unit->engine.counters, call->what, &why);
}

long softpt_session_set_escr(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_select select;
	struct softpt_escr escr;
	const char *why;
	int err = softpt_args_in(&escr, sizeof(escr), arg);

	if (err)
		return err;
	if (escr.index >= SOFTPT_ESCRS)
		return -EINVAL;
	escr.index = array_index_nospec(escr.index, SOFTPT_ESCRS);
	select = (struct softpt_select) { .event_class = escr.event_class, .mask = escr.mask };
	if (softpt_session_lock_killable(session))
		return -EINTR;
	if (!softpt_counters_sees(session->ops, &select, needed_of(session, escr.index)))
		err = -EOPNOTSUPP;
	else
		err = softpt_set_escr(&session->counters, &escr, &why);
	if (!err)
		each_unit(session, apply_escr, &escr);
	softpt_session_unlock(session);
	return err;
}

static void apply_counter(void *data)
{
	const struct call *call = data;
	const char *why;

	softpt_set_counter(&call->unit->engine.counters, call->what, &why);
	softpt_unit_show_counters(call->unit);
}

long softpt_session_set_counter(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_counters *c = &session->counters;
	struct softpt_counter counter;
	unsigned int need;
	const char *why;
	int err = softpt_args_in(&counter, sizeof(counter), arg);

	if (err)
		return err;
	if (counter.index >= SOFTPT_COUNTERS || counter.escr >= SOFTPT_ESCRS)
		return -EINVAL;
	counter.index = array_index_nospec(counter.index, SOFTPT_COUNTERS);
	counter.escr = array_index_nospec(counter.escr, SOFTPT_ESCRS);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	need = freezes(session, counter.index);
	if (counter.flags & SOFTPT_COUNTER_BREAK)
		need |= NEED_STOP;
	if (!softpt_counters_sees(session->ops, &c->escr[counter.escr], need))
		err = -EOPNOTSUPP;
	else
		err = softpt_set_counter(c, &counter, &why);
	if (!err)
		each_unit(session, apply_counter, &counter);
	softpt_session_unlock(session);
	return err;
}

static void apply_count(void *data)
{
	const struct call *call = data;

	softpt_unit_follow_count(call->unit);
}

atomic_t softpt_counting;

/* Whether it is one of those; @session: locked */
bool softpt_session_counts(const struct softpt_session *session)
{
	return session->counters.running || session->freeze.pipeline.stages ||
	       session->triggers.classes;
}

/**
 * softpt_counters_freeze() - one of the counters freezes the records from now on
 * @session: locked, not enabled
 * @args: which; judged by the caller
 */
void softpt_counters_freeze(struct softpt_session *session, const struct softpt_freeze_args *args)
{
	bool before = softpt_session_counts(session);

	session->freeze = *args;
	atomic_add(softpt_session_counts(session) - before, &softpt_counting);
}

/* All units have done what was asked for before, so that nobody looks at it now. */
static void publish(struct softpt_session *session, const struct softpt_count_args *args)
{
	bool before = softpt_session_counts(session);

	session->count = *args;
	/* A clock of the source's own begins at 0. */
	softpt_counters_control(&session->counters,
				softpt_session_wall_clock(session) ? args->tsc : 0, args);
	atomic_add(softpt_session_counts(session) - before, &softpt_counting);
	/* Pairs with softpt_unit_follow_count() */
	smp_store_release(&session->count_seq, session->count_seq + 1);
	each_unit(session, apply_count, NULL);
}

/* The session goes. */
void softpt_counters_free(struct softpt_session *session)
{
	atomic_sub(softpt_session_counts(session), &softpt_counting);
}

/* Who can't be answered is told before anything is done. */
long softpt_session_count(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_count_args args;
	const char *why;
	u32 usize;
	int err = softpt_args_size(sizeof(args), arg, &usize);

	if (!err)
		err = softpt_copy_struct_from_user(&args, sizeof(args), arg, usize);
	if (!err)
		err = softpt_args_out(arg, usize, &args, sizeof(args));
	if (err)
		return err;
	args.size = sizeof(args);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	err = softpt_count_check(&session->counters, &args, &why);
	if (!err) {
		args.tsc = softpt_clock();
		publish(session, &args);
	}
	softpt_session_unlock(session);
	return err ?: softpt_args_out(arg, usize, &args, sizeof(args));
}

long softpt_session_threads(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_threads threads = { .size = sizeof(threads) };
	u32 usize;
	int err = softpt_args_size(sizeof(threads), arg, &usize);

	if (err)
		return err;
	if (softpt_session_lock_killable(session))
		return -EINTR;
	if (!session->ops->threads)
		err = -EOPNOTSUPP;
	else if (!session->enabled)
		err = -EBADFD;
	else
		session->ops->threads(session, &threads);
	softpt_session_unlock(session);
	return err ?: softpt_args_out(arg, usize, &threads, sizeof(threads));
}

/* ---- the unit's ---- */

/* The time-stamp counter's time: a live unit's goes on between its events. */
static u64 now(const struct softpt_unit *unit)
{
	/* Of a session that is not enabled another thread may change source and clock. */
	if (data_race(softpt_session_wall_clock(unit->session)))
		return max_t(u64, softpt_clock(), unit->engine.now);
	return unit->engine.now;
}

/**
 * softpt_unit_show_counters() - bring page 1 up to date, and tell of overflows
 * @unit: the unit, owned by the caller
 */
void softpt_unit_show_counters(struct softpt_unit *unit)
{
	struct softpt_counter_page *page = &unit->ring.control->counters;
	struct softpt_counters *c = &unit->engine.counters;
	unsigned int k;

	if (unlikely(c->fresh)) {
		c->fresh = 0;
		WRITE_ONCE(unit->wrapped, true);
		irq_work_queue(&unit->wake);
	}
	if (unit->session->flags & SOFTPT_SESSION_NO_COUNTER_PAGE)
		return;
	WRITE_ONCE(page->seq, page->seq + 1);
	smp_wmb();	/* odd before anything changes: the reader's first look */
	WRITE_ONCE(page->overflowed, c->overflowed);
	WRITE_ONCE(page->tsc, softpt_counters_stamp(c, max(unit->engine.now, unit->count_tsc)));
	for (k = 0; k < SOFTPT_COUNTERS; k++)
		WRITE_ONCE(page->value[k], c->value[k]);
	smp_wmb();	/* all of it before even: the reader's second look */
	WRITE_ONCE(page->seq, page->seq + 1);
}

/**
 * softpt_unit_follow_count() - do what SOFTPT_COUNT asked for, unless that is done
 * @unit: the unit, owned by the caller
 */
void softpt_unit_follow_count(struct softpt_unit *unit)
{
	struct softpt_session *session = unit->session;
	u32 seq = smp_load_acquire(&session->count_seq);	/* pairs with publish() */

	if (seq == unit->count_seq)
		return;
	unit->count_tsc = softpt_session_wall_clock(session) ? session->count.tsc :
							       unit->engine.now;
	softpt_count_control(&unit->engine, unit->count_tsc, &session->count);
	unit->count_seq = seq;
	softpt_unit_show_counters(unit);
}

/**
 * softpt_unit_adopt_counters() - the unit's engine begins anew, and its counters with it
 * @unit: the unit, owned by the caller, its session locked
 */
void softpt_unit_adopt_counters(struct softpt_unit *unit)
{
	struct softpt_session *session = unit->session;

	softpt_counters_adopt(&unit->engine, &session->counters);
	unit->count_seq = session->count_seq;
	unit->count_tsc = softpt_session_wall_clock(session) ? session->count.tsc : 0;
	WRITE_ONCE(unit->wrapped, false);
	softpt_unit_show_counters(unit);
}

void softpt_unit_count_slow(struct softpt_unit *unit, u8 event_class, u16 submask, u8 cpl,
			    u8 thread)
{
	struct softpt_event idle = { .kind = SOFTPT_EV_IDLE };
	struct softpt_engine *e = &unit->engine;
	u8 cpl_before = e->cpl, thread_before = e->thread;

	lockdep_assert_irqs_disabled();
	if (!softpt_unit_takes_events(unit))
		return;
	e->cpl = cpl;
	e->thread = thread;
	softpt_count(e, event_class, submask, 1);
	e->cpl = cpl_before;
	e->thread = thread_before;
	softpt_fifo_counted(e);
	softpt_unit_show_counters(unit);
	if (unlikely(e->triggers.set) && softpt_trigger_pending(e)) {
		idle.tsc = now(unit);
		softpt_unit_live(unit, &idle);
	}
}

static void read_values(void *data)
{
	const struct call *call = data;
	struct softpt_unit *unit = call->unit;

	softpt_unit_follow_count(unit);
	WRITE_ONCE(unit->wrapped, false);
	softpt_counters_read(&unit->engine.counters, now(unit), call->values);
}

long softpt_unit_read_counters(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	struct softpt_counter_values values;
	struct call call = { .unit = unit, .values = &values };
	u32 usize;
	int err = softpt_args_size(sizeof(values), arg, &usize);

	if (!err)
		err = softpt_copy_struct_from_user(&values, sizeof(values), arg, usize);
	/* Who can't be answered is not told of overflows: they stay to be told. */
	if (!err)
		err = softpt_args_out(arg, usize, &values, sizeof(values));
	if (err)
		return err;
	if (values.flags & ~SOFTPT_READ_ALL || values.reserved || values.thread >= SOFTPT_THREADS ||
	    (values.thread && !(values.flags & SOFTPT_READ_THREAD)))
		return -EINVAL;
	values.thread = array_index_nospec(values.thread, SOFTPT_THREADS);
	values.size = sizeof(values);
	mutex_lock(&unit->lock);
	softpt_unit_run(unit, read_values, &call);
	mutex_unlock(&unit->lock);
	return softpt_args_out(arg, usize, &values, sizeof(values));
}
