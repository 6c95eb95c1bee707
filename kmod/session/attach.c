// SPDX-License-Identifier: GPL-2.0-only
/* SOFTPT_ATTACH: find the task, and take the locks that its source needs */

#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "session/args.h"
#include "session/commands.h"
#include "session/lock.h"

/*
 * Who has the task's cred_guard_mutex holds up its exec, and in exec a task has that mutex itself,
 * for as long as it likes. So nobody who has one of the two locks waits for the other, and nobody
 * takes or waits for the mutex of a task that the caller may not attach to.
 */
static int lock_both(struct softpt_session *session, const struct softpt_source_ops *ops,
		     struct task_struct *task, bool threads)
{
	struct mutex *guard = &task->signal->cred_guard_mutex;
	int err;

	for (;;) {
		err = ops->check_task(task, threads);
		if (err)
			return err;
		if (softpt_session_lock_killable(session))
			return -EINTR;
		if (mutex_trylock(guard))
			return 0;
		softpt_session_unlock(session);
		/* Until the exec is over */
		if (mutex_lock_interruptible(guard))
			return -ERESTARTNOINTR;
		mutex_unlock(guard);
	}
}

/* The session was not locked for a moment. */
static int attach_locked(struct softpt_session *session, const struct softpt_source_ops *ops,
			 struct task_struct *task, bool threads)
{
	if (!session->enabled || session->ops != ops)
		return -EBADFD;
	return ops->attach_task(&session->gate, task, threads);
}

static int attach(struct softpt_session *session, const struct softpt_source_ops *ops,
		  struct task_struct *task, bool threads)
{
	int err = lock_both(session, ops, task, threads);

	if (err)
		return err;
	err = attach_locked(session, ops, task, threads);
	mutex_unlock(&task->signal->cred_guard_mutex);
	softpt_session_unlock(session);
	return err;
}

static struct task_struct *find(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/**
 * attach_nr() - trace a task that runs, or all threads of its process
 * @session: not locked
 * @ops: the source that it had a moment ago
 * @nr: the task's number, as the caller has it
 * @threads: all threads
 *
 * Return: 0; -EBADFD: the session is not enabled any more; -ESRCH: there is no such task, or
 * it exits; -EINVAL: it has no user mode; -EPERM; -EBUSY: it is stepped, or sleeps since too
 * many sessions ago, or the session has had its process; -ENOMEM: no more of it than was begun
 * is stepped; -EINTR: the same, for a signal; -EAGAIN: the same, for it makes threads faster than
 * they can be attached to; -ERESTARTNOINTR: a signal before anything was done.
 */
static int attach_nr(struct softpt_session *session, const struct softpt_source_ops *ops,
		     pid_t nr, bool threads)
{
	struct task_struct *task = find(nr);
	int err;

	if (!task)
		return -ESRCH;
	err = ops->prepare();
	if (!err) {
		err = attach(session, ops, task, threads);
		ops->unprepare();
	}
	put_task_struct(task);
	return err;
}

long softpt_ioc_attach(struct file *file, void __user *arg)
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
	return err ?: attach_nr(session, ops, args.pid,
				args.flags & SOFTPT_ATTACH_PROCESS);
}
