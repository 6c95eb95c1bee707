// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the unit is told of a thread under ptrace: the events that the module's step
 * source gives (kmod/source/step/flow.c), of what a debugger sees.
 *
 * What happens in the kernel is told late. After a system call the thread stops once
 * more on its way out, and only the next stop shows where it went: to the instruction
 * behind it, to the same system call again, or into a handler.
 */
#include <stddef.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "../../../kmod/x86/branch.h"
#include "base/tsc.h"
#include "sim/sim.h"
#include "source/operand.h"
#include "source/ptrace.h"

#define KERNEL		0	/* the address, as far as the unit is concerned */
#define TF		0x100
#define RF		0x10000
#define VM		0x20000

#define USER32_CS	0x23
#define USER_CS		0x33

/* What the kernel leaves in the accumulator where it will do a system call again */
#define ERESTARTSYS	512
#define ERESTARTNOINTR	513
#define ERESTARTNOHAND	514
#define ERESTART_BLOCK	516

/* The core clock of the model stays at P1's ratio: one cycle is one tick. */
static void tick(struct stepper *s)
{
	s->now = s->model ? s->cycles : tsc_now();
}

static void send(struct stepper *s, struct softpt_event *ev)
{
	const char *why;

	ev->tsc = s->now;
	if (!s->err)
		s->err = sim_event(s->sim, ev, &why);
}

static void send_mode(struct stepper *s, bool long_mode)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_MODE, .arg = long_mode ? 64 : 32 };

	s->long_mode = long_mode;
	send(s, &ev);
}

static void send_transfer(struct stepper *s, uint16_t kind, uint64_t ip, uint64_t target,
			  uint8_t cpl)
{
	struct softpt_event ev = { .kind = kind, .ip = ip, .target = target, .cpl = cpl };

	send(s, &ev);
}

static void send_ptwrite(struct stepper *s, struct softpt_insn insn, const uint8_t *code,
			 uint64_t ip, const struct user_regs_struct *regs)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_PTW, .ip = ip, .flags = SOFTPT_EVF_IP };
	struct softpt_operand op = softpt_operand_decode(code, insn, s->long_mode);
	uint64_t value, fault;

	if (stepper_operand(s, &op, regs, ip + insn.len, s->long_mode, &value, &fault))
		return;
	ev.arg = value;
	send(s, &ev);
}

/* ---- where the thread is ---- */

static bool is_long(const struct user_regs_struct *regs)
{
	return regs->cs == USER_CS;
}

/* The kernel will do the system call again, unless a handler comes in between. */
static bool restarts(const struct user_regs_struct *regs)
{
	long ret = is_long(regs) ? (long)regs->rax : (int)regs->rax;

	if ((long)regs->orig_rax == -1 || (int)regs->orig_rax == -1)
		return false;
	return ret == -ERESTARTSYS || ret == -ERESTARTNOINTR || ret == -ERESTARTNOHAND ||
	       ret == -ERESTART_BLOCK;
}

static uint64_t goes_on(const struct stepper *s, const struct user_regs_struct *regs)
{
	return regs->rip - (s->in_kernel && restarts(regs) ? 2 : 0);
}

/* Pages that can be executed and not read are read as a debugger does. */
static unsigned int read_code(const struct stepper *s, uint8_t *code, unsigned int size,
			      uint64_t ip)
{
	unsigned int page = sysconf(_SC_PAGESIZE);
	unsigned int here = page - (ip & (page - 1));
	ssize_t n = pread(s->mem, code, size, ip);

	if (n < 0 && here < size)
		n = pread(s->mem, code, here, ip);
	return n > 0 ? n : 0;
}

/* ---- in and out of the kernel ---- */

static void syscall_left(struct stepper *s)
{
	s->cycles++;
	if (s->model)
		tick(s);
	send_transfer(s, SOFTPT_EV_FAR, s->ip, KERNEL, 0);
	s->in_kernel = true;
}

static void interrupted(struct stepper *s)
{
	tick(s);
	send_transfer(s, SOFTPT_EV_INTR, s->ip, KERNEL, 0);
	s->in_kernel = true;
	s->iterating = false;
}

static void enable(struct stepper *s)
{
	struct softpt_event cpl = { .kind = SOFTPT_EV_CPL, .cpl = 3 };
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .ip = s->ip };

	send_mode(s, s->goes_long);
	send(s, &cpl);
	send(s, &ev);
	s->enabled = true;
}

static void pause_unit(struct stepper *s)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_DISABLE };

	if (!s->enabled)
		return;
	if (!s->in_kernel) {
		ev.ip = s->ip;
		ev.flags = SOFTPT_EVF_IP;
	}
	tick(s);
	send(s, &ev);
	s->enabled = false;
	s->iterating = false;
}

/* Now it is known that the thread went on at @s->ip: tell the unit, if it isn't told. */
static void resume(struct stepper *s)
{
	if (!s->enabled) {
		enable(s);
	} else if (s->in_kernel) {
		if (s->goes_long != s->long_mode)
			send_mode(s, s->goes_long);
		send_transfer(s, SOFTPT_EV_FAR, KERNEL, s->ip, 3);
	}
	s->in_kernel = false;
}

/* The next instruction to retire is where @regs say. */
static void arrive(struct stepper *s, const struct user_regs_struct *regs)
{
	if (s->in_kernel || !s->enabled)
		tick(s);
	s->ip = goes_on(s, regs);
	s->flat = is_long(regs) || regs->cs == USER32_CS;
	s->goes_long = is_long(regs);
	s->n = read_code(s, s->code, sizeof(s->code), s->ip);
}

/* ---- TF, which the program would see ---- */

static void hide_pushed(const struct stepper *s, const struct user_regs_struct *regs,
			unsigned int size)
{
	uint64_t mask = size == 2 ? 0xffff : 0xffffffff, image = 0;

	if (pread(s->mem, &image, size, regs->rsp) != (ssize_t)size)
		return;
	if (((image ^ regs->eflags) & mask & ~(uint64_t)(TF | RF | VM)) || !(image & TF))
		return;
	image &= ~(uint64_t)TF;
	/* If that fails the program sees TF: no reason to stop it. */
	if (pwrite(s->mem, &image, size, regs->rsp) < 0)
		return;
}

/* SYSCALL has copied the flags to R11. */
static void hide_r11(const struct stepper *s, const struct user_regs_struct *regs)
{
	if ((regs->r11 & TF) && !((regs->r11 ^ regs->eflags) & ~(uint64_t)(TF | RF)))
		ptrace(PTRACE_POKEUSER, s->pid, offsetof(struct user, regs.r11), regs->r11 & ~TF);
}

/* ---- an instruction has retired ---- */

/*
 * REP traps once per iteration. On some processors one trap more finds the count used
 * up: that one is no cycle of its own.
 */
static bool iterate(struct stepper *s, const struct user_regs_struct *regs)
{
	if (regs->rip == s->ip) {
		s->cycles++;
		s->cx = regs->rcx;
		return true;
	}
	s->iterating = false;
	if (!s->cx)
		s->cycles--;
	return false;
}

/* @insn is done, and execution went from @ip to @next. */
static void send_flow(struct stepper *s, struct softpt_insn insn, uint64_t ip, uint64_t next)
{
	struct softpt_event ev = softpt_branch_event(insn, ip, next);

	if (ev.kind)
		send(s, &ev);
	else if (softpt_insn_ran_on(insn, ip, next))
		s->iterating = next == ip;
	else
		send_transfer(s, SOFTPT_EV_INTR, ip, next, 3);
}

/* Not a way into the kernel: @insn at @ip, its bytes at @code, to where @regs say */
static void branch(struct stepper *s, struct softpt_insn insn, const uint8_t *code, uint64_t ip,
		   const struct user_regs_struct *regs)
{
	bool flat = is_long(regs) || regs->cs == USER32_CS;

	tick(s);
	if (insn.kind == SOFTPT_INSN_PTWRITE && regs->rip == ip + insn.len)
		send_ptwrite(s, insn, code, ip, regs);
	if (flat && is_long(regs) != s->long_mode)
		send_mode(s, is_long(regs));
	send_flow(s, insn, ip, regs->rip);
	if (insn.kind == SOFTPT_INSN_PUSHF && !s->owns_tf)
		hide_pushed(s, regs, insn.size);
	s->cx = regs->rcx;
}

/*
 * MOV SS holds back its trap until the instruction behind it has retired, too, as CPUID
 * does on some virtual machines.
 */
static long retire(struct stepper *s, const struct user_regs_struct *regs)
{
	unsigned int at = 0, retired = 0;
	struct softpt_insn insn;
	uint64_t ip;

	do {
		ip = s->ip + at;
		insn = softpt_insn_classify(s->code + at, s->n - at, s->long_mode);
		if (insn.kind == SOFTPT_INSN_SHORT) {
			pause_unit(s);
			return -1;
		}
		at += insn.len;
		retired++;
	} while (softpt_insn_holds_trap(insn) && regs->rip != ip + insn.len);

	if (insn.kind != SOFTPT_INSN_SYSCALL && insn.kind != SOFTPT_INSN_TRAP) {
		s->cycles += retired;
		branch(s, insn, s->code + at - insn.len, ip, regs);
		return -1;
	}
	s->cycles += retired - 1;
	s->ip = ip;
	syscall_left(s);
	if (insn.kind == SOFTPT_INSN_TRAP)
		return -1;
	hide_r11(s, regs);
	return (int)regs->orig_rax;
}

long stepper_trap(struct stepper *s, const struct user_regs_struct *regs)
{
	long nr = -1;

	if (!s->flat || !s->n) {
		pause_unit(s);
	} else {
		resume(s);
		if (s->iterating && iterate(s, regs))
			return -1;
		nr = retire(s, regs);
	}
	arrive(s, regs);
	return nr;
}

void stepper_signal(struct stepper *s, const struct user_regs_struct *regs)
{
	if (goes_on(s, regs) != s->ip)
		stepper_trap(s, regs);
}

enum stepper_undefined stepper_undefined(struct stepper *s, struct user_regs_struct *regs,
					 uint64_t *fault)
{
	bool long_mode = is_long(regs);
	uint8_t code[SOFTPT_INSN_MAX];
	struct softpt_operand op;
	struct softpt_insn insn;
	uint64_t next, value;
	unsigned int n;

	n = read_code(s, code, sizeof(code), regs->rip);
	insn = softpt_insn_classify(code, n, long_mode);
	if (insn.kind != SOFTPT_INSN_PTWRITE || !s->flat)
		return STEPPER_ILLEGAL;
	op = softpt_operand_decode(code, insn, long_mode);
	next = regs->rip + insn.len;
	switch (stepper_operand(s, &op, regs, next, long_mode, &value, fault)) {
	case STEPPER_UNKNOWN:
		return STEPPER_ILLEGAL;
	case STEPPER_FAULT:
		return STEPPER_FAULTED;
	case STEPPER_READ:
		break;
	}
	regs->rip = next;
	stepper_trap(s, regs);
	return STEPPER_DONE;
}

void stepper_handler(struct stepper *s, const struct user_regs_struct *regs)
{
	if (s->enabled && !s->in_kernel)
		interrupted(s);
	arrive(s, regs);
}

static bool at_syscall(const struct stepper *s)
{
	return s->flat && softpt_insn_classify(s->code, s->n, s->goes_long).kind ==
		SOFTPT_INSN_SYSCALL;
}

void stepper_exec(struct stepper *s, const struct user_regs_struct *regs)
{
	if (s->enabled) {
		resume(s);
		syscall_left(s);
	}
	s->iterating = false;
	s->owns_tf = false;
	arrive(s, regs);
}

void stepper_end(struct stepper *s, bool called)
{
	if (s->enabled && called && at_syscall(s)) {
		resume(s);
		syscall_left(s);
	}
	pause_unit(s);
}
