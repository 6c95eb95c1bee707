// SPDX-License-Identifier: BSD-2-Clause
#include "context.h"

#include <errno.h>
#include <sys/syscall.h>

/* As the kernel has them, and tells nobody but a tracer */
#define ERESTARTSYS		512
#define ERESTARTNOINTR		513
#define ERESTARTNOHAND		514
#define ERESTART_RESTARTBLOCK	516

#define TF		0x100ull

void context_of(struct context *c, const struct user_regs_struct *r)
{
	*c = (struct context){
		.rax = r->rax, .rcx = r->rcx, .rdx = r->rdx, .rbx = r->rbx, .rbp = r->rbp,
		.rsi = r->rsi, .rdi = r->rdi, .r8 = r->r8, .r9 = r->r9, .r10 = r->r10,
		.r11 = r->r11, .r12 = r->r12, .r13 = r->r13, .r14 = r->r14, .r15 = r->r15,
		.flags = r->eflags & ~TF,
	};
}

void context_to(struct user_regs_struct *r, const struct context *c)
{
	r->rax = c->rax;
	r->rcx = c->rcx;
	r->rdx = c->rdx;
	r->rbx = c->rbx;
	r->rbp = c->rbp;
	r->rsi = c->rsi;
	r->rdi = c->rdi;
	r->r8 = c->r8;
	r->r9 = c->r9;
	r->r10 = c->r10;
	r->r11 = c->r11;
	r->r12 = c->r12;
	r->r13 = c->r13;
	r->r14 = c->r14;
	r->r15 = c->r15;
	r->eflags = c->flags;
}

bool context_restarts(const struct user_regs_struct *r)
{
	if ((int64_t)r->orig_rax < 0)
		return false;
	switch (-(int64_t)r->rax) {
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
	case ERESTART_RESTARTBLOCK:
		return true;
	case EINTR:
		return r->orig_rax != SYS_close;
	}
	return false;
}

uint64_t context_ends(const struct user_regs_struct *r)
{
	if (!context_restarts(r))
		return 0;
	switch (-(int64_t)r->rax) {
	case ERESTARTNOINTR:
		return 0;
	case ERESTARTSYS:
		return SOFTPT_XL_ENDS_UNLESS;
	}
	return SOFTPT_XL_ENDS;
}

void context_restart(struct user_regs_struct *r)
{
	if (!context_restarts(r))
		return;
	r->rax = -(int64_t)r->rax == ERESTART_RESTARTBLOCK ? SYS_restart_syscall : r->orig_rax;
	r->rip -= SOFTPT_XL_SYSCALL;
	r->orig_rax = -1;
}
