// SPDX-License-Identifier: BSD-2-Clause
#include "context.h"
#include "remote.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define PIECE	(64u << 10)

/* SYSCALL, in the code at [@from, @to); 0: there is none */
static uint64_t find_in(const struct traced *p, uint64_t from, uint64_t to)
{
	static const uint8_t want[] = { 0x0f, 0x05 };
	uint8_t code[PIECE];
	const uint8_t *at;
	size_t len;

	for (; from < to; from += len) {
		len = to - from < PIECE ? to - from : PIECE;
		if (traced_read(p, from, code, len))
			return 0;
		at = memmem(code, len, want, sizeof(want));
		if (at)
			return from + (at - code);
	}
	return 0;
}

/* The vdso is the first that is looked at: nothing unmaps it. */
static uint64_t find_syscall(const struct traced *p)
{
	uint64_t from, to, at = 0, found = 0;
	char line[512], prot[8];
	FILE *f;

	f = traced_open(p, "maps");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, prot) != 3 ||
		    prot[2] != 'x' || from >> 47)
			continue;
		if (!strstr(line, "[vdso]") && found)
			continue;
		at = find_in(p, from, to);
		if (at)
			found = at;
	}
	if (f)
		fclose(f);
	return found;
}

int remote_begin(struct remote *r, struct traced *p, struct traced_thread *t)
{
	*r = (struct remote){ .p = p, .t = t };
	r->syscall = find_syscall(p);
	if (!r->syscall)
		return -ENOEXEC;
	r->mask = traced_mask(t);
	traced_set_mask(t, CONTEXT_BLOCKED);
	return traced_get(t, &r->regs);
}

void remote_end(struct remote *r)
{
	traced_set(r->t, &r->regs);
	traced_set_mask(r->t, r->mask);
}

static void load_args(struct user_regs_struct *regs, const uint64_t args[6])
{
	regs->rdi = args[0];
	regs->rsi = args[1];
	regs->rdx = args[2];
	regs->r10 = args[3];
	regs->r8 = args[4];
	regs->r9 = args[5];
	regs->orig_rax = -1;
	regs->eflags &= ~CONTEXT_ODD;
}

/* A fault of the runtime's, or of what it was given: it would be executed again and again. */
static bool is_fault(const struct traced_thread *t)
{
	const int signo = WSTOPSIG(t->status);
	siginfo_t info = { 0 };

	ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info);
	return info.si_code > 0 && (signo == SIGSEGV || signo == SIGBUS || signo == SIGILL ||
				    signo == SIGFPE);
}

/* Not one that somebody has sent: of a step over a system call the kernel says SI_USER, and who. */
static bool is_trap(const struct traced_thread *t)
{
	siginfo_t info = { 0 };

	ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info);
	return WSTOPSIG(t->status) == SIGTRAP &&
	       (info.si_code > 0 || (info.si_code == SI_USER && !info.si_pid));
}

/* Until it traps, or faults. What else comes is sent again at the end. */
static int run(struct remote *r, int request)
{
	int status;

	for (;;) {
		if (ptrace(request, r->t->tid, 0, 0))
			return -errno;
		r->t->stopped = false;
		if (traced_waitpid(r->p, r->t, &status, 0) < 0)
			return -errno;
		r->t->stopped = WIFSTOPPED(status);
		r->t->gone = !r->t->stopped;
		if (r->t->gone)
			return -ESRCH;
		r->t->status = status;
		if (status >> 16)
			continue;
		if (is_trap(r->t) || is_fault(r->t))
			return 0;
		r->t->kept = WSTOPSIG(status);
	}
}

long remote_syscall(struct remote *r, long nr, const uint64_t args[6])
{
	struct user_regs_struct regs = r->regs;
	int err;

	load_args(&regs, args);
	regs.rax = nr;
	regs.rip = r->syscall;
	err = traced_set(r->t, &regs);
	if (!err)
		err = run(r, PTRACE_SINGLESTEP);
	if (!err)
		err = traced_get(r->t, &regs);
	if (traced_set(r->t, &r->regs) || err)
		return err ? err : -ESRCH;
	return (long)regs.rax;
}

int remote_call(struct remote *r, uint64_t at, const uint64_t args[6], uint64_t *ret)
{
	struct user_regs_struct regs = r->regs;
	const uint64_t back = r->done - 1;
	int err = traced_write(r->p, r->stack - 8, &back, sizeof(back));

	load_args(&regs, args);
	regs.rcx = args[3];
	regs.rsp = r->stack - 8;
	regs.rip = at;
	if (!err)
		err = traced_set(r->t, &regs);
	if (!err)
		err = run(r, PTRACE_CONT);
	if (!err)
		err = traced_get(r->t, &regs);
	if (!err && regs.rip == r->failed) {
		err = -EPROTO;
		traced_read(r->p, regs.rax, r->why, sizeof(r->why) - 1);
	} else if (!err && regs.rip != r->done) {
		err = -EPROTO;
		snprintf(r->why, sizeof(r->why), "signal %d at 0x%llx", WSTOPSIG(r->t->status),
			 regs.rip);
	}
	*ret = regs.rax;
	traced_set(r->t, &r->regs);
	return err;
}
