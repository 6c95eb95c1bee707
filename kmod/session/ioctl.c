// SPDX-License-Identifier: GPL-2.0-only
/* The session's commands: configuration, source, and units that are switched together */

#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include <softpt/params.h>

#include "session/args.h"
#include "session/commands.h"
#include "session/counter.h"
#include "session/lock.h"
#include "session/sources.h"
#include "session/start.h"
#include "session/trigger.h"
#include "session/unit.h"
#include "user.h"

/* Where pages are larger than SOFTPT_RING_MIN */
static bool has_whole_pages(const struct softpt_config *config)
{
	return config->ring >= PAGE_SIZE && (!config->truth || config->truth >= PAGE_SIZE);
}

static void update_clock(struct softpt_session *session)
{
	session->gate.wall_clock = session->ops->live &&
				   session->setup.config.clock == SOFTPT_CLOCK_WALL;
}

static long set_config(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_complaint why;
	struct softpt_config config;
	int err = softpt_args_in(&config, sizeof(config), arg);

	if (err)
		return err;
	config.size = sizeof(config);
	if (softpt_config_check(&config, &why) || !has_whole_pages(&config))
		return -EINVAL;
	if (softpt_session_lock_killable(session))
		return -EINTR;
	/* Units that exist have their rings. */
	if (session->enabled ||
	    (session->nr_units && (config.ring != session->setup.config.ring ||
				   config.truth != session->setup.config.truth ||
				   config.mode != session->setup.config.mode))) {
		err = -EBUSY;
	} else {
		session->setup.config = config;
		session->setup.seq++;
		update_clock(session);
	}
	softpt_session_unlock(session);
	return err;
}

static long get_config(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_config config;
	u32 usize;
	int err = softpt_args_size(sizeof(config), arg, &usize);

	if (err)
		return err;
	if (softpt_session_lock_killable(session))
		return -EINTR;
	config = session->setup.config;
	softpt_session_unlock(session);
	return softpt_args_out(arg, usize, &config, sizeof(config));
}

static int check_source(const struct softpt_source *source,
			const struct softpt_source_ops **ops)
{
	if (source->reserved || source->kind > SOFTPT_SOURCE_KERNEL)
		return -EINVAL;
	if (source->kind != SOFTPT_SOURCE_SYNTH &&
	    memchr_inv(&source->synth, 0, sizeof(source->synth)))
		return -EINVAL;
	*ops = softpt_source_find(source->kind);
	if (source->flags & ~(*ops ? (*ops)->flags : 0))
		return -EINVAL;
	if (!*ops || !softpt_source_works(*ops))
		return -EOPNOTSUPP;
	return (*ops)->check ? (*ops)->check(source) : 0;
}

static long set_source(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	const struct softpt_source_ops *ops;
	struct softpt_source source;
	int err = softpt_args_in(&source, sizeof(source), arg);

	if (!err)
		err = check_source(&source, &ops);
	if (err)
		return err;
	if (softpt_session_lock_killable(session))
		return -EINTR;
	if (session->enabled) {
		err = -EBUSY;
	} else if (!softpt_session_can_count(session, ops) ||
		   !softpt_session_can_trigger(session, ops)) {
		err = -EOPNOTSUPP;
	} else {
		session->source = source;
		/* Another source has another clock, and waits or does not. */
		if (session->ops != ops)
			session->setup.seq++;
		WRITE_ONCE(session->ops, ops);
		update_clock(session);
	}
	softpt_session_unlock(session);
	return err;
}

static long create_unit(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_unit_args args;
	int ret = softpt_args_in(&args, sizeof(args), arg);

	if (ret)
		return ret;
	if (args.flags || args.reserved || args.cpu >= nr_cpu_ids)
		return -EINVAL;
	args.cpu = array_index_nospec(args.cpu, nr_cpu_ids);
	if (!cpu_present(args.cpu))
		return -EINVAL;
	if (!cpu_online(args.cpu))
		return -ENXIO;
	if (softpt_session_lock_killable(session))
		return -EINTR;
	if (session->enabled)
		ret = -EBUSY;
	else if (rcu_access_pointer(session->gate.channel[args.cpu]))
		ret = -EEXIST;
	else
		ret = softpt_unit_create(session, args.cpu);
	softpt_session_unlock(session);
	return ret;
}

/* Return: 0, and which SOFTPT_ENABLE it was, or is over, in *@nr, or -errno. */
static int switch_session(struct file *file, void __user *arg, u64 *nr,
			  int (*fn)(struct softpt_session *session, u64 *tsc))
{
	struct softpt_session *session = file->private_data;
	struct softpt_enable enable;
	u32 usize;
	int err = softpt_args_size(sizeof(enable), arg, &usize);

	if (!err)
		err = softpt_copy_struct_from_user(&enable, sizeof(enable), arg, usize);
	if (err)
		return err;
	if (enable.flags)
		return -EINVAL;
	enable.size = sizeof(enable);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	err = fn(session, &enable.tsc);
	*nr = err ? 0 : session->enables;
	softpt_session_unlock(session);
	return err ?: softpt_args_out(arg, usize, &enable, sizeof(enable));
}

/* Who does not get the answer must find the session as it was; others may have switched it. */
static void take_back(struct softpt_session *session, u64 nr)
{
	u64 tsc;

	softpt_session_lock(session);
	if (session->enables == nr)
		softpt_session_disable(session, &tsc);
	softpt_session_unlock(session);
}

static long enable(struct file *file, void __user *arg)
{
	u64 nr = 0;
	int err = switch_session(file, arg, &nr, softpt_session_enable);

	if (err && nr)
		take_back(file->private_data, nr);
	return err;
}

static long disable(struct file *file, void __user *arg)
{
	u64 nr;

	return switch_session(file, arg, &nr, softpt_session_disable);
}

static long arm_exec(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	int err = -EBADFD;

	if (softpt_session_lock_killable(session))
		return -EINTR;
	if (!session->ops->arm_exec)
		err = -EOPNOTSUPP;
	else if (session->enabled)
		err = session->ops->arm_exec(&session->gate);
	softpt_session_unlock(session);
	return err;
}

static const struct softpt_ioctl ioctls[] = {
	{ SOFTPT_SET_CONFIG, set_config },
	{ SOFTPT_GET_CONFIG, get_config },
	{ SOFTPT_SET_SOURCE, set_source },
	{ SOFTPT_CREATE_UNIT, create_unit },
	{ SOFTPT_ENABLE, enable },
	{ SOFTPT_DISABLE, disable },
	{ SOFTPT_ARM_EXEC, arm_exec },
	{ SOFTPT_ATTACH, softpt_ioc_attach },
	{ SOFTPT_SET_ESCR, softpt_ioc_set_escr },
	{ SOFTPT_SET_COUNTER, softpt_ioc_set_counter },
	{ SOFTPT_COUNT, softpt_ioc_count },
	{ SOFTPT_GET_THREADS, softpt_ioc_get_threads },
	{ SOFTPT_SET_FREEZE, softpt_ioc_set_freeze },
	{ SOFTPT_REARM_UNITS, softpt_ioc_rearm_units },
	{ SOFTPT_SET_TRIGGER, softpt_ioc_set_trigger },
};

long softpt_session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return softpt_ioctl(file, cmd, arg, ioctls, ARRAY_SIZE(ioctls));
}
