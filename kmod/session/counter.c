// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands for event counters. What is set is the same for all channels of a session.
 *
 * softpt_setup.counters is how they were set, for channels that are made later. It counts nothing,
 * and all that a caller asks for is checked against it.
 */

#include <linux/nospec.h>

#include "channel/count.h"
#include "channel/page.h"
#include "clock.h"
#include "session/args.h"
#include "session/commands.h"
#include "session/counter.h"
#include "session/lock.h"
#include "user.h"

struct call {
	struct softpt_channel *ch;
	const void *what;
};

static void each_channel(struct softpt_session *session, void (*fn)(void *call), const void *what)
{
	struct call call = { .what = what };
	unsigned int cpu;

	for (cpu = 0; (call.ch = softpt_gate_next(&session->gate, &cpu)); cpu++) {
		mutex_lock(&call.ch->lock);
		softpt_channel_on_owner(call.ch, fn, &call);
		mutex_unlock(&call.ch->lock);
	}
}

/* ---- what a source can count ---- */

/* The counter that freezes the retirement FIFO */
static unsigned int needed_to_freeze(const struct softpt_session *session, unsigned int k)
{
	const struct softpt_freeze_args *retire = &session->setup.retire;

	return retire->pipeline.stages && retire->counter == k ? SOFTPT_NEED_ADDRESS : 0;
}

static unsigned int needed(const struct softpt_session *session, unsigned int k)
{
	bool breaking = session->setup.counters.breaking & BIT(k);

	return (breaking ? SOFTPT_NEED_STOP : 0) | needed_to_freeze(session, k);
}

/* By the counters that are set to @escr */
static unsigned int needed_of(const struct softpt_session *session, u32 escr)
{
	const struct softpt_counters *c = &session->setup.counters;
	unsigned int k, need = 0;

	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if (c->set & BIT(k) && c->escr_of[k] == escr)
			need |= needed(session, k);
	return need;
}

/**
 * softpt_session_can_count() - whether a source can count all that counters are set to
 * @session: locked
 * @ops: the source
 */
bool softpt_session_can_count(const struct softpt_session *session,
			      const struct softpt_source_ops *ops)
{
	const struct softpt_counters *c = &session->setup.counters;
	const struct softpt_select *select;
	unsigned int k;

	lockdep_assert_held(&session->lock);
	for (k = 0; k < SOFTPT_COUNTERS; k++) {
		select = &c->escr[c->escr_of[k]];
		if (c->set & BIT(k) &&
		    !softpt_source_can_count(ops, select->event_class, select->mask,
					     needed(session, k)))
			return false;
	}
	return true;
}

/* ---- the session's commands ---- */

static void apply_escr(void *data)
{
	const struct call *call = data;
	const char *why;

	softpt_set_escr(&call->ch->engine.counters, call->what, &why);
}

long softpt_ioc_set_escr(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_escr escr;
	const char *why;
	int err = softpt_args_in(&escr, sizeof(escr), arg) ?: softpt_escr_check(&escr, &why);

	if (err)
		return err;
	escr.index = array_index_nospec(escr.index, SOFTPT_ESCRS);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	if (!softpt_source_can_count(session->ops, escr.event_class, escr.mask,
				     needed_of(session, escr.index)))
		err = -EOPNOTSUPP;
	else
		err = softpt_set_escr(&session->setup.counters, &escr, &why);
	if (!err)
		each_channel(session, apply_escr, &escr);
	softpt_session_unlock(session);
	return err;
}

static void apply_counter(void *data)
{
	const struct call *call = data;
	const char *why;

	softpt_set_counter(&call->ch->engine.counters, call->what, &why);
	softpt_channel_publish_counters(call->ch);
}

long softpt_ioc_set_counter(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_counters *c = &session->setup.counters;
	struct softpt_counter counter;
	const struct softpt_select *select;
	unsigned int need;
	const char *why;
	int err = softpt_args_in(&counter, sizeof(counter), arg) ?:
		  softpt_counter_check(&counter, &why);

	if (err)
		return err;
	counter.index = array_index_nospec(counter.index, SOFTPT_COUNTERS);
	counter.escr = array_index_nospec(counter.escr, SOFTPT_ESCRS);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	need = needed_to_freeze(session, counter.index);
	if (counter.flags & SOFTPT_COUNTER_BREAK)
		need |= SOFTPT_NEED_STOP;
	select = &c->escr[counter.escr];
	if (!softpt_source_can_count(session->ops, select->event_class, select->mask, need))
		err = -EOPNOTSUPP;
	else
		err = softpt_set_counter(c, &counter, &why);
	if (!err)
		each_channel(session, apply_counter, &counter);
	softpt_session_unlock(session);
	return err;
}

static void apply_count(void *data)
{
	const struct call *call = data;

	softpt_channel_follow_count(call->ch);
}

/* All channels have done what was asked for before, so that nobody looks at it now. */
static void publish(struct softpt_session *session, const struct softpt_count_args *args)
{
	struct softpt_gate *gate = &session->gate;

	gate->count = *args;
	/* A clock of the source's own begins at 0. */
	softpt_counters_control(&session->setup.counters, gate->wall_clock ? args->tsc : 0, args);
	softpt_session_publish_counting(session);
	/* Pairs with softpt_channel_follow_count() */
	smp_store_release(&gate->count_seq, gate->count_seq + 1);
	each_channel(session, apply_count, NULL);
}

/* A caller who can't be answered gets the error before anything is done. */
long softpt_ioc_count(struct file *file, void __user *arg)
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
	err = softpt_count_check(&session->setup.counters, &args, &why);
	if (!err) {
		args.tsc = softpt_clock();
		publish(session, &args);
	}
	softpt_session_unlock(session);
	return err ?: softpt_args_out(arg, usize, &args, sizeof(args));
}

long softpt_ioc_get_threads(struct file *file, void __user *arg)
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
		session->ops->threads(&session->gate, &threads);
	softpt_session_unlock(session);
	return err ?: softpt_args_out(arg, usize, &threads, sizeof(threads));
}

long softpt_ioc_read_counters(struct file *file, void __user *arg)
{
	struct softpt_counter_values values;
	u32 usize;
	int err = softpt_args_size(sizeof(values), arg, &usize);

	if (!err)
		err = softpt_copy_struct_from_user(&values, sizeof(values), arg, usize);
	/* A caller who can't be answered takes no news of overflows away. */
	if (!err)
		err = softpt_args_out(arg, usize, &values, sizeof(values));
	if (err)
		return err;
	if (values.flags & ~SOFTPT_READ_ALL || values.reserved || values.thread >= SOFTPT_THREADS ||
	    (values.thread && !(values.flags & SOFTPT_READ_THREAD)))
		return -EINVAL;
	values.thread = array_index_nospec(values.thread, SOFTPT_THREADS);
	values.size = sizeof(values);
	softpt_channel_read_counters(softpt_file_channel(file), &values);
	return softpt_args_out(arg, usize, &values, sizeof(values));
}
