// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is stepped on a CPU: the task that runs there, if a session steps it, else whoever
 * runs there, if somebody watches the CPU.
 *
 * While there is one, a user-return notifier runs on that CPU, with interrupts off, as the
 * last thing before each return to user mode. It arms TF and learns the exact next IP,
 * whatever happened in the kernel: exec, a signal, an emulated instruction, a debugger.
 *
 * A task that is stepped because its CPU is watched carries TF no further: it leaves it
 * here when it is switched out, or when the watch ends, which is on this CPU too.
 */

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/user-return-notifier.h>

#include "step.h"

/**
 * struct step_cpu - a CPU that a stepped task may be on
 * @notifier: registered while @step is set
 * @step: who is stepped here: that of the task that runs, else @watch, or NULL
 * @watch: for whoever runs here, or NULL
 */
struct step_cpu {
	struct user_return_notifier notifier;
	struct softpt_step *step;
	struct softpt_step *watch;
};

static DEFINE_PER_CPU(struct step_cpu, cpus);

/* Who is stepped on this CPU. Context: as softpt_step_mine(). */
struct softpt_step *softpt_step_here(void)
{
	return this_cpu_read(cpus.step);
}

/* The current task's own. Context: not preemptible, if the answer may be other than NULL. */
struct softpt_step *softpt_step_mine(void)
{
	struct softpt_step *step = softpt_step_here();

	return step && step->task ? step : NULL;
}

static void return_to_user(struct user_return_notifier *notifier)
{
	struct step_cpu *cpu = container_of(notifier, struct step_cpu, notifier);
	struct pt_regs *regs = task_pt_regs(current);

	if (unlikely(!softpt_step_session(cpu->step)))
		softpt_step_bury(cpu->step, regs);	/* may leave @watch */
	if (cpu->step && cpu->step->stepping && softpt_step_session(cpu->step))
		softpt_step_resume(cpu->step, regs);
}

static void set_step(struct step_cpu *cpu, struct softpt_step *step)
{
	cpu->notifier.on_user_return = return_to_user;
	if (step && !cpu->step)
		user_return_notifier_register(&cpu->notifier);
	else if (!step && cpu->step)
		user_return_notifier_unregister(&cpu->notifier);
	cpu->step = step;
}

/**
 * softpt_step_come() - the current task has this CPU, and is stepped
 * @step: the task's
 *
 * Context: interrupts off.
 */
void softpt_step_come(struct softpt_step *step)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	if (cpu->watch) {
		softpt_step_pause(cpu->watch, regs);
		cpu->watch->displaced = true;
		if (!step->stepping)	/* nobody takes the traps */
			softpt_step_drop_tf(regs);
	}
	set_step(cpu, step);
}

/* It leaves the CPU, or is stepped no further. Context: interrupts off. */
void softpt_step_go(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	set_step(cpu, cpu->watch);
}

/**
 * softpt_step_watch() - step whoever runs on this CPU, unless a session steps it
 * @step: the CPU's, not a task's, until softpt_step_unwatch()
 * @set: whose session's unit is told
 *
 * The caller has hooked (softpt_step_hook()).
 *
 * Context: interrupts off.
 */
void softpt_step_watch(struct softpt_step *step, struct softpt_step_set *set)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	memset(step, 0, sizeof(*step));
	step->set = set;
	step->stepping = true;
	step->displaced = cpu->step;
	cpu->watch = step;
	if (!cpu->step)
		set_step(cpu, step);
}

/**
 * softpt_step_unwatch() - leave whoever runs on this CPU alone
 *
 * Context: interrupts off.
 */
void softpt_step_unwatch(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);
	struct softpt_step *step = cpu->watch;

	softpt_step_switch();
	cpu->watch = NULL;
	if (cpu->step == step)
		set_step(cpu, NULL);
}

/**
 * softpt_step_switch() - the current task is being switched out: no watch follows it
 *
 * Context: interrupts off; the run queue's lock is held.
 */
void softpt_step_switch(void)
{
	const struct step_cpu *cpu = this_cpu_ptr(&cpus);
	struct pt_regs *regs = task_pt_regs(current);

	if (likely(!cpu->watch) || cpu->step != cpu->watch)
		return;
	softpt_step_hide_copied(regs);
	softpt_step_pause(cpu->watch, regs);
	softpt_step_drop_tf(regs);
	cpu->watch->slots = 0;
}
