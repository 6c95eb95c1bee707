// SPDX-License-Identifier: GPL-2.0-only
/* The unit's commands */

#include <linux/kernel.h>

#include "put.h"

struct status_call {
	struct softpt_unit *unit;
	struct softpt_status *status;
};

static void fill_status(void *data)
{
	struct status_call *call = data;
	struct softpt_unit *unit = call->unit;
	const struct softpt_ring *ring = &unit->ring;

	softpt_unit_publish(unit);
	*call->status = (struct softpt_status) {
		.size = sizeof(*call->status),
		.flags = unit->flags,
		.cpu = unit->cpu,
		.exit_code = READ_ONCE(unit->session->exit_code),
		.head = ring->head,
		.tail = ring->snapshot ? ring->tail : READ_ONCE(ring->reader->tail),
		.counts = ring->control->counts,
	};
}

static long get_status(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	struct softpt_status status;
	struct status_call call = { unit, &status };
	u32 usize;
	int err = softpt_args_size(sizeof(status), arg, &usize);

	if (err)
		return err;
	mutex_lock(&unit->lock);
	softpt_unit_run(unit, fill_status, &call);
	mutex_unlock(&unit->lock);
	err = softpt_args_out(arg, usize, &status, sizeof(status));
	if (!err)
		WRITE_ONCE(unit->lost_seen, status.counts.events_lost);
	return err;
}

static long demand_psb(struct file *file, void __user *arg)
{
	return softpt_unit_demand(file->private_data, SOFTPT_EV_PSB);
}

/**
 * softpt_unit_freeze() - the ring stays as it is, and can be decoded to its end
 * @unit: the unit, owned by the caller
 */
void softpt_unit_freeze(struct softpt_unit *unit)
{
	if (unit->open && unit->engine.live)
		softpt_unit_freeze_live(unit);
	else if (unit->open)
		softpt_unit_finish(unit);
	WRITE_ONCE(unit->ring.frozen, true);
	WRITE_ONCE(unit->flags, unit->flags | SOFTPT_ST_FROZEN);
	softpt_trigger_frozen(&unit->engine.triggers);
	softpt_unit_publish(unit);
}

static void freeze_unit(void *data)
{
	struct softpt_unit *unit = data;

	if (!unit->ring.frozen)		/* a trigger may have */
		softpt_unit_freeze(unit);
}

/**
 * softpt_unit_rearm() - a frozen ring runs on
 * @unit: the unit, owned by the caller
 */
void softpt_unit_rearm(struct softpt_unit *unit)
{
	WRITE_ONCE(unit->ring.frozen, false);
	WRITE_ONCE(unit->flags, unit->flags & ~SOFTPT_ST_FROZEN);
	softpt_trigger_rearm(&unit->engine);
	softpt_unit_publish(unit);
}

static void rearm_unit(void *data)
{
	softpt_unit_rearm(data);
}

static long freeze(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;

	if (!unit->ring.snapshot)
		return -EINVAL;
	mutex_lock(&unit->lock);
	softpt_unit_run(unit, freeze_unit, unit);
	mutex_unlock(&unit->lock);
	softpt_unit_wake_readers(unit);
	return 0;
}

static long rearm(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	long err = -EINVAL;

	mutex_lock(&unit->lock);
	if (READ_ONCE(unit->ring.frozen)) {
		softpt_unit_run(unit, rearm_unit, unit);
		err = 0;
	}
	mutex_unlock(&unit->lock);
	softpt_unit_wake_writers(unit);
	return err;
}

static long finish(struct file *file, void __user *arg)
{
	return softpt_replay_finish(file->private_data, file->f_flags & O_NONBLOCK);
}

static const struct softpt_ioctl ioctls[] = {
	{ SOFTPT_GET_STATUS, get_status },
	{ SOFTPT_PSB, demand_psb },
	{ SOFTPT_FREEZE, freeze },
	{ SOFTPT_REARM, rearm },
	{ SOFTPT_FINISH, finish },
	{ SOFTPT_READ_COUNTERS, softpt_unit_read_counters },
	{ SOFTPT_READ_FIFO, softpt_unit_read_fifo },
	{ SOFTPT_REARM_FIFO, softpt_unit_rearm_fifo },
	{ SOFTPT_TRIGGER, softpt_unit_trigger },
};

long softpt_unit_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return softpt_ioctl(file, cmd, arg, ioctls, ARRAY_SIZE(ioctls));
}
