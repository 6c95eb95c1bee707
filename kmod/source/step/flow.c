// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stepped task's ways into the kernel and back, and onto a CPU and off it.
 *
 * The kernel is one opaque address of CPL 0. SOFTPT_F_OS is clear (step_start()), so a way into the
 * kernel is TIP.PGD and the way back TIP.PGE.
 */

#include <linux/sched.h>
#include <linux/syscalls.h>
#include <asm/segment.h>
#include <asm/syscall.h>
#include <asm/tsc.h>

#include "compat.h"
#include "step.h"
#include "x86/insn.h"

#define KERNEL	0	/* the address that stands for all of the kernel */

#define RET_POPS	64	/* bytes that RET may pop, with those that its operand releases */

#ifdef CONFIG_UPROBES
/* The first slot: RET has just popped its address from where the function's return address was. */
static bool is_trampoline(const struct return_instance *ri, const struct pt_regs *regs)
{
	return ri && !offset_in_page(regs->ip) && regs->sp - ri->stack - 1 < RET_POPS;
}
#endif

/*
 * Whether the next instruction of the current task is uprobes': a copy in a page of slots, executed
 * with TF, or the first of the slots, to which a function returns that has a uretprobe. The page is
 * met by way of one of the two, and stays where it is until the task execs.
 */
static bool in_slots(struct softpt_step *step, const struct pt_regs *regs)
{
#ifdef CONFIG_UPROBES
	const struct uprobe_task *utask = current->utask;
	unsigned long page = regs->ip & PAGE_MASK;

	if (likely(!utask))
		return false;
	if (utask->active_uprobe || is_trampoline(utask->return_instances, regs))
		step->trap.slots = page;
	return page == step->trap.slots;
#else
	return false;
#endif
}

/**
 * softpt_step_is_followed() - whether the next instruction is reported once it has retired
 * @step: the task
 * @regs: of its user mode
 *
 * With BTF set only branches trap, and what is between them is not known.
 *
 * Context: interrupts off.
 */
bool softpt_step_is_followed(struct softpt_step *step, const struct pt_regs *regs)
{
	return softpt_step_is_flat(regs) && !in_slots(step, regs) &&
	       !test_thread_flag(TIF_BLOCKSTEP);
}

/* What is executed from here on is not followed. Context: interrupts off. */
void softpt_step_leave(struct softpt_step *step, struct pt_regs *regs)
{
	softpt_step_pause(step, regs);
	step->retire.ch = NULL;
}

/* The channel's hardware thread, for what the engine counts by itself */
static void send_thread(struct softpt_step *step, const struct softpt_channel *ch)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_THREAD, .thread = step->thread };

	if (ch && softpt_channel_thread(ch) != step->thread)
		softpt_step_send(step, &ev);
}

/* TraceEn rises on this CPU. */
static void send_enable(struct softpt_step *step, u64 ip, u8 to_cpl)
{
	struct softpt_event cpl = { .kind = SOFTPT_EV_CPL, .cpl = to_cpl };
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .ip = ip };
	struct softpt_gate *gate = softpt_step_gate(step);

	/* The trace may have stopped since the caller looked. */
	if (gate) {
		softpt_step_charge(step, softpt_gate_channel(gate));
		send_thread(step, softpt_gate_channel(gate));
	}
	softpt_step_send(step, &cpl);
	softpt_step_send(step, &ev);
}

static void enable(struct softpt_step *step, struct pt_regs *regs)
{
	softpt_step_send_mode(step, user_64bit_mode(regs));
	send_enable(step, regs->ip, 3);
	step->flow.enabled = true;
	step->flow.in_kernel = false;
}

/* rt_sigreturn, by its number of each ABI */
static bool is_sigreturn(const struct softpt_step *step)
{
	if (!step->at.long_mode || step->at.apart)
		return step->at.ax == 119 || step->at.ax == 173;
	return step->at.ax == __NR_rt_sigreturn || step->at.ax == (0x40000000 | 513);
}

/*
 * Execution went on elsewhere without a trap. The kind of the instruction at @step->at.ip: did that
 * enter the kernel itself?
 */
static u8 entered_by(struct softpt_step *step, const struct pt_regs *regs)
{
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n;

	if (regs->orig_ax != -1)
		return SOFTPT_INSN_SYSCALL;
	if (!softpt_step_fetch(step->at.ip, code, &n))
		return SOFTPT_INSN_OTHER;
	return softpt_insn_classify(code, n, step->at.long_mode).kind;
}

/* The system call that has begun. After sigreturn, only the accumulator has its number still. */
static void send_number(struct softpt_step *step)
{
	long nr = task_pt_regs(current)->orig_ax;
	struct softpt_event ev = {
		.kind = SOFTPT_EV_SYSCALL, .arg = nr == -1 ? step->at.ax : nr,
		.ip = step->at.ip, .flags = SOFTPT_EVF_IP,
	};

	softpt_step_send(step, &ev);
}

/**
 * softpt_step_syscall() - the instruction at @step->at.ip has entered the kernel
 * @step: the task
 * @call: it is a system call, not a trap
 *
 * The time is that of the trap before it: when it entered is not known better.
 *
 * Context: interrupts off.
 */
void softpt_step_syscall(struct softpt_step *step, bool call)
{
	step->clock.cycles++;
	if (step->set->model)
		softpt_step_tick(step);
	softpt_step_fifo_retire(step, step->at.ip, 1);
	softpt_step_count(step, SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_SUB_INSTRUCTIONS_RETIRED, 3);
	if (call)
		softpt_step_count(step, SOFTPT_CLASS_SYSTEM_CALLS, SOFTPT_SUB_SYSTEM_CALLS_ENTER,
				  3);
	softpt_step_send_transfer(step, SOFTPT_EV_FAR, step->at.ip, KERNEL, 0);
	step->flow.in_kernel = true;
	if (call && unlikely(softpt_step_wanted(step, SOFTPT_ON_SYSCALL)))
		send_number(step);
}

/**
 * softpt_step_interrupt() - the kernel was entered in the place of the instruction at @step->at.ip
 * @step: the task
 *
 * Context: interrupts off.
 */
void softpt_step_interrupt(struct softpt_step *step)
{
	softpt_step_tick(step);
	softpt_step_interrupt_now(step);
}

/* The same, at the time of the event before. Context: interrupts off. */
void softpt_step_interrupt_now(struct softpt_step *step)
{
	step->retire.ch = NULL;
	softpt_step_send_transfer(step, SOFTPT_EV_INTR, step->at.ip, KERNEL, 0);
	step->flow.in_kernel = true;
}

/*
 * Whether a SYSCALL at @step->at.ip has entered, though no number says so: it was -1, or a debugger
 * made it that. SYSCALL leaves its return address in RCX; with FRED the frame says it.
 */
static bool has_called(const struct softpt_step *step, struct pt_regs *regs)
{
	if (softpt_has_fred())
		return softpt_is_software_event(regs);
	return user_64bit_mode(regs) && regs->cx == regs->ip &&
	       regs->ip - step->at.ip <= SOFTPT_INSN_MAX;
}

/*
 * User mode goes on at an address that no trap led to: after a system call, or in a signal's
 * handler. An INT3 that a debugger has put there is in no file, and a decoder does not know of it.
 *
 * Return: whether it was sigreturn.
 */
static bool infer_entry(struct softpt_step *step, struct pt_regs *regs)
{
	u8 kind = entered_by(step, regs);
	bool sigreturn = kind == SOFTPT_INSN_SYSCALL && regs->orig_ax == -1 &&
			 is_sigreturn(step);
	bool call = sigreturn || regs->orig_ax != -1 ||
		    (kind == SOFTPT_INSN_SYSCALL && has_called(step, regs));

	step->trap.iterating = false;
	if (!step->flow.enabled)
		step->retire.ch = NULL;
	if (!step->flow.enabled || step->flow.in_kernel)
		return sigreturn;	/* it is reported already */
	/* data_race(): a tracer may attach or detach */
	if (call || (kind == SOFTPT_INSN_TRAP && !data_race(current->ptrace)))
		softpt_step_syscall(step, call);
	else
		softpt_step_interrupt(step);
	return sigreturn;
}

/* The task was switched out, and is still in the kernel: TraceEn rises for this event alone. */
static void send_alone(struct softpt_step *step, struct softpt_event *ev)
{
	struct softpt_event off = { .kind = SOFTPT_EV_DISABLE };

	send_enable(step, KERNEL, 0);
	softpt_step_send(step, ev);
	softpt_step_send(step, &off);
}

/**
 * softpt_step_report() - the kernel does something with the task that a trigger waits for
 * @step: the task
 * @regs: of its user mode, which it has left
 * @ev: the event; its time is now
 *
 * The way into the kernel is sent first, as the last that the program did.
 *
 * Context: interrupts off.
 */
void softpt_step_report(struct softpt_step *step, struct pt_regs *regs, struct softpt_event *ev)
{
	if (regs->ip != step->at.ip || regs->orig_ax != -1)
		infer_entry(step, regs);
	else if (step->flow.enabled && !step->flow.in_kernel)
		softpt_step_interrupt(step);
	softpt_step_tick(step);
	if (step->flow.enabled)
		softpt_step_send(step, ev);
	else
		send_alone(step, ev);
}

/* A page fault. The program may go on where it was, and so no way into the kernel is sent. */
void softpt_step_report_data(struct softpt_step *step, u64 address, u64 ip)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_DATA, .arg = address, .ip = ip, .flags = SOFTPT_EVF_IP,
	};

	softpt_step_tick(step);
	softpt_step_send(step, &ev);
}

static void return_to(struct softpt_step *step, struct pt_regs *regs)
{
	softpt_step_tick(step);
	if (!softpt_step_is_followed(step, regs)) {
		softpt_step_leave(step, regs);
	} else if (!step->flow.enabled) {
		enable(step, regs);
	} else {
		if (user_64bit_mode(regs) != step->at.long_mode)
			softpt_step_send_mode(step, user_64bit_mode(regs));
		softpt_step_send_transfer(step, SOFTPT_EV_FAR, KERNEL, regs->ip, 3);
		step->flow.in_kernel = false;
	}
}

/**
 * softpt_step_resume() - the task is about to return to user mode
 * @step: the task
 * @regs: of the user mode to which it returns
 *
 * Context: interrupts off.
 */
void softpt_step_resume(struct softpt_step *step, struct pt_regs *regs)
{
	bool sigreturn = softpt_step_linear(regs) != step->at.ip && infer_entry(step, regs);

	if (unlikely(!step->flow.enabled || step->flow.in_kernel))
		return_to(step, regs);
	softpt_step_place(step, regs);
	step->at.ax = regs->ax;
	step->trap.dr6 = current->thread.virtual_dr6;
	softpt_step_hide_copied(regs);
	softpt_step_eretu(step, regs, softpt_step_arm_tf(regs, sigreturn));
	if (unlikely(step->trap.halt))
		softpt_step_halt(step);
}

/**
 * softpt_step_pause() - TraceEn falls: the task leaves this CPU, or what can be followed
 * @step: the task
 * @regs: of its user mode
 *
 * Context: interrupts off; may be under the run queue's lock.
 */
void softpt_step_pause(struct softpt_step *step, struct pt_regs *regs)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_DISABLE };

	step->trap.deferred = false;
	if (!step->flow.enabled)
		return;
	if (!step->flow.in_kernel && (regs->ip != step->at.ip || regs->orig_ax != -1))
		infer_entry(step, regs);
	if (!step->flow.in_kernel) {
		ev.ip = step->at.ip;
		ev.flags = SOFTPT_EVF_IP;
	}
	softpt_step_tick(step);
	softpt_step_send(step, &ev);
	step->flow.enabled = false;
}
