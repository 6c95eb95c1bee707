// SPDX-License-Identifier: GPL-2.0-only
/* The tasks that a session steps: how many are left, and what remains when all are gone. */

#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "step.h"

/**
 * softpt_step_set_new() - nobody yet
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
	/* A TSC of 0 is none to perf: it would show nothing of the recording. */
	set->begin = set->model ? max(softpt_gate_latest(gate), 1ull) : 0;
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

/**
 * softpt_step_set_join() - a task more
 * @set: the tasks
 * @task: it cannot go away
 *
 * Tasks beyond the last hardware thread share that.
 *
 * Context: any but NMI.
 * Return: the task's hardware thread.
 */
u8 softpt_step_set_join(struct softpt_step_set *set, struct task_struct *task)
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
 * softpt_step_set_leave() - the current task is stepped no further
 * @set: the task's
 * @exits: it is about to exit
 *
 * Context: interrupts off.
 */
void softpt_step_set_leave(struct softpt_step_set *set, bool exits)
{
	struct softpt_gate *gate = rcu_dereference_sched(set->gate);

	if (exits)
		note_exit_code(set);
	if (atomic_dec_and_test(&set->tasks) && gate)
		softpt_gate_end(gate, READ_ONCE(set->exit_code));
}
