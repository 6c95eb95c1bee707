// SPDX-License-Identifier: GPL-2.0-only
/* The unit's commands */

#include <linux/kernel.h>

#include "channel/freeze.h"
#include "channel/start.h"
#include "session/args.h"
#include "session/commands.h"
#include "session/session.h"

static long get_status(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	struct softpt_status status;
	u32 usize;
	int err = softpt_args_size(sizeof(status), arg, &usize);

	if (err)
		return err;
	softpt_channel_status(&unit->ch, &status);
	err = softpt_args_out(arg, usize, &status, sizeof(status));
	if (!err)
		WRITE_ONCE(unit->lost_seen, status.counts.events_lost);
	return err;
}

static long demand_psb(struct file *file, void __user *arg)
{
	return softpt_channel_demand(softpt_file_channel(file), SOFTPT_EV_PSB);
}

static long freeze(struct file *file, void __user *arg)
{
	struct softpt_channel *ch = softpt_file_channel(file);

	if (!ch->ring.snapshot)
		return -EINVAL;
	softpt_channel_freeze(ch);
	return 0;
}

static long rearm(struct file *file, void __user *arg)
{
	return softpt_channel_rearm(softpt_file_channel(file), NULL) ? 0 : -EINVAL;
}

static long finish(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	const struct softpt_source_ops *ops = READ_ONCE(unit->session->ops);

	if (!ops->finish)
		return -EINVAL;
	return ops->finish(&unit->ch, file->f_flags & O_NONBLOCK);
}

static const struct softpt_ioctl ioctls[] = {
	{ SOFTPT_GET_STATUS, get_status },
	{ SOFTPT_PSB, demand_psb },
	{ SOFTPT_FREEZE, freeze },
	{ SOFTPT_REARM, rearm },
	{ SOFTPT_FINISH, finish },
	{ SOFTPT_READ_COUNTERS, softpt_ioc_read_counters },
	{ SOFTPT_READ_FIFO, softpt_ioc_read_fifo },
	{ SOFTPT_REARM_FIFO, softpt_ioc_rearm_fifo },
	{ SOFTPT_TRIGGER, softpt_ioc_trigger },
};

long softpt_unit_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return softpt_ioctl(file, cmd, arg, ioctls, ARRAY_SIZE(ioctls));
}
