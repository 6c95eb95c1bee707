// SPDX-License-Identifier: GPL-2.0-only
/*
 * User or kernel mode. Kernel mode begins with a tracepoint, but does not always end with one (a
 * page fault, a task that was preempted in user mode). So while a trace runs, each CPU has a
 * user-return notifier: it runs with interrupts off as the last thing before user mode, of any
 * task, and knows where user mode goes on.
 *
 * The notifier is registered and unregistered by an interrupt of each CPU, or after the interrupt
 * where KVM is at work (user-return.c).
 */

#include <linux/cpuhotplug.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <asm/desc.h>
#include <asm/tsc.h>

#include "compat.h"
#include "kernel.h"

#define INSN_SYSCALL	2	/* bytes: SYSCALL, INT n, SYSENTER */

static u64 syscall_entry;	/* of 64-bit programs */

/**
 * softpt_kernel_idt_handler() - where an interrupt goes
 * @vector: of the interrupt
 *
 * Return: the address that the IDT has; 0 where there is no IDT (FRED).
 */
noinline u64 softpt_kernel_idt_handler(unsigned int vector)
{
	const gate_desc *gate;
	struct desc_ptr idt;

	store_idt(&idt);
	gate = (const gate_desc *)idt.address + vector;
	return (vector + 1) * sizeof(*gate) <= idt.size + 1u ? gate_offset(gate) : 0;
}

static bool started;	/* there is a trace */

/* Registers the notifier, or the opposite. That is in kernel mode. Context: interrupts off. */
static void settle(struct softpt_kernel_cpu *cpu)
{
	bool wanted = READ_ONCE(started) && !cpu->gone;
	bool watched = softpt_return_set(&cpu->notifier, wanted) && wanted;

	if (watched != cpu->watched)
		cpu->in_kernel = watched;
	cpu->watched = watched;
}

static noinline void send_mode(u64 tsc, unsigned int bits)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_MODE, .tsc = tsc, .arg = bits };

	softpt_kernel_send(&ev);
}

static void return_to_user(struct user_return_notifier *notifier)
{
	struct softpt_kernel_cpu *cpu = container_of(notifier, struct softpt_kernel_cpu,
						     notifier.notifier);
	struct pt_regs *regs = task_pt_regs(current);
	struct softpt_event *ev = &cpu->ev;

	if (unlikely(!cpu->watched))
		settle(cpu);	/* an interrupt could not */
	if (!cpu->in_kernel)
		return;		/* no event has entered the kernel */
	ev->kind = SOFTPT_EV_FAR;
	ev->tsc = rdtsc();
	ev->ip = 0;
	ev->target = regs->ip;
	ev->cpl = 3;
	cpu->compat = !user_64bit_mode(regs);
	if (unlikely(cpu->compat))
		send_mode(ev->tsc, 32);
	softpt_kernel_send(ev);
	cpu->in_kernel = false;
}

static inline void enter(struct softpt_kernel_cpu *cpu, const struct softpt_event *ev)
{
	if (unlikely(cpu->compat) && !cpu->in_kernel)
		send_mode(ev->tsc, 64);
	softpt_kernel_send(ev);
	cpu->in_kernel = cpu->watched;
}

/**
 * softpt_kernel_enter() - send an event that takes the CPU to CPL 0, or finds it there
 * @ev: the event
 *
 * Context: interrupts off, not NMI.
 */
void softpt_kernel_enter(const struct softpt_event *ev)
{
	enter(this_cpu_ptr(&softpt_kernel_cpu), ev);
}

/**
 * softpt_kernel_infer_entry() - the CPU is in kernel mode, and no event has entered it
 * @tsc: now
 *
 * The registers say how user mode was left: by a system call, whose number they hold, or by an
 * interrupt or a fault.
 *
 * Context: interrupts off, not NMI.
 */
void softpt_kernel_infer_entry(u64 tsc)
{
	struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);
	struct pt_regs *regs = task_pt_regs(current);
	struct softpt_event *ev = &cpu->ev;

	ev->tsc = tsc;
	ev->ip = regs->ip;
	ev->cpl = 0;
	if (regs->orig_ax == -1UL) {
		ev->kind = SOFTPT_EV_INTR;
		ev->target = 0;
	} else {
		ev->kind = SOFTPT_EV_FAR;
		ev->ip -= INSN_SYSCALL;
		ev->target = user_64bit_mode(regs) ? syscall_entry :
				softpt_kernel_idt_handler(IA32_SYSCALL_VECTOR);
	}
	enter(cpu, ev);
}

static void settle_here(void *left)
{
	struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);

	settle(cpu);
	if (left && cpu->notifier.registered)
		atomic_inc(left);
}

static void set_started(bool on)
{
	WRITE_ONCE(started, on);
	on_each_cpu(settle_here, NULL, true);
}

/* A trace has started. Probes are registered. Context: may sleep. */
void softpt_kernel_cpus_start(void)
{
	set_started(true);
}

/* The last trace has stopped. No probe is registered any more. Context: may sleep. */
void softpt_kernel_cpus_stop(void)
{
	set_started(false);
}

/* This CPU switches tasks. Context: interrupts off. */
void softpt_kernel_cpu_switch(void)
{
	struct softpt_kernel_cpu *cpu = this_cpu_ptr(&softpt_kernel_cpu);

	if (unlikely(cpu->watched != READ_ONCE(started)))
		settle(cpu);
}

static void set_gone(bool gone)
{
	struct softpt_kernel_cpu *cpu;

	local_irq_disable();
	cpu = this_cpu_ptr(&softpt_kernel_cpu);
	cpu->gone = gone;
	settle(cpu);
	local_irq_enable();
}

static enum cpuhp_state state;

/* Channels that were stopped when the CPU went begin again. */
static int online(unsigned int cpu)
{
	set_gone(false);
	softpt_kernel_begin_again();
	return 0;
}

/* The tasks of the CPU have left it, and so nothing returns to user mode there. */
static int going(unsigned int cpu)
{
	set_gone(true);
	return 0;
}

int softpt_kernel_cpus_init(void)
{
	unsigned int cpu;
	u64 entry;
	int ret;

	for_each_possible_cpu(cpu)
		per_cpu(softpt_kernel_cpu.notifier.notifier.on_user_return, cpu) = return_to_user;
	if (!rdmsrq_safe(MSR_LSTAR, &entry))
		syscall_entry = entry;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "softpt:kernel", online, going);
	if (ret < 0)
		return ret;
	state = ret;
	return 0;
}

void softpt_kernel_cpus_exit(void)
{
	softpt_return_drain(settle_here);
	cpuhp_remove_state_nocalls(state);
}
