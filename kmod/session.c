// SPDX-License-Identifier: GPL-2.0-only
/* The session fd: configuration, source and units that are switched together */

#include <linux/anon_inodes.h>
#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <softpt/params.h>

#include "clock.h"
#include "softpt.h"
#include "user.h"

/* The unit of @cpu or the next one after it; @cpu is set to whose it is. */
struct softpt_unit *softpt_session_next(struct softpt_session *session, unsigned int *cpu)
{
	struct softpt_unit *unit = NULL;

	for (; *cpu < nr_cpu_ids; (*cpu)++) {
		unit = rcu_dereference_protected(session->units[*cpu],
						 lockdep_is_held(&session->lock));
		if (unit)
			break;
	}
	return unit;
}

static void free_session(struct kref *ref)
{
	struct softpt_session *session = container_of(ref, struct softpt_session, ref);

	softpt_counters_free(session);
	mutex_destroy(&session->lock);
	kfree(session);
}

void softpt_session_put(struct softpt_session *session)
{
	kref_put(&session->ref, free_session);
}

/* One unit leaves an enabled session, its lock held */
void softpt_unit_stop(struct softpt_unit *unit)
{
	if (unit->session->ops->detach)
		unit->session->ops->detach(unit);
	softpt_unit_close(unit);
	softpt_hotplug_remove(unit);
}

/* The units of the CPUs below @end */
static void stop_units(struct softpt_session *session, unsigned int end)
{
	struct softpt_unit *unit;
	unsigned int cpu;

	for (cpu = 0; (unit = softpt_session_next(session, &cpu)) && cpu < end; cpu++)
		softpt_unit_stop(unit);
}

static int start_unit(struct softpt_unit *unit)
{
	const struct softpt_source_ops *ops = unit->session->ops;
	int err = softpt_unit_open(unit);

	if (!err && ops->attach)
		err = ops->attach(unit);
	if (err) {
		softpt_unit_close(unit);
		softpt_hotplug_remove(unit);
	}
	return err;
}

/* All begins at one instant: events before it find @on in the future. */
static int enable_locked(struct softpt_session *session, u64 *tsc)
{
	struct softpt_unit *unit;
	unsigned int cpu;
	int err;

	if (session->enabled)
		return -EBUSY;
	if (!session->nr_units || !softpt_triggers_fit(session))
		return -EINVAL;
	session->ending = false;
	WRITE_ONCE(session->exit_code, 0);
	WRITE_ONCE(session->on, U64_MAX);
	WRITE_ONCE(session->off, U64_MAX);
	for (cpu = 0; (unit = softpt_session_next(session, &cpu)); cpu++) {
		err = start_unit(unit);
		if (err)
			goto err_units;
	}
	err = session->ops->start ? session->ops->start(session) : 0;
	if (err)
		goto err_units;
	session->enabled = true;
	session->enables++;
	*tsc = softpt_clock();
	WRITE_ONCE(session->on, softpt_session_wall_clock(session) ? *tsc : 0);
	return 0;

err_units:
	stop_units(session, cpu);
	return err;
}

static int disable_locked(struct softpt_session *session, u64 *tsc)
{
	if (!session->enabled)
		return -EINVAL;
	*tsc = softpt_clock();
	if (softpt_session_wall_clock(session))
		WRITE_ONCE(session->off, *tsc);
	if (session->ops->stop)
		session->ops->stop(session);
	stop_units(session, nr_cpu_ids);
	session->enabled = false;
	return 0;
}

/* The source has ended. */
void softpt_session_close_units(struct softpt_session *session)
{
	struct softpt_unit *unit;
	unsigned int cpu;

	if (session->enabled && READ_ONCE(session->ending))
		for (cpu = 0; (unit = softpt_session_next(session, &cpu)); cpu++)
			softpt_unit_close(unit);
}

void softpt_session_end(struct softpt_session *session, u32 exit_code)
{
	WRITE_ONCE(session->exit_code, exit_code);
	WRITE_ONCE(session->ending, true);
	softpt_session_owe_later(session, SOFTPT_OWED_END);
}

/* Where pages are larger than SOFTPT_RING_MIN */
static bool has_whole_pages(const struct softpt_config *config)
{
	return config->ring >= PAGE_SIZE && (!config->truth || config->truth >= PAGE_SIZE);
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
	    (session->nr_units && (config.ring != session->config.ring ||
				   config.truth != session->config.truth ||
				   config.mode != session->config.mode))) {
		err = -EBUSY;
	} else {
		session->config = config;
		session->config_seq++;
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
	config = session->config;
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
	} else if (!softpt_counters_seen(session, ops) || !softpt_triggers_seen(session, ops)) {
		err = -EOPNOTSUPP;
	} else {
		session->source = source;
		/* Another source has another clock, and waits or does not. */
		if (session->ops != ops)
			session->config_seq++;
		WRITE_ONCE(session->ops, ops);
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
	else if (rcu_access_pointer(session->units[args.cpu]))
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
		disable_locked(session, &tsc);
	softpt_session_unlock(session);
}

static long enable(struct file *file, void __user *arg)
{
	u64 nr = 0;
	int err = switch_session(file, arg, &nr, enable_locked);

	if (err && nr)
		take_back(file->private_data, nr);
	return err;
}

static long disable(struct file *file, void __user *arg)
{
	u64 nr;

	return switch_session(file, arg, &nr, disable_locked);
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
		err = session->ops->arm_exec(session);
	softpt_session_unlock(session);
	return err;
}

static long attach(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	const struct softpt_source_ops *ops;
	struct softpt_attach args;
	int err = softpt_args_in(&args, sizeof(args), arg);

	if (err)
		return err;
	if (args.flags & ~SOFTPT_ATTACH_ALL || args.reserved || args.pid <= 0)
		return -EINVAL;
	if (softpt_session_lock_killable(session))
		return -EINTR;
	ops = session->ops;
	if (!ops->attach_task)
		err = -EOPNOTSUPP;
	else if (!session->enabled)
		err = -EBADFD;
	softpt_session_unlock(session);
	return err ?: ops->attach_task(session, args.pid, args.flags & SOFTPT_ATTACH_PROCESS);
}

static const struct softpt_ioctl ioctls[] = {
	{ SOFTPT_SET_CONFIG, set_config },
	{ SOFTPT_GET_CONFIG, get_config },
	{ SOFTPT_SET_SOURCE, set_source },
	{ SOFTPT_CREATE_UNIT, create_unit },
	{ SOFTPT_ENABLE, enable },
	{ SOFTPT_DISABLE, disable },
	{ SOFTPT_ARM_EXEC, arm_exec },
	{ SOFTPT_ATTACH, attach },
	{ SOFTPT_SET_ESCR, softpt_session_set_escr },
	{ SOFTPT_SET_COUNTER, softpt_session_set_counter },
	{ SOFTPT_COUNT, softpt_session_count },
	{ SOFTPT_GET_THREADS, softpt_session_threads },
	{ SOFTPT_SET_FREEZE, softpt_session_set_freeze },
	{ SOFTPT_REARM_UNITS, softpt_session_rearm },
	{ SOFTPT_SET_TRIGGER, softpt_session_set_trigger },
};

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return softpt_ioctl(file, cmd, arg, ioctls, ARRAY_SIZE(ioctls));
}

/* The fd has gone. Units may outlive it: they stay readable, and see the end. */
void softpt_session_leave(struct softpt_session *session)
{
	u64 tsc;

	disable_locked(session, &tsc);
	softpt_session_put(session);	/* not the last: who has the lock has one */
}

static int session_release(struct inode *inode, struct file *file)
{
	softpt_session_owe(file->private_data, SOFTPT_OWED_RELEASE);
	return 0;
}

static const struct file_operations session_fops = {
	.owner		= THIS_MODULE,
	.release	= session_release,
	.unlocked_ioctl	= session_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/**
 * softpt_session_create() - a session with the default configuration and source "replay"
 * @flags: SOFTPT_SESSION_*
 *
 * Return: its fd, or -errno.
 */
int softpt_session_create(u32 flags)
{
	struct softpt_session *session;
	int fd;

	session = kzalloc(struct_size(session, units, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	kref_init(&session->ref);
	softpt_session_lock_init(session);
	session->flags = flags;
	softpt_config_default(&session->config);
	session->config_seq = 1;
	session->ops = &softpt_replay_ops;
	fd = anon_inode_getfd("softpt-session", &session_fops, session, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		softpt_session_put(session);
	return fd;
}
