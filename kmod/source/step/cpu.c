// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is stepped on a CPU: the task that runs there, if a session steps it, else whoever
 * runs there, if somebody watches the CPU.
 *
 * While there is one, a user-return notifier runs on that CPU, with interrupts off, as the
 * last thing before each return to user mode. It arms TF and learns the exact next IP,
 * whatever happened in the kernel: exec, a signal, an emulated instruction, a debugger.
 *
 * For the watch it is registered all the time, for the watch begins and ends in interrupts,
 * where that is not always possible (user-return.c).
 *
 * A task that is stepped because its CPU is watched carries TF no further: it leaves it
 * here when it is switched out, or when the watch ends, which is on this CPU too.
 */

#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "source/user-return.h"
#include "step.h"

/**
 * struct step_cpu - a CPU that a stepped task may be on
 * @notifier: registered while @step is set, or @kept
 * @kept: the CPU may be watched
 * @gone: the CPU goes offline, or is: it is not to be kept
 * @step: who is stepped here: that of the task that runs, else @watch, or NULL
 * @watch: for whoever runs here, or NULL
 */
struct step_cpu {
	struct softpt_return notifier;
	bool kept;
	bool gone;
	struct softpt_step *step;
	struct softpt_step *watch;
};

static DEFINE_PER_CPU(struct step_cpu, cpus);

/* Who is stepped on this CPU. Context: not preemptible. */
struct softpt_step *softpt_step_on_cpu(void)
{
	softpt_assert_stays();
	return this_cpu_read(cpus.step);
}

/* The current task's own. Context: as softpt_step_on_cpu(). */
struct softpt_step *softpt_step_of_current(void)
{
	struct softpt_step *step = softpt_step_on_cpu();

	return step && step->task ? step : NULL;
}

static bool keeping;	/* there are events that may watch CPUs */

/* The notifier as it is to be, if that can be now. Context: interrupts off. */
static void settle(struct step_cpu *cpu)
{
	bool kept = READ_ONCE(keeping) && !cpu->gone;

	cpu->kept = softpt_return_set(&cpu->notifier, cpu->step || kept) && kept;
}

static void set_step(struct step_cpu *cpu, struct softpt_step *step)
{
	cpu->step = step;
	settle(cpu);
}

/**
 * softpt_step_cpu_set() - the current task has this CPU, and is stepped
 * @step: the task's
 *
 * Context: interrupts off.
 */
void softpt_step_cpu_set(struct softpt_step *step)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	if (cpu->watch) {
		softpt_step_pause(cpu->watch, regs);
		cpu->watch->displaced = true;
		if (!softpt_step_is_stepping(step))	/* nobody takes the traps */
			softpt_step_drop_tf(regs);
	}
	set_step(cpu, step);
}

/* It leaves the CPU, or is stepped no further. Context: interrupts off. */
void softpt_step_cpu_clear(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	set_step(cpu, cpu->watch);
}

void softpt_step_remove(struct softpt_step *step)
{
	unsigned long flags;

	local_irq_save(flags);
	softpt_step_cpu_clear();
	preempt_notifier_unregister(&step->preempt);
	local_irq_restore(flags);
	softpt_step_table_remove(step);
	softpt_step_put(step);
}

/**
 * softpt_step_detach() - the current task is not stepped any more: forget it
 * @step: the current task's
 * @regs: of its user mode
 *
 * Unless an image of our TF is still in its memory: then the tombstone stays until the
 * task exits.
 */
void softpt_step_detach(struct softpt_step *step, struct pt_regs *regs)
{
	if (softpt_step_is_stepping(step))
		softpt_step_drop_tf(regs);
	if (!step->trap.leaked)
		softpt_step_remove(step);
}

/**
 * softpt_step_detach_stopped() - what a session that is gone left of the current task
 *
 * Return: false when the current task is stepped, or must keep its tombstone.
 */
bool softpt_step_detach_stopped(void)
{
	struct softpt_step *step;
	unsigned long flags;
	bool free;

	local_irq_save(flags);
	step = softpt_step_of_current();
	if (step && !softpt_step_gate(step))
		softpt_step_detach(step, task_pt_regs(current));
	free = !softpt_step_of_current();
	local_irq_restore(flags);
	return free;
}

static void return_to_user(struct user_return_notifier *notifier)
{
	struct step_cpu *cpu = container_of(notifier, struct step_cpu, notifier.notifier);
	struct pt_regs *regs = task_pt_regs(current);

	if (!cpu->step) {
		settle(cpu);	/* it may have been left behind */
		return;
	}
	if (unlikely(!softpt_step_gate(cpu->step)))
		softpt_step_detach(cpu->step, regs);	/* may leave @watch */
	if (cpu->step && softpt_step_is_stepping(cpu->step) && softpt_step_gate(cpu->step))
		softpt_step_resume(cpu->step, regs);
}

static void settle_here(void *left)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	settle(cpu);
	if (left && cpu->notifier.registered)
		atomic_inc(left);
}

static DEFINE_MUTEX(keep_lock);
static unsigned int keepers;

static void set_keeping(bool on)
{
	WRITE_ONCE(keeping, on);
	on_each_cpu(settle_here, NULL, true);
}

/* CPUs may be watched from here on. */
void softpt_step_cpu_get(void)
{
	mutex_lock(&keep_lock);
	if (!keepers++)
		set_keeping(true);
	mutex_unlock(&keep_lock);
}

/* The opposite of softpt_step_cpu_get(); the watches are over. */
void softpt_step_cpu_put(void)
{
	mutex_lock(&keep_lock);
	if (!--keepers)
		set_keeping(false);
	mutex_unlock(&keep_lock);
}

/* Whether this CPU may be watched: not while it goes offline. Context: interrupts off. */
bool softpt_step_cpu_ready(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	settle(cpu);
	return cpu->kept;
}

static void set_gone(bool gone)
{
	struct step_cpu *cpu;

	local_irq_disable();
	cpu = this_cpu_ptr(&cpus);
	cpu->gone = gone;
	settle(cpu);
	local_irq_enable();
}

static int online(unsigned int cpu)
{
	set_gone(false);
	return 0;
}

/* Its tasks have moved on; perf has yet to put its events out, which nothing can get into. */
static int going(unsigned int cpu)
{
	set_gone(true);
	return 0;
}

static enum cpuhp_state state;

int softpt_step_cpus_init(void)
{
	unsigned int cpu;
	int ret;

	for_each_possible_cpu(cpu)
		per_cpu(cpus.notifier.notifier.on_user_return, cpu) = return_to_user;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "softpt:step", online, going);
	if (ret < 0)
		return ret;
	state = ret;
	return 0;
}

void softpt_step_cpus_exit(void)
{
	softpt_return_drain(settle_here);
	cpuhp_remove_state_nocalls(state);
}

/**
 * softpt_step_cpu_start() - step whoever runs on this CPU, unless a session steps it
 * @step: the CPU's, not a task's, until softpt_step_cpu_stop()
 * @set: whose session's unit is told
 *
 * The caller has hooked (softpt_step_hooks_get()), and the CPU is kept (softpt_step_cpu_ready()).
 *
 * Context: interrupts off.
 */
void softpt_step_cpu_start(struct softpt_step *step, struct softpt_step_set *set)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	memset(step, 0, sizeof(*step));
	step->set = set;
	step->state = SOFTPT_STEP_STEPPING;
	step->displaced = cpu->step;
	cpu->watch = step;
	if (!cpu->step)
		set_step(cpu, step);
}

/**
 * softpt_step_cpu_stop() - leave whoever runs on this CPU alone
 *
 * Context: interrupts off.
 */
void softpt_step_cpu_stop(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);
	struct softpt_step *step = cpu->watch;

	softpt_step_cpu_switch();
	cpu->watch = NULL;
	if (cpu->step == step)
		set_step(cpu, NULL);
}

/**
 * softpt_step_cpu_switch() - the current task is being switched out: no watch follows it
 *
 * Context: interrupts off; the run queue's lock is held.
 */
void softpt_step_cpu_switch(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);
	struct pt_regs *regs = task_pt_regs(current);

	if (unlikely(cpu->kept != READ_ONCE(keeping)))
		settle(cpu);
	if (likely(!cpu->watch) || cpu->step != cpu->watch)
		return;
	softpt_step_hide_copied(regs);
	softpt_step_pause(cpu->watch, regs);
	softpt_step_drop_tf(regs);
	cpu->watch->trap.slots = 0;
}
