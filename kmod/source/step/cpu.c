// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is stepped on a CPU: the task that runs there, if a trace steps that task; else any task that
 * runs there, if the CPU is watched (perf).
 *
 * While somebody is stepped, a user-return notifier runs on that CPU, with interrupts off, as the
 * last thing before each return to user mode. It arms TF and learns the exact next IP, whatever
 * happened in the kernel: exec, a signal, an emulated instruction, a debugger.
 *
 * A watch starts and stops in interrupts, where the notifier cannot always be registered
 * (user-return.c). So the notifier is registered for as long as CPUs may be watched.
 *
 * A task that is stepped because its CPU is watched takes TF to no other CPU: TF is taken from it
 * when it is switched out, or when the watch stops, which is on this CPU, too.
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
 * @notifier: registered while @step is set, or @ready
 * @ready: the CPU may be watched
 * @gone: the CPU goes offline, or is: it is not to be ready
 * @step: who is stepped here: the step of the task that runs, else @watch, or NULL
 * @watch: the step for any task that runs here, or NULL
 *
 * Read and changed on the CPU only, with interrupts off.
 */
struct step_cpu {
	struct softpt_return notifier;
	bool ready;
	bool gone;
	struct softpt_step *step;
	struct softpt_step *watch;
};

static DEFINE_PER_CPU(struct step_cpu, cpus);

/* Who is stepped on this CPU; NULL: nobody. Context: not preemptible. */
struct softpt_step *softpt_step_on_cpu(void)
{
	softpt_assert_stays();
	return this_cpu_read(cpus.step);
}

/* The step of the current task; NULL: it has none. Context: as softpt_step_on_cpu(). */
struct softpt_step *softpt_step_of_current(void)
{
	struct softpt_step *step = softpt_step_on_cpu();

	return step && step->task ? step : NULL;
}

static DEFINE_MUTEX(users_lock);	/* @users, and changes of @used */
static unsigned int users;		/* who may watch CPUs */
static bool used;			/* there are @users */

/* Registers the notifier, or the opposite, as it is to be. Context: interrupts off. */
static void settle(struct step_cpu *cpu)
{
	bool ready = READ_ONCE(used) && !cpu->gone;

	lockdep_assert_irqs_disabled();
	cpu->ready = softpt_return_set(&cpu->notifier, cpu->step || ready) && ready;
}

static void set_step(struct step_cpu *cpu, struct softpt_step *step)
{
	cpu->step = step;
	settle(cpu);
}

/**
 * softpt_step_cpu_set() - the current task is stepped, and has got this CPU
 * @step: the task's
 *
 * A watch of the CPU pauses.
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

/* The current task leaves this CPU, or is stepped no more. Context: interrupts off. */
void softpt_step_cpu_clear(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	set_step(cpu, cpu->watch);
}

/* The step leaves the CPU, the table and the current task, whose step it is. */
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
 * softpt_step_detach() - the trace has stopped, so the current task is stepped no more
 * @step: the current task's
 * @regs: of its user mode
 *
 * If an image of our TF is still in the task's memory, the step stays until the task exits: it has
 * to take the trap that comes should the image be loaded.
 *
 * Context: interrupts off.
 */
void softpt_step_detach(struct softpt_step *step, struct pt_regs *regs)
{
	if (softpt_step_is_stepping(step))
		softpt_step_drop_tf(regs);
	if (!step->trap.leaked)
		softpt_step_remove(step);
}

/**
 * softpt_step_detach_stopped() - remove the step that a stopped trace left to the current task
 *
 * Context: any but NMI.
 * Return: false when the current task is stepped, or must keep its step.
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
		settle(cpu);	/* an interrupt could not */
		return;
	}
	if (unlikely(!softpt_step_gate(cpu->step)))
		softpt_step_detach(cpu->step, regs);	/* @watch may be next */
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

static void set_used(bool on)
{
	lockdep_assert_held(&users_lock);
	WRITE_ONCE(used, on);
	on_each_cpu(settle_here, NULL, true);
}

/* CPUs may be watched from here on. Context: may sleep. */
void softpt_step_cpu_get(void)
{
	mutex_lock(&users_lock);
	if (!users++)
		set_used(true);
	mutex_unlock(&users_lock);
}

/* The opposite of softpt_step_cpu_get(); the watches have stopped. Context: may sleep. */
void softpt_step_cpu_put(void)
{
	mutex_lock(&users_lock);
	if (!--users)
		set_used(false);
	mutex_unlock(&users_lock);
}

/* Whether this CPU may be watched: not while the CPU goes offline. Context: interrupts off. */
bool softpt_step_cpu_ready(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);

	settle(cpu);
	return cpu->ready;
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

/* The tasks of the CPU have left it. perf has yet to stop its events, which nothing can reach. */
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
 * softpt_step_cpu_start() - step any task that runs on this CPU, but those that a trace steps
 * @step: of the CPU, until softpt_step_cpu_stop()
 * @set: whose gate has the channel of this CPU
 *
 * The caller has the hooks (softpt_step_hooks_get()), and the CPU is ready
 * (softpt_step_cpu_ready()).
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
 * softpt_step_cpu_stop() - the opposite of softpt_step_cpu_start()
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
 * softpt_step_cpu_switch() - the current task is switched out, and no watch follows it
 *
 * Context: interrupts off; the run queue's lock is held.
 */
void softpt_step_cpu_switch(void)
{
	struct step_cpu *cpu = this_cpu_ptr(&cpus);
	struct pt_regs *regs = task_pt_regs(current);

	if (unlikely(cpu->ready != READ_ONCE(used)))
		settle(cpu);
	if (likely(!cpu->watch) || cpu->step != cpu->watch)
		return;
	softpt_step_hide_copied(regs);
	softpt_step_pause(cpu->watch, regs);
	softpt_step_drop_tf(regs);
	cpu->watch->trap.slots = 0;
}
