// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tasks that a trace steps, and which tasks have a step. Only its task uses a
 * step, but who attaches to a task must know whether it has a step, while it runs on another CPU or
 * sleeps.
 */

#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "step.h"

/* The time of a channel never goes back: the model clock goes on from here. */
static u64 latest(struct softpt_gate *gate)
{
	struct softpt_channel *ch;
	unsigned int cpu;
	u64 now = 0;

	for (cpu = 0; (ch = softpt_gate_next(gate, &cpu)); cpu++)
		now = max(now, softpt_channel_now(ch));
	return now;
}

/**
 * softpt_step_set_new() - the tasks that a trace steps: none yet
 * @gate: of the trace that starts, its lock held
 * @setup: its setup
 * @source: its source
 *
 * Return: the set, with a reference of the trace's; NULL without memory.
 */
struct softpt_step_set *softpt_step_set_new(struct softpt_gate *gate,
					    const struct softpt_setup *setup,
					    const struct softpt_source *source)
{
	struct softpt_step_set *set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);

	if (!set)
		return NULL;
	kref_init(&set->ref);
	set->inherit = source->flags & SOFTPT_STEP_INHERIT;
	set->model = setup->config.clock == SOFTPT_CLOCK_MODEL;
	/* To perf a TSC of 0 is no TSC: it would show nothing of the recording. */
	set->begin = set->model ? max(latest(gate), 1ull) : 0;
	set->records = setup->retire.pipeline.stages;
	RCU_INIT_POINTER(set->gate, gate);
	return set;
}

static void free_set(struct kref *ref)
{
	struct softpt_step_set *set = container_of(ref, struct softpt_step_set, ref);
	unsigned int i;

	for (i = 0; i < SOFTPT_THREADS; i++)
		put_pid(set->thread[i]);
	put_pid(set->process);
	kfree(set);
}

void softpt_step_set_put(struct softpt_step_set *set)
{
	kref_put(&set->ref, free_set);
}

/* Return: the hardware thread of a new task; those beyond the last share the last. */
static u8 add_thread(struct softpt_step_set *set, struct task_struct *task)
{
	unsigned int n = atomic_fetch_add_unless(&set->joined, 1, INT_MAX);

	if (n >= SOFTPT_THREADS)
		return SOFTPT_THREADS - 1;
	/* Pairs with step_threads() */
	smp_store_release(&set->thread[n], get_task_pid(task, PIDTYPE_PID));
	return n;
}

/* As wait() will have it, if the current task's exit decides that: not another thread's */
static void note_exit_code(struct softpt_step_set *set)
{
	struct signal_struct *signal = current->signal;

	if (task_tgid(current) != set->process)
		return;
	/* data_race(): another thread may decide it now: who exits later writes what that says */
	if (data_race(READ_ONCE(signal->flags)) & SIGNAL_GROUP_EXIT)
		WRITE_ONCE(set->exit_code, data_race(signal->group_exit_code));	/* as above */
	else if (thread_group_leader(current))
		WRITE_ONCE(set->exit_code, current->exit_code);
}

/**
 * softpt_step_set_remove() - the current task is stepped no more
 * @set: the tasks of its trace, which ends with the last
 * @exits: it is about to exit
 *
 * Context: interrupts off.
 */
void softpt_step_set_remove(struct softpt_step_set *set, bool exits)
{
	struct softpt_gate *gate = rcu_dereference_sched(set->gate);

	if (exits)
		note_exit_code(set);
	if (atomic_dec_and_test(&set->tasks) && gate)
		softpt_gate_end(gate, READ_ONCE(set->exit_code));
}

static DEFINE_HASHTABLE(table, 12);	/* processes may have thousands of threads */
static DEFINE_RAW_SPINLOCK(table_lock);	/* @table, and where a step enters its set */

static unsigned long key(const struct task_struct *task)
{
	return (unsigned long)task;
}

/*
 * How many steps of stopped traces a task may have. Each trace that attaches to a task that sleeps
 * leaves one more, and the table is searched with interrupts off.
 */
#define STOPPED_MAX	64

/*
 * Whether the task cannot have another step besides this one: its trace runs, or the task must keep
 * it. The task may change the latter at this moment: softpt_step_detach_stopped() decides.
 */
static bool is_exclusive(const struct softpt_step *step)
{
	/* data_race(): see above; it is false or true */
	return rcu_access_pointer(step->set->gate) || data_race(step->trap.leaked);
}

static bool is_attached(const struct task_struct *task)
{
	struct softpt_step *step;
	unsigned int stopped = 0;

	lockdep_assert_held(&table_lock);
	hash_for_each_possible(table, step, node, key(task))
		if (step->task == task && (is_exclusive(step) || ++stopped == STOPPED_MAX))
			return true;
	return false;
}

/**
 * softpt_step_is_attached() - whether a task has a step, and so can have no other
 * @task: the task; the caller has a reference
 */
bool softpt_step_is_attached(const struct task_struct *task)
{
	unsigned long flags;
	bool attached;

	raw_spin_lock_irqsave(&table_lock, flags);
	attached = is_attached(task);
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return attached;
}

/**
 * softpt_step_table_add() - a task gets a step
 * @step: a new one
 * @task: the current task, or one that has yet to begin; the caller has a reference
 *
 * Context: any but NMI.
 * Return: false, and nothing is done, when the task has a step already.
 */
bool softpt_step_table_add(struct softpt_step *step, struct task_struct *task)
{
	unsigned long flags;
	bool attached;

	raw_spin_lock_irqsave(&table_lock, flags);
	attached = is_attached(task);
	if (!attached) {
		step->task = task;
		step->thread = add_thread(step->set, task);
		hash_add(table, &step->node, key(task));
		atomic_inc(&step->set->tasks);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return !attached;
}

/* The opposite of softpt_step_table_add(). Context: any but NMI. */
void softpt_step_table_remove(struct softpt_step *step)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	hash_del(&step->node);
	raw_spin_unlock_irqrestore(&table_lock, flags);
}

/**
 * softpt_step_pending() - the step of the current task that has yet to begin
 *
 * Context: not preemptible.
 * Return: the step, which stays until the task's next way to user mode; NULL: none.
 */
struct softpt_step *softpt_step_pending(void)
{
	struct softpt_step *step, *found = NULL;
	unsigned long flags;

	softpt_assert_stays();
	raw_spin_lock_irqsave(&table_lock, flags);
	hash_for_each_possible(table, step, node, key(current))
		if (step->task == current && step->state == SOFTPT_STEP_PENDING &&
		    is_exclusive(step))
			found = step;
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return found;
}
