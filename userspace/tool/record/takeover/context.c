// SPDX-License-Identifier: BSD-2-Clause
#include "context.h"

#include <errno.h>
#include <sys/syscall.h>

/* As the kernel has them, and tells nobody but a tracer */
#define ERESTARTSYS		512
#define ERESTARTNOINTR		513
#define ERESTARTNOHAND		514
#define ERESTART_RESTARTBLOCK	516

#define SYSCALL_LEN	2
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

bool context_restarts(const struct user_regs_struct *r, bool signalled)
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
		return !signalled && r->orig_rax != SYS_close;
	}
	return false;
}

uint64_t context_call(const struct user_regs_struct *r, uint64_t nr)
{
	return -(int64_t)r->rax == ERESTART_RESTARTBLOCK ? SYS_restart_syscall : nr;
}

void context_restart(struct user_regs_struct *r, bool signalled)
{
	if (!context_restarts(r, signalled))
		return;
	r->rax = context_call(r, r->orig_rax);
	r->rip -= SYSCALL_LEN;
	r->orig_rax = -1;
}
