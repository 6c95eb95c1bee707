// SPDX-License-Identifier: GPL-2.0-only
/* Channels of a session start and stop together. */

#include "channel/freeze.h"
#include "channel/hotplug.h"
#include "channel/start.h"
#include "clock.h"
#include "session/start.h"
#include "session/trigger.h"

/* A channel leaves a session that is enabled and locked. */
void softpt_session_stop_channel(struct softpt_session *session, struct softpt_channel *ch)
{
	lockdep_assert_held(&session->lock);
	if (session->ops->detach)
		session->ops->detach(ch);
	softpt_channel_stop(ch);
	softpt_hotplug_remove(ch);
}

/* The channels of the CPUs below @end */
static void stop_channels(struct softpt_session *session, unsigned int end)
{
	struct softpt_channel *ch;
	unsigned int cpu;

	for (cpu = 0; (ch = softpt_gate_next(&session->gate, &cpu)) && cpu < end; cpu++)
		softpt_session_stop_channel(session, ch);
}

static int start_channel(struct softpt_session *session, struct softpt_channel *ch)
{
	const struct softpt_source_ops *ops = session->ops;
	int err = softpt_channel_start(ch, &session->setup, ops->live);

	if (!err && ops->attach)
		err = ops->attach(ch, &session->setup, &session->source);
	if (err) {
		softpt_channel_stop(ch);
		softpt_hotplug_remove(ch);
	}
	return err;
}

static int start_channels(struct softpt_session *session)
{
	const struct softpt_source_ops *ops = session->ops;
	struct softpt_channel *ch;
	unsigned int cpu;
	int err;

	for (cpu = 0; (ch = softpt_gate_next(&session->gate, &cpu)); cpu++) {
		err = start_channel(session, ch);
		if (err)
			goto err_channels;
	}
	err = ops->start ? ops->start(&session->gate, &session->setup, &session->source) : 0;
	if (!err)
		return 0;

err_channels:
	stop_channels(session, cpu);
	return err;
}

/**
 * softpt_session_enable() - channels start, and the source
 * @session: locked
 * @tsc: set to the instant at which all begins: events before it find struct softpt_gate.on in the
 *	future
 *
 * Return: 0; -EBUSY if that has been done; -EINVAL without a channel, or if triggers are to freeze
 * rings that never freeze; or as softpt_channel_start() and the source's start().
 */
int softpt_session_enable(struct softpt_session *session, u64 *tsc)
{
	struct softpt_gate *gate = &session->gate;
	int err;

	lockdep_assert_held(&session->lock);
	if (session->enabled)
		return -EBUSY;
	if (!session->nr_units || !softpt_session_triggers_fit(session))
		return -EINVAL;
	gate->ending = false;
	WRITE_ONCE(gate->exit_code, 0);
	WRITE_ONCE(gate->on, U64_MAX);
	WRITE_ONCE(gate->off, U64_MAX);
	err = start_channels(session);
	if (err)
		return err;
	session->enabled = true;
	session->enables++;
	*tsc = softpt_clock();
	WRITE_ONCE(gate->on, gate->wall_clock ? *tsc : 0);
	return 0;
}

/**
 * softpt_session_disable() - the source stops, and the channels
 * @session: locked
 * @tsc: set to the instant from which on events are ignored
 *
 * Return: 0, or -EINVAL if the session is not enabled.
 */
int softpt_session_disable(struct softpt_session *session, u64 *tsc)
{
	struct softpt_gate *gate = &session->gate;

	lockdep_assert_held(&session->lock);
	if (!session->enabled)
		return -EINVAL;
	*tsc = softpt_clock();
	if (gate->wall_clock)
		WRITE_ONCE(gate->off, *tsc);
	if (session->ops->stop)
		session->ops->stop(gate);
	stop_channels(session, nr_cpu_ids);
	session->enabled = false;
	return 0;
}

/**
 * softpt_session_follow() - channels that see no event do what others want of them
 * @session: locked; its gate has notified it
 *
 * They freeze with the others, and stop when the source has ended.
 */
void softpt_session_follow(struct softpt_session *session)
{
	struct softpt_channel *ch;
	unsigned int cpu;

	lockdep_assert_held(&session->lock);
	for (cpu = 0; (ch = softpt_gate_next(&session->gate, &cpu)); cpu++) {
		softpt_channel_follow_gate(ch);
		if (session->enabled && READ_ONCE(session->gate.ending))
			softpt_channel_stop(ch);
	}
}
