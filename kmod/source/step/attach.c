// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that run already. Only the task itself may begin its stepping, so the task gets task work
 * to do when it next returns to user mode. Until then nothing disturbs the task: TWA_RESUME wakes
 * nobody, and a system call that waits goes on to wait.
 *
 * In between the step is pending: what the task forks is stepped, too, and an exec that gains
 * privileges ends the step.
 */

#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "step.h"

/* Tasks that never return to user mode */
#define WORKERS	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

/* Whether the task runs the program that was checked, or one that probe_exec() let pass */
static bool may_begin(const struct softpt_step *step)
{
	return softpt_step_detach_stopped() && softpt_step_gate(step) &&
	       !(current->flags & PF_EXITING) && current->self_exec_id == step->exec_id;
}

static void begin_pending(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);

	if (step->set->inherit)
		softpt_step_refill(step);
	local_irq_disable();
	if (may_begin(step)) {
		step->state = SOFTPT_STEP_STEPPING;
		softpt_step_attach(step);
	} else {
		softpt_step_cancel(step);
	}
	local_irq_enable();
}

static unsigned int flags_of(const struct task_struct *task)
{
	/* data_race(): the task changes them as it likes */
	return data_race(READ_ONCE(task->flags));
}

static bool can_begin(const struct task_struct *task)
{
	return !(flags_of(task) & (WORKERS | PF_EXITING));
}

static int add(struct softpt_step_set *set, struct task_struct *task)
{
	struct softpt_step *step;
	int err;

	step = softpt_step_new(set);
	if (!step)
		return -ENOMEM;
	step->state = SOFTPT_STEP_PENDING;
	step->exec_id = task->self_exec_id;
	init_task_work(&step->work, begin_pending);
	if (!softpt_step_table_add(step, task)) {
		softpt_step_put(step);
		return -EBUSY;
	}
	err = task_work_add(task, &step->work, TWA_RESUME);
	if (err) {
		softpt_step_table_remove(step);
		atomic_dec(&set->tasks);
		softpt_step_put(step);
	}
	return err;
}

/**
 * struct walk - through the threads of a process, which may be in the thousands
 * @task: one of them
 * @at: where the walk is, referenced; NULL: not begun, or at its end
 * @left: how many steps it may still take
 */
struct walk {
	struct task_struct *task;
	struct task_struct *at;
	unsigned int left;
};

/*
 * New threads are added at the end of the list, and only a thread without a step makes threads
 * without one, so a walk gets to its end. If threads are made faster than the walk goes, it gives
 * up. If the thread that the walk is at has gone, the walk begins again.
 */
static struct walk begin_walk(struct task_struct *task)
{
	return (struct walk){ .task = task, .left = 4 * get_nr_threads(task) + 1024 };
}

/*
 * The list is valid as long as @walk->task is referenced. The leader of the process may be freed.
 */
static struct task_struct *behind(const struct walk *walk)
{
	struct list_head *threads = &walk->task->signal->thread_head;
	struct task_struct *t = walk->at;

	if (!t || !pid_alive(t))
		return list_first_or_null_rcu(threads, struct task_struct, thread_node);
	return list_next_or_null_rcu(threads, &t->thread_node, struct task_struct, thread_node);
}

static void end_walk(struct walk *walk)
{
	if (walk->at)
		put_task_struct(walk->at);
	walk->at = NULL;
}

/* Return: 1: @walk->at is the next thread; 0: there is none; -EINTR: a signal; -EAGAIN. */
static int walk_on(struct walk *walk)
{
	struct task_struct *next;

	cond_resched();
	if (signal_pending(current))
		return -EINTR;
	if (!walk->left--)
		return -EAGAIN;
	rcu_read_lock();
	next = behind(walk);
	if (next)
		get_task_struct(next);
	rcu_read_unlock();
	end_walk(walk);
	walk->at = next;
	return !!next;
}

/*
 * Threads that are made meanwhile are found at the end of the walk, or are stepped as the children
 * of tasks that are pending.
 */
static int add_threads(struct softpt_step_set *set, struct task_struct *task, unsigned int *n)
{
	struct walk walk = begin_walk(task);
	int err;

	while ((err = walk_on(&walk)) > 0) {
		if (!can_begin(walk.at))
			continue;
		err = add(set, walk.at);
		*n += !err;
		if (err && err != -ESRCH && err != -EBUSY)	/* it exits, or has a step by now */
			break;
	}
	end_walk(&walk);
	return err;
}

/* Errors are found before any task is touched. */
static int check_one(struct task_struct *task)
{
	unsigned int flags = flags_of(task);

	if (flags & WORKERS)
		return -EINVAL;
	if (flags & PF_EXITING)
		return -ESRCH;
	if (!softpt_step_permitted(task))	/* it has no mm, if it exits by now */
		return flags_of(task) & PF_EXITING ? -ESRCH : -EPERM;
	return softpt_step_is_attached(task) ? -EBUSY : 0;
}

static int check_threads(struct task_struct *task)
{
	struct walk walk = begin_walk(task);
	int err, checked, ret = -ESRCH;

	while ((err = walk_on(&walk)) > 0) {
		checked = can_begin(walk.at) ? check_one(walk.at) : -ESRCH;
		if (checked == -ESRCH)
			continue;
		ret = checked;
		if (ret)
			break;
	}
	end_walk(&walk);
	return err < 0 ? err : ret;
}

/**
 * softpt_step_check_task() - whether the caller may attach to a task
 * @task: the task
 * @threads: or to all threads of its process
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: it has no user mode; -ESRCH: it exits; -EPERM; -EBUSY: it has a step, or
 * sleeps since too many traces ago; -ERESTARTSYS: a signal; -EAGAIN: it makes threads faster than
 * the walk goes.
 */
int softpt_step_check_task(struct task_struct *task, bool threads)
{
	int err;

	if (!threads || flags_of(task) & PF_KTHREAD)
		return check_one(task);
	err = check_threads(task);
	return err == -EINTR ? -ERESTARTSYS : err;	/* nothing has been done */
}

/* The trace must not end before all threads are attached: @tasks counts this function, too. */
static int attach(struct softpt_step_set *set, struct task_struct *task, bool threads)
{
	unsigned int n = 0;
	int err;

	set->process = get_pid(task_tgid(task));
	atomic_inc(&set->tasks);
	err = threads ? add_threads(set, task, &n) : add(set, task);
	n += !threads && !err;
	if (n) {
		local_irq_disable();
		softpt_step_set_remove(set, false);
		local_irq_enable();
	} else {
		atomic_dec(&set->tasks);
		put_pid(set->process);
		set->process = NULL;
	}
	return err ?: n ? 0 : -ESRCH;
}

/**
 * softpt_step_attach_task() - step a task that runs, or all threads of its process
 * @gate: of the trace, its lock held
 * @task: its cred_guard_mutex is held; softpt_step_hooks_get() was called
 * @threads: all threads
 *
 * Return: 0, or as softpt_step_check_task(); -EBUSY: the trace has had its process, too; -EINVAL:
 * all threads on the model clock, too. If some threads are stepped and others not: -ENOMEM, -EINTR
 * for a signal, -EAGAIN.
 */
int softpt_step_attach_task(struct softpt_gate *gate, struct task_struct *task, bool threads)
{
	struct softpt_step_set *set = gate->source_data;
	int err;

	lockdep_assert_held(gate->lock);
	lockdep_assert_held(&task->signal->cred_guard_mutex);
	if (set->process)
		return -EBUSY;
	if (threads && set->model)
		return -EINVAL;
	err = softpt_step_check_task(task, threads);
	return err ?: attach(set, task, threads);
}
