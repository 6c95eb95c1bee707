// SPDX-License-Identifier: GPL-2.0-only
/* softpt: processor trace in software. Module, and /dev/softpt. */

#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "channel/hotplug.h"
#include "perf/pmu.h"
#include "queue.h"
#include "session/args.h"
#include "session/create.h"
#include "session/sources.h"
#include "sysfs.h"

static long get_caps(struct file *file, void __user *arg)
{
	struct softpt_caps caps;
	u32 usize;
	int err = softpt_args_size(sizeof(caps), arg, &usize);

	if (err)
		return err;
	softpt_caps(&caps);
	return softpt_args_out(arg, usize, &caps, sizeof(caps));
}

static long create_session(struct file *file, void __user *arg)
{
	struct softpt_session_args args;
	int err = softpt_args_in(&args, sizeof(args), arg);

	if (err)
		return err;
	if (args.flags & ~SOFTPT_SESSION_ALL)
		return -EINVAL;
	return softpt_session_create(args.flags);
}

static const struct softpt_ioctl ioctls[] = {
	{ SOFTPT_GET_CAPS, get_caps },
	{ SOFTPT_CREATE_SESSION, create_session },
};

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return softpt_ioctl(file, cmd, arg, ioctls, ARRAY_SIZE(ioctls));
}

static const struct file_operations device_fops = {
	.owner		= THIS_MODULE,
	.open		= nonseekable_open,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "softpt",
	.fops	= &device_fops,
	.mode	= 0660,
	.groups	= softpt_groups,
};

static int __init softpt_init(void)
{
	int err;

	err = softpt_queue_init();
	if (err)
		return err;
	err = softpt_hotplug_init();
	if (err)
		goto err_queue;
	err = softpt_sources_init();
	if (err)
		goto err_hotplug;
	err = softpt_pmu_init();
	if (err)
		goto err_sources;
	err = misc_register(&device);
	if (err)
		goto err_pmu;
	return 0;

err_pmu:
	softpt_pmu_exit();
err_sources:
	softpt_sources_exit();
err_hotplug:
	softpt_hotplug_exit();
err_queue:
	softpt_queue_exit();
	return err;
}

/*
 * Every open fd holds the module: there is no session any more that anybody has, and no perf event.
 * But a work may have the lock of one whose fd was closed, and end it (session/lock.c): that is
 * over before its source goes. The queue's end waits for what works do that need no source.
 */
static void __exit softpt_exit(void)
{
	misc_deregister(&device);
	flush_workqueue(softpt_queue);
	softpt_pmu_exit();
	softpt_sources_exit();
	softpt_hotplug_exit();
	softpt_queue_exit();
}

module_init(softpt_init);
module_exit(softpt_exit);

MODULE_DESCRIPTION("Processor trace in software: an emulated Intel PT unit per CPU");
MODULE_LICENSE("GPL");
