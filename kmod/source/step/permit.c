// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may attach to whom: ptrace's rules, written anew, for ptrace_may_access() is not exported to
 * modules. Neither is what security modules would answer (Yama's ptrace_scope among them). So users
 * may attach to their own processes only if the administrator says so (attach_own); security
 * modules are asked about CAP_SYS_PTRACE.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "step.h"

static bool attach_own;
module_param(attach_own, bool, 0644);
MODULE_PARM_DESC(attach_own, "users may attach to their own processes without CAP_SYS_PTRACE (N)");

static bool same_user(const struct cred *mine, const struct cred *theirs)
{
	return uid_eq(mine->uid, theirs->euid) && uid_eq(mine->uid, theirs->suid) &&
	       uid_eq(mine->uid, theirs->uid) && gid_eq(mine->gid, theirs->egid) &&
	       gid_eq(mine->gid, theirs->sgid) && gid_eq(mine->gid, theirs->gid);
}

/* A program with more capabilities than the caller's is not the caller's own. */
static bool is_own(const struct cred *theirs)
{
	const struct cred *mine = current_cred();

	return READ_ONCE(attach_own) && mine->user_ns == theirs->user_ns &&
	       same_user(mine, theirs) &&
	       cap_issubset(theirs->cap_permitted, mine->cap_permitted);
}

/**
 * softpt_step_permitted() - whether the caller may step a task that runs
 * @task: with its cred_guard_mutex held, no exec changes its rights meanwhile. Without, the
 *	answer is good enough to refuse
 */
bool softpt_step_permitted(struct task_struct *task)
{
	const struct cred *theirs;
	bool permitted;

	if (same_thread_group(task, current))
		return true;
	rcu_read_lock();
	theirs = __task_cred(task);
	permitted = is_own(theirs) || ns_capable(theirs->user_ns, CAP_SYS_PTRACE);
	rcu_read_unlock();
	if (!permitted)
		return false;
	task_lock(task);
	permitted = task->mm && (softpt_is_dumpable(task) ||
				 ns_capable(softpt_exec_ns(task), CAP_SYS_PTRACE));
	task_unlock(task);
	return permitted;
}

/* As Yama has it: a child, or a child of one, even if it has another parent by now */
static bool is_descendant(struct task_struct *task)
{
	struct task_struct *t;
	bool found = false;

	rcu_read_lock();
	if (pid_alive(task))	/* else its parent may be freed */
		for (t = task; t->pid && !found; t = rcu_dereference(t->real_parent))
			found = same_thread_group(t, current);
	rcu_read_unlock();
	return found;
}

/**
 * softpt_step_may_follow() - whether the caller may put a perf event on a task
 * @task: the task, which cannot go away
 *
 * perf checks afterwards whether the caller may observe the task, and holds up an exec in between.
 * So a task that changes its credentials now is refused there.
 */
bool softpt_step_may_follow(struct task_struct *task)
{
	return perfmon_capable() || is_descendant(task) || softpt_step_permitted(task);
}
