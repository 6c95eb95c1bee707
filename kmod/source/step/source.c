// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "step": a process, single-stepped from its next exec on, or from where it is, so that its
 * control flow is exact on a machine without trace hardware.
 *
 * SOFTPT_ARM_EXEC chooses the caller, SOFTPT_ATTACH another process, once between start and stop.
 * With SOFTPT_STEP_INHERIT its threads and children are stepped, too. The stepping of a task ends
 * with its exit, with an exec that gains privileges, or with the stop of the trace.
 */

#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "source/source.h"
#include "step.h"

/* step_exit() waits for tasks that were preempted in our text. */
static const bool can_leave = !IS_ENABLED(CONFIG_PREEMPTION) || IS_ENABLED(CONFIG_TASKS_RCU);
static bool found;

static int step_init(void)
{
	softpt_step_hooks_init();
	found = softpt_step_probes_found() && softpt_step_tf_known() && can_leave;
	return softpt_step_cpus_init();
}

/*
 * There is no step any more: each holds the module. The task that put the last reference may not
 * have left our text yet.
 */
static void step_exit(void)
{
	softpt_step_cpus_exit();
	softpt_step_life_exit();
	softpt_step_hooks_exit();
	synchronize_rcu_tasks();
	synchronize_rcu();
}

static bool step_available(void)
{
	return found;
}

/* Stepping sees neither the kernel's flow nor CR3. The model clock is that of one task. */
static int step_start(struct softpt_gate *gate, const struct softpt_setup *setup,
		      const struct softpt_source *source)
{
	if (setup->config.flags & (SOFTPT_F_OS | SOFTPT_F_CR3))
		return -EINVAL;
	if (setup->config.clock == SOFTPT_CLOCK_MODEL && source->flags)
		return -EINVAL;
	gate->source_data = softpt_step_set_new(gate, setup, source);
	return gate->source_data ? 0 : -ENOMEM;
}

static void step_stop(struct softpt_gate *gate)
{
	struct softpt_step_set *set = gate->source_data;

	rcu_assign_pointer(set->gate, NULL);
	if (atomic_read(&set->joined))
		synchronize_rcu();	/* traps and notifiers run with interrupts off */
	gate->source_data = NULL;
	softpt_step_set_put(set);
}

/* The caller has the hooks. */
static int arm(struct softpt_step_set *set)
{
	struct softpt_step *step = softpt_step_new(set);

	if (!step)
		return -ENOMEM;
	if (!softpt_step_table_add(step, current)) {
		softpt_step_put(step);
		return -EBUSY;
	}
	set->process = get_pid(task_tgid(current));
	softpt_step_attach(step);
	return 0;
}

static int step_arm_exec(struct softpt_gate *gate)
{
	struct softpt_step_set *set = gate->source_data;
	int err;

	if (set->process || !softpt_step_detach_stopped())
		return -EBUSY;
	err = softpt_step_hooks_get();
	if (err)
		return err;
	err = arm(set);
	softpt_step_hooks_put();
	return err;
}

static void step_threads(struct softpt_gate *gate, struct softpt_threads *threads)
{
	const struct softpt_step_set *set = gate->source_data;
	struct pid *pid;
	unsigned int i;

	threads->joined = atomic_read(&set->joined);
	for (i = 0; i < SOFTPT_THREADS; i++) {
		pid = smp_load_acquire(&set->thread[i]);	/* add_thread() */
		threads->tid[i] = pid_vnr(pid);
	}
}

/*
 * Whether a branch was predicted is not known. Page faults are those of user mode. A system call is
 * counted too late to stop the task before its next instruction.
 */
static const struct softpt_event_class_support classes[] = {
	{ SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_SUB_INSTRUCTIONS_RETIRED,
	  .stops = true, .located = true },
	{ SOFTPT_CLASS_BRANCH_INSTRUCTIONS,
	  SOFTPT_SUB_BRANCH_INSTRUCTIONS_CONDITIONAL | SOFTPT_SUB_BRANCH_INSTRUCTIONS_JUMP |
	  SOFTPT_SUB_BRANCH_INSTRUCTIONS_CALL | SOFTPT_SUB_BRANCH_INSTRUCTIONS_RETURN |
	  SOFTPT_SUB_BRANCH_INSTRUCTIONS_INDIRECT | SOFTPT_SUB_BRANCH_INSTRUCTIONS_FAR,
	  .stops = true, .located = true },
	{ SOFTPT_CLASS_BRANCHES, SOFTPT_SUB_BRANCHES_TAKEN | SOFTPT_SUB_BRANCHES_NOT_TAKEN,
	  .stops = true, .located = true },
	{ SOFTPT_CLASS_SYSTEM_CALLS, SOFTPT_SUB_SYSTEM_CALLS_ENTER, .located = true },
	{ SOFTPT_CLASS_PAGE_FAULTS, SOFTPT_SUB_PAGE_FAULTS_READ | SOFTPT_SUB_PAGE_FAULTS_WRITE |
				    SOFTPT_SUB_PAGE_FAULTS_FETCH, .stops = true, .located = true },
	{ SOFTPT_CLASS_CONTEXT_SWITCHES, SOFTPT_SUB_CONTEXT_SWITCHES_VOLUNTARY |
					 SOFTPT_SUB_CONTEXT_SWITCHES_PREEMPTED },
	{ 0 }
};

const struct softpt_source_ops softpt_step_ops = {
	.kind		= SOFTPT_SOURCE_STEP,
	.name		= "step",
	.live		= true,
	.flags		= SOFTPT_STEP_INHERIT,
	.classes	= classes,
	.trigger_sources = ~0u,
	.init		= step_init,
	.exit		= step_exit,
	.available	= step_available,
	.start		= step_start,
	.stop		= step_stop,
	.arm_exec	= step_arm_exec,
	.prepare	= softpt_step_hooks_get,
	.unprepare	= softpt_step_hooks_put,
	.check_task	= softpt_step_check_task,
	.attach_task	= softpt_step_attach_task,
	.threads	= step_threads,
};
