// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is stepped on a CPU: the task that runs there, if a session steps it, else whoever
 * runs there, if somebody watches the CPU.
 *
 * While there is one, a user-return notifier runs on that CPU, with interrupts off, as the
 * last thing before each return to user mode. It arms TF and learns the exact next IP,
 * whatever happened in the kernel: exec, a signal, an emulated instruction, a debugger.
 *
 * For the watch it is registered all the time, for the watch begins and ends in interrupts:
 * KVM has a notifier, too, and puts it into the list of them with interrupts on.
 *
 * A task that is stepped because its CPU is watched carries TF no further: it leaves it
 * here when it is switched out, or when the watch ends, which is on this CPU too.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/user-return-notifier.h>

#include "step.h"

/**
 * struct step_cpu - a CPU that a stepped task may be on
 * @notifier: registered while @step is set, or @kept
 * @registered: it is
 * @kept: the CPU may be watched
 * @step: who is stepped here: that of the task that runs, else @watch, or NULL
 * @watch: for whoever runs here, or NULL
 */
struct step_cpu {
	struct user_return_notifier notifier;
	bool registered;
	bool kept;
	struct softpt_step *step;
	struct softpt_step *watch;
};

static DEFINE_PER_CPU(struct step_cpu, cpus);

/* Who is stepped on this CPU. Context: not preemptible. */
struct softpt_step *softpt_step_here(void)
{
	softpt_assert_stays();
	return this_cpu_read(cpus.step);
}

/* The current task's own. Context: as softpt_step_here(). */
struct softpt_step *softpt_step_mine(void)
{
	struct softpt_step *step = softpt_step_here();

	return step && step->task ? step : NULL;
}

static void return_to_user(struct user_return_notifier *notifier)
{
	struct step_cpu *cpu = container_of(notifier, struct step_cpu, notifier);
	struct pt_regs *regs = task_pt_regs(current);

	if (!cpu->step)
		return;
	if (unlikely(!softpt_step_session(cpu->step)))
		softpt_step_bury(cpu->step, regs);	/* may leave @watch */
	if (cpu->step && cpu->step->stepping && softpt_step_session(cpu->step))
		softpt_step_resume(cpu->step, regs);
}

static void set_notifier(struct step_cpu *cpu)
{
	bool wanted = cpu->step || cpu->kept;

	if (wanted == cpu->registered)
		return;
	cpu->registered = wanted;
	cpu->notifier.on_user_return = return_to_user;
	if (wanted)
		user_return_notifier_register(&cpu->notifier);
	else
		user_return_notifier_unregister(&cpu->notifier);
}

static void set_step(struct step_cpu *cpu, struct softpt_step *step)
{
	cpu->step = step;
	set_notifier(cpu);
}

static void set_kept(bool kept)
{
	struct step_cpu *cpu;

	local_irq_disable();
	cpu = this_cpu_ptr(&cpus);
	cpu->kept = kept;
	set_notifier(cpu);
	local_irq_enable();
}

static int keep_cpu(void *unused)
{
	set_kept(true);
	return 0;
}

static int leave_cpu(void *unused)
{
	set_kept(false);
	return 0;
}

static DEFINE_MUTEX(keep_lock);
static unsigned int keepers;
static bool keeping;	/* changes while no CPU comes or goes */

/* CPUs may be watched from here on. */
void softpt_step_keep(void)
{
	mutex_lock(&keep_lock);
	if (!keepers++) {
		cpus_read_lock();
		keeping = true;
		softpt_on_each_cpu(keep_cpu);
		cpus_read_unlock();
	}
	mutex_unlock(&keep_lock);
}

/* The opposite of softpt_step_keep(); the watches are over. */
void softpt_step_unkeep(void)
{
	mutex_lock(&keep_lock);
	if (!--keepers) {
		cpus_read_lock();
		keeping = false;
		softpt_on_each_cpu(leave_cpu);
		cpus_read_unlock();
	}
	mutex_unlock(&keep_lock);
}

/* Whether this CPU may be watched: not while it goes offline. Context: interrupts off. */
bool softpt_step_kept(void)
{
	return this_cpu_read(cpus.kept);
}

static int online(unsigned int cpu)
{
	return keeping ? keep_cpu(NULL) : 0;
}

/* Its tasks have moved on; perf has yet to put its events out, which nothing can get into. */
static int going(unsigned int cpu)
{
	return leave_cpu(NULL);
}

static enum cpuhp_state state;

int softpt_step_cpus_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "softpt:step", online, going);

	if (ret < 0)
		return ret;
	state = ret;
	return 0;
}

void softpt_step_cpus_exit(void)
{
	cpuhp_remove_state_nocalls(state);
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
 * The caller has hooked (softpt_step_hook()), and the CPU is kept (softpt_step_kept()).
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
