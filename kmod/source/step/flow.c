// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the unit is told of a stepped task: its branches, its ways into the kernel and
 * back, and where it is switched in and out.
 *
 * The kernel is one opaque address of CPL 0. With SOFTPT_F_OS clear, which the source
 * asks for, a way into it is TIP.PGD and the way back TIP.PGE.
 */

#include <linux/sched.h>
#include <linux/syscalls.h>
#include <asm/segment.h>
#include <asm/syscall.h>
#include <asm/tsc.h>

#include "step.h"
#include "x86/branch.h"
#include "x86/operand.h"

#define KERNEL	0	/* the address, as far as the unit is concerned */

/* The core clock of the model stays at P1's ratio: one cycle is one tick. */
static void tick(struct softpt_step *step)
{
	step->now = step->set->model ? step->cycles : rdtsc_ordered();
}

static void send(struct softpt_step *step, struct softpt_event *ev)
{
	struct softpt_gate *gate = softpt_step_gate(step);
	struct softpt_channel *ch;

	if (!gate)
		return;
	ev->tsc = step->now;
	ch = softpt_gate_channel(gate);
	if (likely(ch && ch->running))
		softpt_channel_event(ch, ev);
	else
		step->lost++;
}

static void send_mode(struct softpt_step *step, bool long_mode)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_MODE, .arg = long_mode ? 64 : 32 };

	step->long_mode = long_mode;
	send(step, &ev);
}

static void send_transfer(struct softpt_step *step, u16 kind, u64 ip, u64 target, u8 cpl)
{
	struct softpt_event ev = {
		.kind = kind, .ip = ip, .target = target, .cpl = cpl,
	};

	send(step, &ev);
}

/* PTWRITE changes nothing, so its operand is still what it was. */
static void send_ptwrite(struct softpt_step *step, struct pt_regs *regs, const u8 *code,
			 struct softpt_insn insn, u64 ip)
{
	struct softpt_operand op = softpt_operand_decode(code, insn, step->long_mode);
	struct softpt_event ev = { .kind = SOFTPT_EV_PTW, .ip = ip, .flags = SOFTPT_EVF_IP };

	if (softpt_step_operand_read(&op, regs, ip + insn.len, &ev.arg))
		send(step, &ev);
	else
		step->lost++;
}

/* With BTF set only branches trap, and what is between them is not known. */
static bool is_followed(struct softpt_step *step, const struct pt_regs *regs)
{
	return softpt_step_is_flat(regs) && !softpt_step_in_slots(step, regs) &&
	       !test_thread_flag(TIF_BLOCKSTEP);
}

/* @insn is done, and execution went from @ip to @next. */
static void send_flow(struct softpt_step *step, struct softpt_insn insn, u64 ip, u64 next)
{
	struct softpt_event ev = softpt_branch_event(insn, ip, next);

	if (ev.kind)
		send(step, &ev);
	else if (softpt_insn_ran_on(insn, ip, next))
		step->iterating = next == ip;
	else
		send_transfer(step, SOFTPT_EV_INTR, ip, next, 3);
}

/* What is executed from here on is not followed. */
static void leave(struct softpt_step *step, struct pt_regs *regs)
{
	softpt_step_pause(step, regs);
	step->retire.ch = NULL;
}

/**
 * softpt_step_retire() - the instruction at @step->ip has retired
 * @step: the task
 * @regs: after it
 * @code: the bytes at @step->ip
 * @n: how many
 *
 * MOV SS holds back its trap until the instruction behind it has retired too.
 *
 * Return: false, and nothing is done, when @code does not hold all of it.
 */
bool softpt_step_retire(struct softpt_step *step, struct pt_regs *regs, const u8 *code,
			unsigned int n)
{
	unsigned int at = 0, retired = 0;
	u64 next = regs->ip, ip;
	struct softpt_insn insn;

	do {
		ip = step->ip + at;
		insn = softpt_insn_classify(code + at, n - at, step->long_mode);
		if (insn.kind == SOFTPT_INSN_SHORT)
			return false;
		at += insn.len;
		retired++;
	} while (insn.kind == SOFTPT_INSN_MOVSS && next != ip + insn.len);

	step->cycles += retired;
	tick(step);
	if (unlikely(insn.kind == SOFTPT_INSN_PTWRITE && next == ip + insn.len))
		send_ptwrite(step, regs, code + at - insn.len, insn, ip);
	if (softpt_step_is_flat(regs) && user_64bit_mode(regs) != step->long_mode)
		send_mode(step, user_64bit_mode(regs));
	send_flow(step, insn, ip, next);
	softpt_step_count_retired(step, insn, retired,
				  insn.kind != SOFTPT_INSN_JCC || next != ip + insn.len);
	step->ip = next;
	step->cx = regs->cx;
	softpt_step_after_flags(step, insn, regs);
	if (unlikely(!is_followed(step, regs))) {
		leave(step, regs);
		softpt_step_place(step, regs);
	}
	return true;
}

/* The unit's hardware thread, for what it counts by itself */
static void send_thread(struct softpt_step *step, const struct softpt_channel *ch)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_THREAD, .thread = step->thread };

	if (ch && softpt_channel_thread(ch) != step->thread)
		send(step, &ev);
}

/* TraceEn rises on this CPU. */
static void send_enable(struct softpt_step *step, u64 ip, u8 level)
{
	struct softpt_event cpl = { .kind = SOFTPT_EV_CPL, .cpl = level };
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .ip = ip };
	struct softpt_gate *gate = softpt_step_gate(step);

	/* It may have gone since the caller looked. */
	if (gate) {
		softpt_step_charge(step, softpt_gate_channel(gate));
		send_thread(step, softpt_gate_channel(gate));
	}
	send(step, &cpl);
	send(step, &ev);
}

static void enable(struct softpt_step *step, struct pt_regs *regs)
{
	send_mode(step, user_64bit_mode(regs));
	send_enable(step, regs->ip, 3);
	step->enabled = true;
	step->in_kernel = false;
}

/* rt_sigreturn, by its number of each ABI */
static bool is_sigreturn(const struct softpt_step *step)
{
	if (!step->long_mode || step->apart)
		return step->ax == 119 || step->ax == 173;
	return step->ax == __NR_rt_sigreturn || step->ax == (0x40000000 | 513);
}

/*
 * Execution is somewhere else, and no instruction of the program has trapped: did the
 * one at @step->ip enter the kernel itself?
 */
static u8 entered_by(struct softpt_step *step, const struct pt_regs *regs)
{
	u8 code[SOFTPT_INSN_MAX];
	unsigned int n;

	if (regs->orig_ax != -1)
		return SOFTPT_INSN_SYSCALL;
	if (!softpt_step_fetch(step->ip, code, &n))
		return SOFTPT_INSN_OTHER;
	return softpt_insn_classify(code, n, step->long_mode).kind;
}

/* Whether a trigger of the trace waits for such an event */
bool softpt_step_wanted(const struct softpt_step *step, u32 source)
{
	const struct softpt_gate *gate = softpt_step_gate(step);

	return gate && gate->trigger_sources & BIT(source);
}

/* The system call that has begun; sigreturn leaves nothing but the accumulator before it. */
static void send_number(struct softpt_step *step)
{
	long nr = task_pt_regs(current)->orig_ax;
	struct softpt_event ev = {
		.kind = SOFTPT_EV_SYSCALL, .arg = nr == -1 ? step->ax : nr,
		.ip = step->ip, .flags = SOFTPT_EVF_IP,
	};

	send(step, &ev);
}

/**
 * softpt_step_syscall() - the instruction at @step->ip has entered the kernel
 * @step: the task
 * @call: it is a system call, not a trap
 *
 * That was right after the trap before it, as near as can be told.
 */
void softpt_step_syscall(struct softpt_step *step, bool call)
{
	step->cycles++;
	if (step->set->model)
		tick(step);
	softpt_step_record(step, step->ip, 1);
	softpt_step_count(step, SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_SUB_INSTRUCTIONS_RETIRED, 3);
	if (call)
		softpt_step_count(step, SOFTPT_CLASS_SYSTEM_CALLS, SOFTPT_SUB_SYSTEM_CALLS_ENTER,
				  3);
	send_transfer(step, SOFTPT_EV_FAR, step->ip, KERNEL, 0);
	step->in_kernel = true;
	if (call && unlikely(softpt_step_wanted(step, SOFTPT_ON_SYSCALL)))
		send_number(step);
}

/**
 * softpt_step_interrupt() - the kernel was entered in the place of the instruction at @step->ip
 * @step: the task
 */
void softpt_step_interrupt(struct softpt_step *step)
{
	tick(step);
	step->retire.ch = NULL;
	send_transfer(step, SOFTPT_EV_INTR, step->ip, KERNEL, 0);
	step->in_kernel = true;
}

/* A SYSCALL at @step->ip has got there: its number was -1, or a debugger made it that. */
static bool is_behind(const struct softpt_step *step, struct pt_regs *regs)
{
	return user_64bit_mode(regs) && regs->cx == regs->ip &&
	       regs->ip - step->ip <= SOFTPT_INSN_MAX;
}

/*
 * In user mode at an address that no trap has told: a system call, a signal. An INT3 that
 * a debugger put there is in no file, and a decoder doesn't know of it.
 */
static bool moved(struct softpt_step *step, struct pt_regs *regs)
{
	u8 kind = entered_by(step, regs);
	bool sigreturn = kind == SOFTPT_INSN_SYSCALL && regs->orig_ax == -1 &&
			 is_sigreturn(step);
	bool call = sigreturn || regs->orig_ax != -1 ||
		    (kind == SOFTPT_INSN_SYSCALL && is_behind(step, regs));

	step->iterating = false;
	if (!step->enabled)
		step->retire.ch = NULL;
	if (!step->enabled || step->in_kernel)
		return sigreturn;	/* it has been told */
	/* data_race(): its tracer may come or go */
	if (call || (kind == SOFTPT_INSN_TRAP && !data_race(current->ptrace)))
		softpt_step_syscall(step, call);
	else
		softpt_step_interrupt(step);
	return sigreturn;
}

/* It was switched out, and is in the kernel still: TraceEn rises for what is told of it alone. */
static void send_alone(struct softpt_step *step, struct softpt_event *ev)
{
	struct softpt_event off = { .kind = SOFTPT_EV_DISABLE };

	send_enable(step, KERNEL, 0);
	send(step, ev);
	send(step, &off);
}

/**
 * softpt_step_tell() - the kernel does something with the task that a trigger waits for
 * @step: the task
 * @regs: of its user mode, which it has left
 * @ev: what; the time is now
 *
 * Its way into the kernel comes first, as the last that the program did.
 */
void softpt_step_tell(struct softpt_step *step, struct pt_regs *regs, struct softpt_event *ev)
{
	if (regs->ip != step->ip || regs->orig_ax != -1)
		moved(step, regs);
	else if (step->enabled && !step->in_kernel)
		softpt_step_interrupt(step);
	tick(step);
	if (step->enabled)
		send(step, ev);
	else
		send_alone(step, ev);
}

/* A page fault, which may be none for the program: it goes on where it was. */
void softpt_step_tell_data(struct softpt_step *step, u64 address, u64 ip)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_DATA, .arg = address, .ip = ip, .flags = SOFTPT_EVF_IP,
	};

	tick(step);
	send(step, &ev);
}

static void return_to(struct softpt_step *step, struct pt_regs *regs)
{
	tick(step);
	if (!is_followed(step, regs)) {
		leave(step, regs);
	} else if (!step->enabled) {
		enable(step, regs);
	} else {
		if (user_64bit_mode(regs) != step->long_mode)
			send_mode(step, user_64bit_mode(regs));
		send_transfer(step, SOFTPT_EV_FAR, KERNEL, regs->ip, 3);
		step->in_kernel = false;
	}
}

/**
 * softpt_step_resume() - the task is about to return to user mode
 * @step: the task
 * @regs: where to
 */
void softpt_step_resume(struct softpt_step *step, struct pt_regs *regs)
{
	bool sigreturn = softpt_step_linear(regs) != step->ip && moved(step, regs);

	if (unlikely(!step->enabled || step->in_kernel))
		return_to(step, regs);
	softpt_step_place(step, regs);
	step->ax = regs->ax;
	step->dr6 = current->thread.virtual_dr6;
	softpt_step_hide_copied(regs);
	softpt_step_eretu(step, regs, softpt_step_arm_tf(regs, sigreturn));
	if (unlikely(step->halt))
		softpt_step_halt(step);
}

/**
 * softpt_step_pause() - the task leaves this CPU, or what can be followed
 * @step: the task
 * @regs: of its user mode
 */
void softpt_step_pause(struct softpt_step *step, struct pt_regs *regs)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_DISABLE };

	step->deferred = false;
	if (!step->enabled)
		return;
	if (!step->in_kernel && (regs->ip != step->ip || regs->orig_ax != -1))
		moved(step, regs);
	if (!step->in_kernel) {
		ev.ip = step->ip;
		ev.flags = SOFTPT_EVF_IP;
	}
	tick(step);
	send(step, &ev);
	step->enabled = false;
}

/**
 * softpt_step_charge() - events on CPUs without a unit are losses of some unit
 * @step: the task
 * @ch: of the trace; NULL: it has none
 *
 * Context: interrupts off.
 */
void softpt_step_charge(struct softpt_step *step, struct softpt_channel *ch)
{
	if (likely(!step->lost) || !ch)
		return;
	softpt_channel_add_lost(ch, step->lost);
	step->lost = 0;
}
