// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's triggers: they are set while it is disabled, for all of its units, and each
 * unit arms its own when it is enabled.
 *
 * The unit that a trigger fires in freezes its ring itself, with the event at hand. Where
 * the others are to follow, struct softpt_session.freezes tells them, at their next event.
 * A CPU may have none for long, so that is also owed to the session (session-lock.c).
 */

#include <linux/nospec.h>

#include "put.h"

/* ---- what is set ---- */

static bool is_seen(const struct softpt_source_ops *ops, const struct softpt_trigger *t)
{
	const struct softpt_select select = {
		.event_class = t->event_class, .mask = t->submask,
	};

	if (t->source == SOFTPT_ON_EVENT)
		return softpt_counters_sees(ops, &select, 0);
	return !t->source || !ops->tells || ops->tells & BIT(t->source);
}

/**
 * softpt_triggers_seen() - whether a source tells all that triggers wait for
 * @session: locked
 * @ops: the source
 */
bool softpt_triggers_seen(const struct softpt_session *session,
			  const struct softpt_source_ops *ops)
{
	unsigned int i;

	for (i = 0; i < SOFTPT_TRIGGERS; i++)
		if (!is_seen(ops, &session->triggers.slot[i].set))
			return false;
	return true;
}

/**
 * softpt_triggers_fit() - whether the rings are such that freeze, where triggers want it
 * @session: locked
 */
bool softpt_triggers_fit(const struct softpt_session *session)
{
	unsigned int i;

	if (session->config.mode == SOFTPT_RING_SNAPSHOT)
		return true;
	for (i = 0; i < SOFTPT_TRIGGERS; i++)
		if (session->triggers.slot[i].set.flags & SOFTPT_TRIGGER_FREEZE)
			return false;
	return true;
}

static int set_locked(struct softpt_session *session, const struct softpt_trigger *trigger)
{
	bool before = softpt_session_counts(session);
	const char *why;
	int err;

	if (session->enabled)
		return -EBUSY;
	if (!is_seen(session->ops, trigger))
		return -EOPNOTSUPP;
	err = softpt_set_trigger(&session->triggers, trigger, &why);
	atomic_add(softpt_session_counts(session) - before, &softpt_counting);
	return err;
}

long softpt_session_set_trigger(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_trigger trigger;
	const char *why;
	int err = softpt_args_in(&trigger, sizeof(trigger), arg);

	if (!err && trigger.source >= SOFTPT_ON_NR)
		err = -EINVAL;
	if (err)
		return err;
	trigger.source = array_index_nospec(trigger.source, SOFTPT_ON_NR);
	err = softpt_trigger_check(&trigger, &why);
	if (err)
		return err;
	trigger.index = array_index_nospec(trigger.index, SOFTPT_TRIGGERS);
	if (trigger.source == SOFTPT_ON_COUNTER)
		trigger.value = array_index_nospec(trigger.value, SOFTPT_COUNTERS);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	err = set_locked(session, &trigger);
	softpt_session_unlock(session);
	return err;
}

/* ---- what a unit does ---- */

/**
 * softpt_unit_arm() - all that fired, or was counted, is forgotten
 * @unit: the unit, owned by the caller, its session locked
 */
void softpt_unit_arm(struct softpt_unit *unit)
{
	struct softpt_trigger_page *page = &unit->ring.control->triggers;

	softpt_triggers_arm(&unit->engine, &unit->session->triggers);
	unit->freezes = atomic_read(&unit->session->freezes);
	unit->noted = 0;
	WRITE_ONCE(page->events, 0);
	softpt_unit_show_triggers(unit);
}

/**
 * softpt_unit_show_triggers() - bring page 1 up to date
 * @unit: the unit, owned by the caller, who has just had the event
 */
void softpt_unit_show_triggers(struct softpt_unit *unit)
{
	struct softpt_trigger_page *page = &unit->ring.control->triggers;
	const struct softpt_triggers *t = &unit->engine.triggers;
	unsigned int i;

	WRITE_ONCE(page->seq, page->seq + 1);
	smp_wmb();	/* odd before anything changes: the reader's first look */
	if (t->noted != unit->noted) {
		WRITE_ONCE(page->index, t->index);
		WRITE_ONCE(page->tsc, t->tsc);
		WRITE_ONCE(page->ip, t->ip);
		WRITE_ONCE(page->head, unit->ring.head);
	}
	WRITE_ONCE(page->events, t->events);
	for (i = 0; i < SOFTPT_TRIGGERS; i++)
		WRITE_ONCE(page->hits[i], t->slot[i].hits);
	smp_wmb();	/* all of it before even: the reader's second look */
	WRITE_ONCE(page->seq, page->seq + 1);
	unit->noted = t->noted;
	unit->hits = t->hits;
}

/* Its own trigger wants it. */
static void freeze_mine(struct softpt_unit *unit)
{
	const struct softpt_triggers *t = &unit->engine.triggers;
	bool all = t->slot[t->freezer].set.flags & SOFTPT_TRIGGER_UNITS;

	softpt_unit_freeze(unit);
	if (all) {
		unit->freezes = atomic_inc_return(&unit->session->freezes);
		WRITE_ONCE(unit->spread, true);
	}
	irq_work_queue(&unit->wake);
}

/**
 * softpt_unit_triggered() - do what triggers want of the ring, of this unit or of others
 * @unit: the unit, owned by the caller
 *
 * One that is frozen stays as it is, whatever happens elsewhere.
 *
 * Context: interrupts off if the unit is live; takes no lock, wakes nobody itself.
 */
void softpt_unit_triggered(struct softpt_unit *unit)
{
	u32 freezes = atomic_read(&unit->session->freezes);

	if (unit->engine.triggers.hits != unit->hits)
		softpt_unit_show_triggers(unit);	/* head: behind the trigger event */
	if (!unit->ring.frozen && softpt_trigger_due(&unit->engine.triggers)) {
		freeze_mine(unit);
		return;
	}
	if (unit->freezes == freezes)
		return;
	unit->freezes = freezes;
	if (unit->ring.frozen)
		return;
	softpt_unit_freeze(unit);
	irq_work_queue(&unit->wake);
}

static void follow(void *data)
{
	struct softpt_unit *unit = data;

	if (unit->open)
		softpt_unit_follow_triggers(unit);
}

/**
 * softpt_session_follow_triggers() - units that see no event freeze, too
 * @session: locked
 */
void softpt_session_follow_triggers(struct softpt_session *session)
{
	struct softpt_unit *unit;
	unsigned int cpu;

	for (cpu = 0; (unit = softpt_session_next(session, &cpu)); cpu++) {
		mutex_lock(&unit->lock);
		softpt_unit_run(unit, follow, unit);
		mutex_unlock(&unit->lock);
	}
}

/* ---- all run on ---- */

struct rearm_call {
	struct softpt_unit *unit;
	u32 freezes;		/* that are over */
	bool frozen;
};

static void rearm(void *data)
{
	struct rearm_call *call = data;
	struct softpt_unit *unit = call->unit;

	call->frozen |= unit->ring.frozen;
	unit->freezes = call->freezes;
	if (unit->ring.frozen)
		softpt_unit_rearm(unit);
}

/* One that runs on may have the next trigger event before the last one does: it counts for that. */
long softpt_session_rearm(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct rearm_call call = { .frozen = false };
	unsigned int cpu;

	if (softpt_session_lock_killable(session))
		return -EINTR;
	call.freezes = atomic_read(&session->freezes);
	for (cpu = 0; (call.unit = softpt_session_next(session, &cpu)); cpu++) {
		mutex_lock(&call.unit->lock);
		softpt_unit_run(call.unit, rearm, &call);
		mutex_unlock(&call.unit->lock);
		softpt_unit_wake_writers(call.unit);
	}
	softpt_session_unlock(session);
	return call.frozen ? 0 : -EINVAL;
}

/* SOFTPT_TRIGGER: one that has no room now is looked at with the next event. */
long softpt_unit_trigger(struct file *file, void __user *arg)
{
	int err = softpt_unit_demand(file->private_data, SOFTPT_EV_IDLE);

	return err == -EAGAIN ? 0 : err;
}
