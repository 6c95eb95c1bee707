// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stepped task, from its arming to its end.
 *
 * A preemption notifier follows the task, so that no other task pays when it gets and leaves a CPU.
 *
 * When the trace stops, the task is on some CPU and has TF set. The step stays until the task, on
 * its way to user mode, takes TF out of its own registers (softpt_step_detach()).
 */

#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "step.h"

static void sched_in(struct preempt_notifier *preempt, int cpu)
{
	struct softpt_step *step = container_of(preempt, struct softpt_step, preempt);
	unsigned long flags;

	local_irq_save(flags);
	softpt_step_cpu_set(step);
	softpt_step_wait(step);		/* others may have filled this CPU's ring */
	local_irq_restore(flags);
}

/*
 * Whether a task that is switched out reports nothing. On the model clock waiting takes no time,
 * and a task that cannot migrate goes on where it was, so that its trace is the same each time. A
 * debugger may change where the task goes on.
 */
static bool reports_no_switch(const struct softpt_step *step)
{
	/* data_race(): a tracer may attach or detach */
	bool traced = data_race(current->ptrace);

	return step->set->model && !traced && current->nr_cpus_allowed == 1 &&
	       cpumask_test_cpu(smp_processor_id(), current->cpus_ptr);
}

/* Under the run queue's lock */
static void sched_out(struct preempt_notifier *preempt, struct task_struct *next)
{
	struct softpt_step *step = container_of(preempt, struct softpt_step, preempt);
	struct pt_regs *regs = task_pt_regs(current);

	if (softpt_step_is_stepping(step)) {
		softpt_step_hide_copied(regs);	/* from a debugger that looks while it is stopped */
		if (!reports_no_switch(step))
			softpt_step_pause(step, regs);
	}
	softpt_step_cpu_clear();
}

static struct preempt_ops preempt_ops = {
	.sched_in	= sched_in,
	.sched_out	= sched_out,
};

/* The step becomes the current task's. Context: any but NMI. */
void softpt_step_attach(struct softpt_step *step)
{
	unsigned long flags;

	preempt_notifier_init(&step->preempt, &preempt_ops);
	local_irq_save(flags);
	preempt_notifier_register(&step->preempt);
	softpt_step_cpu_set(step);
	local_irq_restore(flags);
}

static void refill(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, work);

	softpt_step_refill(step);
	softpt_step_put(step);
}

/**
 * softpt_step_inherit() - a child of the current task is stepped from its first return to user
 * mode on
 * @parent: the current task's
 * @child: has not run yet. No other code knows the task yet, so that its list of notifiers is ours;
 *	preempt_notifier_register() would add to the current task's
 *
 * Nothing is done if somebody has just attached to the child, found among its parent's threads.
 * Without a spare step the child runs untraced: an event that is lost.
 *
 * Context: atomic.
 */
void softpt_step_inherit(struct softpt_step *parent, struct task_struct *child)
{
	struct softpt_step *step = softpt_step_new_child(parent);

	if (parent->state != SOFTPT_STEP_PENDING)	/* else begin_pending() does */
		softpt_step_defer(parent, refill);
	if (!step) {
		parent->lost++;
		return;
	}
	step->state = SOFTPT_STEP_STEPPING;
	step->trap.leaked = parent->trap.leaked;
	if (!softpt_step_table_add(step, child)) {
		softpt_step_put(step);
		return;
	}
	preempt_notifier_init(&step->preempt, &preempt_ops);
	hlist_add_head(&step->preempt.link, &child->preempt_notifiers);
	softpt_step_defer(step, refill);
}

static void leave_set(struct softpt_step *step, struct softpt_gate *gate, bool exits)
{
	softpt_step_charge(step, softpt_gate_any_channel(gate));
	softpt_step_set_remove(step->set, exits);
}

/* A process exits with its first thread. */
static void report_exit(struct softpt_step *step, struct pt_regs *regs)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_EXIT, .arg = (u32)current->exit_code };

	if (softpt_step_wanted(step, SOFTPT_ON_EXIT) && thread_group_leader(current))
		softpt_step_report(step, regs, &ev);
}

/**
 * softpt_step_end() - the current task is to be stepped no more
 * @step: the current task's
 * @regs: of its user mode
 * @exits: the task is about to exit
 *
 * Context: interrupts off.
 */
void softpt_step_end(struct softpt_step *step, struct pt_regs *regs, bool exits)
{
	struct softpt_gate *gate = softpt_step_gate(step);

	if (gate) {
		if (exits && softpt_step_is_stepping(step))
			report_exit(step, regs);
		if (softpt_step_is_stepping(step))
			softpt_step_pause(step, regs);
		leave_set(step, gate, exits);
	}
	if (softpt_step_is_stepping(step))
		softpt_step_drop_tf(regs);
	softpt_step_remove(step);
}

/**
 * softpt_step_cancel() - the current task was to be stepped, and will not be
 * @step: the current task's; its state is SOFTPT_STEP_PENDING
 *
 * Context: interrupts off.
 */
void softpt_step_cancel(struct softpt_step *step)
{
	struct softpt_gate *gate = softpt_step_gate(step);

	if (gate)
		leave_set(step, gate, current->flags & PF_EXITING);
	softpt_step_table_remove(step);
	softpt_step_put(step);
}
