// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints, and the events that they become */

#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <asm/irq_regs.h>
#include <asm/irq_vectors.h>
#include <asm/processor.h>
#include <asm/trapnr.h>
#include <asm/tsc.h>
#include <trace/events/power.h>

#include <softpt/packets.h>

#include "kernel.h"
#include "source/probe.h"

/* Event trace (SDM): the type of a CFE and of an EVD packet */
#define CFE_INTR	1	/* interrupt, exception or fault */
#define EVD_CR2		0	/* linear address of a page fault */

#define PWRX_INTERRUPT	1	/* wake reason */

#define POWER_STATE_MAX	15	/* in a PWRE or PWRX packet */

#define SLEEP_MAX	BIT_ULL(54)	/* ticks: half of what an event may last */

/* An NMI may interrupt a probe at any instruction, so the event of an NMI is lost. */
static bool lost_to_nmi(void)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_IDLE };

	if (likely(!in_nmi()))
		return false;
	ev.tsc = rdtsc();
	softpt_kernel_send(&ev);
	return true;
}

static enum softpt_left why_left(bool preempt, unsigned int state)
{
	if (preempt || !state)
		return SOFTPT_LEFT_PREEMPTED;
	if (state & TASK_DEAD)
		return SOFTPT_LEFT_ENDED;
	if (state & (__TASK_STOPPED | __TASK_TRACED))
		return SOFTPT_LEFT_STOPPED;
	return state & TASK_UNINTERRUPTIBLE ? SOFTPT_LEFT_BLOCKED : SOFTPT_LEFT_SLEEPS;
}

/* Who runs from here on, and why the one before does not */
static noinline void send_thread(struct softpt_listener *l, u64 tsc, enum softpt_left why,
				 const struct task_struct *next)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_PTW, .tsc = tsc, .arg = (u64)why << 32 | (u32)next->pid
	};

	softpt_kernel_send_to(l, &ev);
}

/* A context switch is a MOV CR3; a kernel thread keeps what is there. */
static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_CR3 };
	struct softpt_listener *l;
	unsigned long flags;

	local_irq_save(flags);
	softpt_kernel_cpu_switch();
	ev.tsc = rdtsc();
	ev.arg = next->mm ? __pa(next->mm->pgd) : read_cr3_pa();
	softpt_kernel_ensure_entry(ev.tsc);
	softpt_kernel_clock_first(ev.tsc);
	softpt_for_each_listener(l) {
		softpt_kernel_send_to(l, &ev);
		if (unlikely(l->config->flags & SOFTPT_F_PTW))
			send_thread(l, ev.tsc, why_left(preempt, prev_state), next);
	}
	softpt_kernel_count(SOFTPT_CLASS_CONTEXT_SWITCHES,
			    !preempt && prev_state ? SOFTPT_SUB_CONTEXT_SWITCHES_VOLUNTARY :
						     SOFTPT_SUB_CONTEXT_SWITCHES_PREEMPTED, 0);
	local_irq_restore(flags);
}

static void probe_syscall(void *data, struct pt_regs *regs, long id)
{
	lockdep_assert_irqs_enabled();
	local_irq_disable();
	softpt_kernel_ensure_entry(rdtsc());
	softpt_kernel_count(SOFTPT_CLASS_SYSTEM_CALLS, SOFTPT_SUB_SYSTEM_CALLS_ENTER, 3);
	local_irq_enable();
}

/* An address in the kernel; 0 for user mode, and where it is not known */
static u64 kernel_ip(struct pt_regs *regs)
{
	return regs && !user_mode(regs) ? regs->ip : 0;
}

/* An interrupt of user mode, or of the kernel, which must have been entered first */
static void interrupt(struct pt_regs *regs, u64 tsc, u64 target, u8 vector)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_INTR, .tsc = tsc, .target = target, .arg = vector
	};

	if (regs && user_mode(regs) &&
	    !this_cpu_read(softpt_kernel_cpu.in_kernel)) {
		ev.ip = regs->ip;
	} else {
		softpt_kernel_ensure_entry(tsc);
		ev.ip = kernel_ip(regs);
	}
	softpt_kernel_enter(&ev);
}

/* Back to the kernel; the way back to user mode is the notifier's */
static void interrupt_end(struct pt_regs *regs, u64 handler)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_FAR, .tsc = rdtsc(), .ip = handler };

	ev.target = kernel_ip(regs);
	softpt_kernel_ensure_entry(ev.tsc);
	softpt_kernel_send(&ev);
}

static void probe_irq(void *data, int irq, struct irqaction *action)
{
	unsigned long flags;

	if (lost_to_nmi())
		return;
	local_irq_save(flags);
	interrupt(get_irq_regs(), rdtsc(), (unsigned long)action->handler, 0);
	local_irq_restore(flags);
}

static void probe_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	unsigned long flags;

	if (lost_to_nmi())
		return;
	local_irq_save(flags);
	interrupt_end(get_irq_regs(), (unsigned long)action->handler);
	local_irq_restore(flags);
}

static void probe_timer(void *data, int vector)
{
	unsigned long flags;

	local_irq_save(flags);
	interrupt(get_irq_regs(), rdtsc(), softpt_kernel_idt_handler(vector), vector);
	local_irq_restore(flags);
}

static void probe_timer_exit(void *data, int vector)
{
	unsigned long flags;

	local_irq_save(flags);
	interrupt_end(get_irq_regs(), softpt_kernel_idt_handler(vector));
	local_irq_restore(flags);
}

/* EVD and CFE bind to the FUP of the interrupt that follows. */
static void probe_fault(void *data, unsigned long address, struct pt_regs *regs,
			unsigned long error_code)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_EVD, .arg = address, .arg2 = EVD_CR2 };
	unsigned long flags;

	if (lost_to_nmi())
		return;
	local_irq_save(flags);
	ev.tsc = rdtsc();
	if (!user_mode(regs))
		softpt_kernel_ensure_entry(ev.tsc);
	softpt_kernel_send(&ev);
	ev.kind = SOFTPT_EV_CFE;
	ev.arg = X86_TRAP_PF;
	ev.arg2 = CFE_INTR;
	softpt_kernel_send(&ev);
	interrupt(regs, ev.tsc, softpt_kernel_idt_handler(X86_TRAP_PF), X86_TRAP_PF);
	softpt_kernel_count(SOFTPT_CLASS_PAGE_FAULTS, softpt_page_fault(error_code),
			    user_mode(regs) ? 3 : 0);
	local_irq_restore(flags);
}

static void idle_begins(struct softpt_kernel_cpu *cpu, unsigned int state)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_PWRE, .tsc = rdtsc() };

	cpu->idle = min_t(unsigned int, state, POWER_STATE_MAX);
	ev.arg = cpu->idle;
	softpt_kernel_ensure_entry(ev.tsc);
	softpt_kernel_send_power(&ev);
	ev.kind = SOFTPT_EV_SLEEP;
	ev.arg = SLEEP_MAX;	/* the next event ends it */
	softpt_kernel_send_power(&ev);
}

static void idle_ends(const struct softpt_kernel_cpu *cpu)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_PWRX, .tsc = rdtsc(),
		.arg = cpu->idle, .target = cpu->idle, .arg2 = PWRX_INTERRUPT
	};

	softpt_kernel_send_power(&ev);
}

static void probe_idle(void *data, unsigned int state, unsigned int cpu_id)
{
	struct softpt_kernel_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&softpt_kernel_cpu);
	if (state == (u32)PWR_EVENT_EXIT)
		idle_ends(cpu);
	else
		idle_begins(cpu, state);
	local_irq_restore(flags);
}

/* cpufreq may say so on another CPU: the next event on @cpu brings the CBR. */
static void probe_frequency(void *data, unsigned int khz, unsigned int cpu)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_IDLE };
	unsigned long flags;

	local_irq_save(flags);
	xchg(&per_cpu_ptr(&softpt_kernel_cpu, cpu)->next_khz, khz);
	ev.tsc = rdtsc();
	softpt_kernel_send(&ev);
	local_irq_restore(flags);
}

static struct softpt_probe probes[] = {
	{ "sched_switch", probe_switch },
	{ "sys_enter", probe_syscall },
	{ "irq_handler_entry", probe_irq },
	{ "irq_handler_exit", probe_irq_exit },
	{ "local_timer_entry", probe_timer },
	{ "local_timer_exit", probe_timer_exit },
	{ "page_fault_user", probe_fault },
	{ "page_fault_kernel", probe_fault },
	{ "cpu_idle", probe_idle },
	{ "cpu_frequency", probe_frequency },
};

/* Return: whether this kernel has all of the tracepoints. */
bool softpt_kernel_probes_found(void)
{
	return softpt_probes_find(probes, ARRAY_SIZE(probes));
}

int softpt_kernel_probes_register(void)
{
	return softpt_probes_register(probes, ARRAY_SIZE(probes));
}

void softpt_kernel_probes_unregister(void)
{
	softpt_probes_unregister(probes, ARRAY_SIZE(probes));
}
