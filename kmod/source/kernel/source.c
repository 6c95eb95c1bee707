// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "kernel": context switches, system calls, interrupts, page faults, idle and
 * frequency of every CPU, from tracepoints. Each event goes to all sessions that are
 * enabled; their filters are the engine's business.
 */

#include <linux/capability.h>
#include <linux/hardirq.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "compat.h"
#include "kernel.h"
#include "source/source.h"

static DEFINE_MUTEX(lock);	/* changes of the lists, and the probes */
static unsigned int nr_sessions;

static void send_clock(struct softpt_listener *l, u64 tsc, u32 khz)
{
	const struct softpt_config *config = l->config;
	u64 ratio = div_u64((u64)khz * config->p1 + tsc_khz / 2, tsc_khz);
	struct softpt_event ev = { .kind = SOFTPT_EV_CBR, .tsc = tsc };

	ev.arg = clamp_t(u64, ratio, config->min_ratio, config->max_ratio);
	softpt_channel_event(l->ch, &ev);
}

/**
 * softpt_kernel_begin() - the first event after SOFTPT_ENABLE on this CPU
 * @l: the unit that is told the state before it
 * @tsc: when
 *
 * Return: false when SOFTPT_ENABLE is still to come, or the unit has ended.
 */
bool softpt_kernel_begin(struct softpt_listener *l, u64 tsc)
{
	struct softpt_channel *ch = l->ch;
	const struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	struct softpt_event state[] = {
		{ .kind = SOFTPT_EV_MODE, .arg = cpu->compat && !cpu->in_kernel ? 32 : 64 },
		{ .kind = SOFTPT_EV_CPL, .cpl = cpu->in_kernel ? 0 : 3 },
		{ .kind = SOFTPT_EV_CR3, .arg = read_cr3_pa() },
		{ .kind = SOFTPT_EV_ENABLE },
	};
	unsigned int i;

	if (!ch->running || tsc < READ_ONCE(ch->gate->on) || in_nmi())
		return false;
	if (!cpu->in_kernel)
		state[3].ip = task_pt_regs(current)->ip;
	l->begun = true;
	if (cpu->khz)
		send_clock(l, tsc, cpu->khz);
	for (i = 0; i < ARRAY_SIZE(state); i++) {
		state[i].tsc = tsc;
		softpt_channel_event(ch, &state[i]);
	}
	return true;
}

/* Whatever this CPU's units know of it is out of date. */
void softpt_kernel_begin_again(void)
{
	struct softpt_listener *l;

	local_irq_disable();
	softpt_for_each_listener(l)
		l->begun = false;
	local_irq_enable();
}

/* What cpufreq said of this CPU since the last event */
void softpt_kernel_clock(u64 tsc)
{
	struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	struct softpt_listener *l;

	if (in_nmi())
		return;
	cpu->khz = xchg(&cpu->next_khz, 0);
	softpt_for_each_listener(l) {
		if (l->begun)
			send_clock(l, tsc, cpu->khz);
	}
}

/**
 * softpt_kernel_send_power() - softpt_kernel_send(), to sessions with power events
 * @ev: the event
 *
 * Without them idle is time like any other: the clocks run on.
 */
void softpt_kernel_send_power(const struct softpt_event *ev)
{
	struct softpt_listener *l;

	softpt_kernel_clock_first(ev->tsc);
	softpt_for_each_listener(l) {
		if (l->config->flags & SOFTPT_F_PWR)
			softpt_kernel_send_to(l, ev);
	}
}

void softpt_kernel_count_slow(u8 event_class, u16 submask, u8 cpl)
{
	struct softpt_listener *l;

	softpt_for_each_listener(l)
		softpt_channel_count(l->ch, event_class, submask, cpl, 0);
}

/* Kernel addresses, and what others do: as perf asks of those who trace a CPU */
static int kernel_check(const struct softpt_source *source)
{
	return perfmon_capable() ? 0 : -EPERM;
}

/* Events may find the unit from here on: those before the session's ENABLE are ignored. */
static int kernel_attach(struct softpt_channel *ch, const struct softpt_setup *setup,
			 const struct softpt_source *source)
{
	struct softpt_listener *l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);

	if (!l)
		return -ENOMEM;
	l->ch = ch;
	l->config = &setup->config;
	ch->source_data = l;
	mutex_lock(&lock);
	hlist_add_head_rcu(&l->node, &per_cpu(softpt_kernel_cpu, ch->cpu).listeners);
	mutex_unlock(&lock);
	return 0;
}

/* An event that has found the unit before is done when the unit's CPU takes an interrupt. */
static void kernel_detach(struct softpt_channel *ch)
{
	struct softpt_listener *l = ch->source_data;

	mutex_lock(&lock);
	hlist_del_rcu(&l->node);
	mutex_unlock(&lock);
	ch->source_data = NULL;
	kfree_rcu(l, rcu);
}

static int kernel_start(struct softpt_gate *gate, const struct softpt_setup *setup,
			const struct softpt_source *source)
{
	int err = 0;

	if (setup->config.clock != SOFTPT_CLOCK_WALL)
		return -EINVAL;
	if (setup->config.flags & SOFTPT_F_LOSSLESS)
		return -EINVAL;		/* the system cannot wait */
	mutex_lock(&lock);
	if (!nr_sessions)
		err = softpt_kernel_probes_register();
	if (!err) {
		nr_sessions++;
		softpt_kernel_cpus_start();
	}
	mutex_unlock(&lock);
	return err;
}

static void kernel_stop(struct softpt_gate *gate)
{
	mutex_lock(&lock);
	if (!--nr_sessions) {
		softpt_kernel_probes_unregister();
		softpt_kernel_cpus_stop();
	}
	mutex_unlock(&lock);
}

static bool found;

static int kernel_init(void)
{
	found = softpt_kernel_probes_found() && softpt_has_idt() && tsc_khz;
	return softpt_kernel_cpus_init();
}

static bool kernel_available(void)
{
	return found;
}

static const struct softpt_sight sights[] = {
	{ SOFTPT_CLASS_SYSTEM_CALLS, SOFTPT_SUB_SYSTEM_CALLS_ENTER },
	{ SOFTPT_CLASS_PAGE_FAULTS, SOFTPT_SUB_PAGE_FAULTS_READ | SOFTPT_SUB_PAGE_FAULTS_WRITE |
				    SOFTPT_SUB_PAGE_FAULTS_FETCH },
	{ SOFTPT_CLASS_CONTEXT_SWITCHES, SOFTPT_SUB_CONTEXT_SWITCHES_VOLUNTARY |
					 SOFTPT_SUB_CONTEXT_SWITCHES_PREEMPTED },
	{ 0 }
};

const struct softpt_source_ops softpt_kernel_ops = {
	.kind		= SOFTPT_SOURCE_KERNEL,
	.name		= "kernel",
	.live		= true,
	.sees		= sights,
	.tells		= BIT(SOFTPT_ON_IP) | BIT(SOFTPT_ON_COUNTER) | BIT(SOFTPT_ON_DEMAND),
	.init		= kernel_init,
	.exit		= softpt_kernel_cpus_exit,
	.available	= kernel_available,
	.check		= kernel_check,
	.start		= kernel_start,
	.stop		= kernel_stop,
	.attach		= kernel_attach,
	.detach		= kernel_detach,
};
