// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event addresses: the records of retired instructions in each of a session's units, what
 * freezes them, and how they are read. (Documentation/address.rst)
 *
 * The records are the engine's, and change under its rules, until they are frozen. From then on
 * they stay as they are until the unit's lock is taken to arm them anew.
 */

#include <linux/nospec.h>
#include <linux/slab.h>

#include <softpt/address.h>

#include "softpt.h"
#include "user.h"

static bool is_valid(const struct softpt_pipeline *p)
{
#define ROW(key, field, low, high, preset, what) \
	(p->field >= (low) + 0ull && p->field <= (high)) &&
	return SOFTPT_PIPELINE_KEYS(ROW) true;
#undef ROW
}

/* Nothing but its size: nothing is recorded any more. */
static bool is_none(const struct softpt_freeze_args *args)
{
	return !args->counter && !memchr_inv(&args->pipeline, 0, sizeof(args->pipeline));
}

long softpt_session_set_freeze(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_freeze_args args, before;
	int err = softpt_args_in(&args, sizeof(args), arg);

	if (err)
		return err;
	if (args.flags || args.reserved || args.counter >= SOFTPT_COUNTERS ||
	    !(is_none(&args) || is_valid(&args.pipeline)))
		return -EINVAL;
	args.counter = array_index_nospec(args.counter, SOFTPT_COUNTERS);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	before = session->freeze;
	if (session->enabled) {
		err = -EBUSY;
	} else if (!is_none(&args) && !(session->counters.set & BIT(args.counter))) {
		err = -EINVAL;
	} else {
		softpt_counters_freeze(session, &args);
		if (!softpt_counters_seen(session, session->ops)) {
			softpt_counters_freeze(session, &before);
			err = -EOPNOTSUPP;
		}
	}
	softpt_session_unlock(session);
	return err;
}

/**
 * softpt_unit_alloc_fifo() - a unit that is to record needs room for it
 * @unit: its session locked
 *
 * Return: 0 or -ENOMEM.
 */
int softpt_unit_alloc_fifo(struct softpt_unit *unit)
{
	if (!unit->session->freeze.pipeline.stages || unit->record)
		return 0;
	unit->record = kcalloc(SOFTPT_FIFO_DEPTH, sizeof(*unit->record), GFP_KERNEL_ACCOUNT);
	return unit->record ? 0 : -ENOMEM;
}

/**
 * softpt_unit_arm_fifo() - forget the records, and wait for the K-th event from now on
 * @unit: the unit, owned by the caller, its session locked
 */
void softpt_unit_arm_fifo(struct softpt_unit *unit)
{
	const struct softpt_session *session = unit->session;
	const struct softpt_freeze_args *freeze = &session->freeze;
	struct softpt_engine *e = &unit->engine;

	if (!freeze->pipeline.stages) {
		softpt_fifo_disarm(e);
		return;
	}
	softpt_counter_preset(&e->counters, freeze->counter,
			      session->counters.value[freeze->counter]);
	softpt_fifo_arm(e, &freeze->pipeline, freeze->counter, unit->record);
	unit->recorded = NULL;
}

/* ---- the unit's commands ---- */

/* The size of its first version: a reader that knows no more is told no more */
#define FIFO_ARGS_FIRST	_IOC_SIZE(SOFTPT_READ_FIFO)

struct call {
	struct softpt_unit *unit;
	u8 state;
	struct softpt_freeze freeze;
	u32 n;
};

static void look(void *data)
{
	struct call *call = data;
	const struct softpt_fifo *f = &call->unit->engine.fifo;

	call->state = f->state;
	call->freeze = f->freeze;
	call->n = f->n;
}

/* @to: as many as a FIFO may have, the oldest first */
static int read_locked(struct softpt_unit *unit, struct softpt_fifo_args *args,
		       struct softpt_retirement *to)
{
	struct call call = { .unit = unit };
	u32 i;

	lockdep_assert_held(&unit->lock);
	softpt_unit_run(unit, look, &call);
	if (call.state == SOFTPT_FIFO_OFF)
		return -EINVAL;
	if (call.state != SOFTPT_FIFO_FROZEN)
		return -EAGAIN;
	if (call.n > args->n)
		return -ENOSPC;
	args->n = call.n;
	args->freeze = call.freeze;
	for (i = 0; i < call.n; i++)
		to[i] = *softpt_fifo_read(&unit->engine.fifo, i);
	return 0;
}

/* What user space may keep waiting is done without the lock. */
static int read_fifo(struct softpt_unit *unit, struct softpt_fifo_args *args)
{
	struct softpt_retirement *records;
	int err;

	records = kmalloc_array(SOFTPT_FIFO_DEPTH, sizeof(*records), GFP_KERNEL_ACCOUNT);
	if (!records)
		return -ENOMEM;
	mutex_lock(&unit->lock);
	err = read_locked(unit, args, records);
	mutex_unlock(&unit->lock);
	if (!err && softpt_copy_to_user(u64_to_user_ptr(args->records), records,
					args->n * sizeof(*records)))
		err = -EFAULT;
	kfree(records);
	return err;
}

long softpt_unit_read_fifo(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	struct softpt_fifo_args args;
	u32 usize;
	int err = softpt_args_size(FIFO_ARGS_FIRST, arg, &usize);

	if (!err && usize > FIFO_ARGS_FIRST && usize < sizeof(args))
		err = -EINVAL;
	if (!err)
		err = softpt_copy_struct_from_user(&args, sizeof(args), arg, usize);
	if (err)
		return err;
	if (args.flags || args.reserved)
		return -EINVAL;
	args.size = sizeof(args);
	err = read_fifo(unit, &args);
	return err ?: softpt_args_out(arg, usize, &args, sizeof(args));
}

static void rearm(void *data)
{
	struct call *call = data;

	call->state = call->unit->engine.fifo.state;
	if (call->state == SOFTPT_FIFO_FROZEN)
		softpt_unit_arm_fifo(call->unit);
}

long softpt_unit_rearm_fifo(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	struct call call = { .unit = unit };

	if (softpt_session_lock_killable(unit->session))
		return -EINTR;
	mutex_lock(&unit->lock);
	softpt_unit_run(unit, rearm, &call);
	mutex_unlock(&unit->lock);
	softpt_session_unlock(unit->session);
	return call.state == SOFTPT_FIFO_FROZEN ? 0 : -EINVAL;
}
