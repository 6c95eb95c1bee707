// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands for triggers: they are set while a session is disabled, for all of its channels, and
 * each channel arms its own when it is started.
 */

#include <linux/nospec.h>

#include "channel/freeze.h"
#include "channel/start.h"
#include "session/args.h"
#include "session/commands.h"
#include "session/lock.h"
#include "session/trigger.h"

/**
 * softpt_session_can_trigger() - whether a source can trigger all that triggers wait for
 * @session: locked
 * @ops: the source
 */
bool softpt_session_can_trigger(const struct softpt_session *session,
				const struct softpt_source_ops *ops)
{
	unsigned int i;

	lockdep_assert_held(&session->lock);
	for (i = 0; i < SOFTPT_TRIGGERS; i++)
		if (!softpt_source_can_trigger(ops, &session->setup.triggers.slot[i].set))
			return false;
	return true;
}

/**
 * softpt_session_triggers_fit() - whether the rings can freeze, if a trigger is to freeze them
 * @session: locked
 */
bool softpt_session_triggers_fit(const struct softpt_session *session)
{
	unsigned int i;

	lockdep_assert_held(&session->lock);
	if (session->setup.config.mode == SOFTPT_RING_SNAPSHOT)
		return true;
	for (i = 0; i < SOFTPT_TRIGGERS; i++)
		if (session->setup.triggers.slot[i].set.flags & SOFTPT_TRIGGER_FREEZE)
			return false;
	return true;
}

static int set_locked(struct softpt_session *session, const struct softpt_trigger *trigger)
{
	const char *why;
	int err;

	if (session->enabled)
		return -EBUSY;
	if (!softpt_source_can_trigger(session->ops, trigger))
		return -EOPNOTSUPP;
	err = softpt_set_trigger(&session->setup.triggers, trigger, &why);
	softpt_session_publish_counting(session);
	return err;
}

long softpt_ioc_set_trigger(struct file *file, void __user *arg)
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

/* A channel that runs on may have the next trigger event before the last one does: that counts. */
long softpt_ioc_rearm_units(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_channel *ch;
	bool frozen = false;
	unsigned int cpu;
	u32 freezes;

	if (softpt_session_lock_killable(session))
		return -EINTR;
	freezes = atomic_read(&session->gate.freezes);
	for (cpu = 0; (ch = softpt_gate_next(&session->gate, &cpu)); cpu++)
		frozen |= softpt_channel_rearm(ch, &freezes);
	softpt_session_unlock(session);
	return frozen ? 0 : -EINVAL;
}

/* SOFTPT_TRIGGER: one that has no room now is looked at with the next event. */
long softpt_ioc_trigger(struct file *file, void __user *arg)
{
	int err = softpt_channel_demand(softpt_file_channel(file), SOFTPT_EV_IDLE);

	return err == -EAGAIN ? 0 : err;
}
