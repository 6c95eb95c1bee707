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

#include "kernel.h"

/**
 * struct listener - a session between its start and its stop
 * @node: in @listeners
 * @session: the session
 * @begun: by CPU, and that CPU's: its unit knows the state that it began in
 */
struct listener {
	struct list_head node;
	struct softpt_session *session;
	bool begun[];
};

static DEFINE_MUTEX(listeners_lock);	/* changes of the list, and the probes */
static LIST_HEAD(listeners);

static void send_clock(struct softpt_unit *unit, u64 tsc, u32 khz)
{
	const struct softpt_config *config = &unit->session->config;
	u64 ratio = div_u64((u64)khz * config->p1 + tsc_khz / 2, tsc_khz);
	struct softpt_event ev = { .kind = SOFTPT_EV_CBR, .tsc = tsc };

	ev.arg = clamp_t(u64, ratio, config->min_ratio, config->max_ratio);
	softpt_unit_live(unit, &ev);
}

/*
 * The first event after SOFTPT_ENABLE on this CPU: the unit is told the state before it.
 * Return: false when that instant is still to come, or the unit has ended.
 */
static bool begin(struct listener *l, struct softpt_unit *unit, u64 tsc)
{
	const struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	struct softpt_event state[] = {
		{ .kind = SOFTPT_EV_MODE, .arg = cpu->compat && !cpu->in_kernel ? 32 : 64 },
		{ .kind = SOFTPT_EV_CPL, .cpl = cpu->in_kernel ? 0 : 3 },
		{ .kind = SOFTPT_EV_CR3, .arg = read_cr3_pa() },
		{ .kind = SOFTPT_EV_ENABLE },
	};
	unsigned int i;

	if (!unit->open || tsc < READ_ONCE(l->session->on) || in_nmi())
		return false;
	if (!cpu->in_kernel)
		state[3].ip = task_pt_regs(current)->ip;
	l->begun[unit->cpu] = true;
	if (cpu->khz)
		send_clock(unit, tsc, cpu->khz);
	for (i = 0; i < ARRAY_SIZE(state); i++) {
		state[i].tsc = tsc;
		softpt_unit_live(unit, &state[i]);
	}
	return true;
}

/* Without power events idle is time like any other: the clocks run on. */
static bool is_wanted(const struct softpt_session *session, const struct softpt_event *ev)
{
	switch (ev->kind) {
	case SOFTPT_EV_SLEEP:
	case SOFTPT_EV_PWRE:
	case SOFTPT_EV_PWRX:
		return session->config.flags & SOFTPT_F_PWR;
	}
	return true;
}

static void send_to(struct listener *l, const struct softpt_event *ev, u32 khz)
{
	struct softpt_unit *unit = softpt_session_unit(l->session);

	if (!unit || !is_wanted(l->session, ev))
		return;
	if (unlikely(!l->begun[unit->cpu]) && !begin(l, unit, ev->tsc))
		return;
	if (unlikely(khz))
		send_clock(unit, ev->tsc, khz);
	softpt_unit_live(unit, ev);
}

/* What cpufreq said of this CPU since the last event */
static u32 new_clock(void)
{
	struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	u32 khz;

	if (likely(!READ_ONCE(cpu->next_khz)) || in_nmi())
		return 0;
	khz = xchg(&cpu->next_khz, 0);
	cpu->khz = khz;
	return khz;
}

/**
 * softpt_kernel_send() - an event of this CPU, to every session
 * @ev: the event, its time the TSC
 *
 * Context: interrupts off. Takes no lock: may run under the run queue's.
 */
void softpt_kernel_send(const struct softpt_event *ev)
{
	u32 khz = new_clock();
	struct listener *l;

	list_for_each_entry_rcu(l, &listeners, node, irqs_disabled())
		send_to(l, ev, khz);
}

/* Kernel addresses, and what others do: as perf asks of those who trace a CPU */
static int kernel_check(const struct softpt_source *source)
{
	return perfmon_capable() ? 0 : -EPERM;
}

static int hook_locked(void)
{
	return list_empty(&listeners) ? softpt_kernel_probes_register() : 0;
}

static void unhook_locked(void)
{
	if (!list_empty(&listeners))
		return;
	softpt_kernel_probes_unregister();
	softpt_kernel_cpus_stop();
}

static int kernel_start(struct softpt_session *session)
{
	struct listener *l;
	int err;

	if (session->config.clock != SOFTPT_CLOCK_WALL)
		return -EINVAL;
	l = kzalloc(struct_size(l, begun, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!l)
		return -ENOMEM;
	l->session = session;
	mutex_lock(&listeners_lock);
	err = hook_locked();
	if (!err) {
		list_add_rcu(&l->node, &listeners);
		softpt_kernel_cpus_start();
	}
	mutex_unlock(&listeners_lock);
	if (err) {
		kfree(l);
		return err;
	}
	session->source_data = l;
	return 0;
}

static void kernel_stop(struct softpt_session *session)
{
	struct listener *l = session->source_data;

	mutex_lock(&listeners_lock);
	list_del_rcu(&l->node);
	unhook_locked();
	mutex_unlock(&listeners_lock);
	synchronize_rcu();	/* events are sent with interrupts off */
	session->source_data = NULL;
	kfree(l);
}

static bool found;

static int kernel_init(void)
{
	found = softpt_kernel_probes_found();
	return softpt_kernel_cpus_init();
}

static bool kernel_available(void)
{
	return found;
}

const struct softpt_source_ops softpt_kernel_ops = {
	.kind		= SOFTPT_SOURCE_KERNEL,
	.name		= "kernel",
	.live		= true,
	.init		= kernel_init,
	.exit		= softpt_kernel_cpus_exit,
	.available	= kernel_available,
	.check		= kernel_check,
	.start		= kernel_start,
	.stop		= kernel_stop,
};
