// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which tasks have a step. Its own is the task's alone, but whoever attaches to a task
 * must know whether it is somebody's already, while it runs elsewhere or sleeps.
 */

#include <linux/hashtable.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "step.h"

static DEFINE_HASHTABLE(table, 12);	/* processes may have thousands of threads */
static DEFINE_RAW_SPINLOCK(table_lock);

static unsigned long key(const struct task_struct *task)
{
	return (unsigned long)task;
}

/*
 * Of a task that sleeps: whoever attaches to it leaves one more behind. The table is searched
 * with interrupts off.
 */
#define TOMBSTONES	64

/*
 * A tombstone makes room for another step, unless the task must keep it. The task
 * may be changing its mind at this moment: softpt_step_bury_mine() has the last word.
 */
static bool counts(const struct softpt_step *step)
{
	/* data_race(): see above; it is false or true */
	return rcu_access_pointer(step->set->gate) || data_race(step->leaked);
}

static bool is_claimed(const struct task_struct *task)
{
	struct softpt_step *step;
	unsigned int left = 0;

	lockdep_assert_held(&table_lock);
	hash_for_each_possible(table, step, node, key(task))
		if (step->task == task && (counts(step) || ++left == TOMBSTONES))
			return true;
	return false;
}

/**
 * softpt_step_is_claimed() - whether somebody's session steps a task, or will, or it has to
 * come by first
 * @task: which cannot go away
 */
bool softpt_step_is_claimed(const struct task_struct *task)
{
	unsigned long flags;
	bool claimed;

	raw_spin_lock_irqsave(&table_lock, flags);
	claimed = is_claimed(task);
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return claimed;
}

/**
 * softpt_step_claim() - a task becomes a step's
 * @step: a new one
 * @task: the current task, or one that will have to come by
 *
 * Context: any but NMI.
 * Return: false, and nothing is done, when it is another's.
 */
bool softpt_step_claim(struct softpt_step *step, struct task_struct *task)
{
	unsigned long flags;
	bool claimed;

	raw_spin_lock_irqsave(&table_lock, flags);
	claimed = is_claimed(task);
	if (!claimed) {
		step->task = task;
		step->thread = softpt_step_set_join(step->set, task);
		hash_add(table, &step->node, key(task));
		atomic_inc(&step->set->tasks);
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return !claimed;
}

/* The task is free again, or about to exit. */
void softpt_step_forget(struct softpt_step *step)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	hash_del(&step->node);
	raw_spin_unlock_irqrestore(&table_lock, flags);
}

/**
 * softpt_step_pending() - what the current task will be stepped for when it comes by
 *
 * Context: not preemptible.
 * Return: the step, which stays until the task has come by; NULL: none.
 */
struct softpt_step *softpt_step_pending(void)
{
	struct softpt_step *step, *found = NULL;
	unsigned long flags;

	softpt_assert_stays();
	raw_spin_lock_irqsave(&table_lock, flags);
	hash_for_each_possible(table, step, node, key(current))
		if (step->task == current && step->pending && counts(step))
			found = step;
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return found;
}
