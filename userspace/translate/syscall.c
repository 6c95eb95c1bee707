// SPDX-License-Identifier: BSD-2-Clause
/* The program's system calls: what is not the kernel's alone */
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/rseq.h>
#include <linux/signal.h>
#include <linux/sched.h>

#include "code/ask.h"
#include "code/describe.h"
#include "code/record.h"
#include "code/translate.h"
#include "exec/exe.h"
#include "exec/exec.h"
#include "exec/traced.h"
#include "flush.h"
#include "guest.h"
#include "memory.h"
#include "semaphore.h"
#include "signals/signal.h"
#include "sys.h"
#include "syscall.h"
#include "threads.h"

#define ARCH_SET_GS	0x1001

/* One thread, whatever the others are doing: their locks are free in the child. */
static long fork_process(struct thread *t, const struct clone_args *args)
{
	struct softpt_xl_process *parent = process;
	struct softpt_xl_words was;
	long ret;

	signal_block_all();
	if (t->words->pending)
		return XL_ABORT;
	flush_lock();
	lock(&signal_lock);
	was = *t->words;
	__atomic_add_fetch(&parent->forks, 1, __ATOMIC_SEQ_CST);
	ret = sys(__NR_clone, args->flags | args->exit_signal, 0, args->parent_tid,
		  args->child_tid, args->tls);
	if (!ret) {
		thread_forked(t, &was);
		if (args->stack)
			t->words->rsp = args->stack + args->stack_size;
	}
	if (ret <= 0)
		__atomic_sub_fetch(&parent->forks, 1, __ATOMIC_SEQ_CST);
	unlock(&signal_lock);
	unlock(&xl_lock);
	signal_unblock(t);
	return ret;
}

/* It may ask what a child executes: the recorder says where. */
static void has_child(void)
{
	if (!process->attached || READ_ONCE(process->children))
		return;
	WRITE_ONCE(process->children, 1);
	ask_places();
}

static long clone_any(struct thread *t, const struct context *c, const struct clone_args *args,
		      u64 next)
{
	t->pc = next;
	if (!(args->flags & CLONE_THREAD))
		has_child();
	if (!(args->flags & CLONE_VM))
		return fork_process(t, args);
	if (args->flags & (CLONE_THREAD | CLONE_VFORK))
		return thread_clone(t, c, args, next);
	return -EINVAL;
}

static long clone_old(struct thread *t, const struct context *c, u64 next)
{
	const struct clone_args args = {
		.flags = c->rdi & ~(u64)CSIGNAL, .exit_signal = c->rdi & CSIGNAL, .stack = c->rsi,
		.parent_tid = c->rdx, .child_tid = c->r10, .tls = c->r8,
	};

	return clone_any(t, c, &args, next);
}

static long vfork(struct thread *t, const struct context *c, u64 next)
{
	const struct clone_args args = {
		.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD,
	};

	return clone_any(t, c, &args, next);
}

static long fork(struct thread *t, const struct context *c, u64 next)
{
	const struct clone_args args = { .exit_signal = SIGCHLD };

	return clone_any(t, c, &args, next);
}

/* What clone() can say, too; for the rest the program hears what older kernels say. */
static long clone3(struct thread *t, const struct context *c, u64 next)
{
	struct clone_args args = { 0 };

	if (c->rsi < CLONE_ARGS_SIZE_VER0)
		return -EINVAL;
	if (!guest_read(&args, c->rdi, min_t(u64, c->rsi, sizeof(args))))
		return -EFAULT;
	if (c->rsi > sizeof(args) || args.flags >> 32 || args.flags & (CSIGNAL | CLONE_PIDFD) ||
	    args.set_tid_size)
		return -ENOSYS;
	return clone_any(t, c, &args, next);
}

/* @a and @b are the first arguments. No signal ends the call but the program's own. */
static long call_with(struct thread *t, const struct context *c, u64 a, u64 b)
{
	long ret;

	do {
		t->left = false;
		ret = guest_call((long)c->rax, (long)a, (long)b, (long)c->rdx, (long)c->r10,
				 (long)c->r8, (long)c->r9);
	} while (ret == -EINTR && t->left && !t->words->pending);
	return ret;
}

/* Calls that wait with another mask: a signal that ends them is delivered with that. */
static long call_waiting(struct thread *t, const struct context *c, u64 mask_at)
{
	u64 mask;
	long ret;

	if (mask_at && !guest_read(&mask, mask_at, 8))
		return -EFAULT;
	ret = call_with(t, c, c->rdi, c->rsi);
	if (mask_at && t->words->pending && ret == -EINTR) {
		t->wait_mask = signal_program_mask(mask);
		t->waits = true;
	}
	return ret;
}

static long pselect(struct thread *t, const struct context *c)
{
	u64 set[2] = { 0, 0 };

	if (c->r9 && !guest_read(set, c->r9, sizeof(set)))
		return -EFAULT;
	return call_waiting(t, c, set[0]);
}

/* Memory that the kernel may not write to, for it holds code, is opened. */
static long call_kernel(const struct context *c, u64 a, u64 b)
{
	long ret;

	do {
		ret = call_with(current(), c, a, b);
	} while (ret == -EFAULT && memory_open_all());
	return ret;
}

static long readlink_exe(const struct context *c, u64 path, u64 buf, u64 size)
{
	char name[64] = { 0 };
	const char *exe;
	u64 n;

	if (guest_copy(name, (const void *)(uintptr_t)path, sizeof(name) - 1) == sizeof(name) - 1)
		return call_kernel(c, c->rdi, c->rsi);
	exe = exe_named(name);
	if (!exe)
		return call_kernel(c, c->rdi, c->rsi);
	n = min_t(u64, str_len(exe), size);
	return guest_write(buf, exe, n) ? (long)n : -EFAULT;
}

/* Calls that follow a link, of which @path is the first argument, or the second if @at */
static long follow_exe(const struct context *c, u64 path, bool at)
{
	char name[64] = { 0 };
	const char *exe = NULL;

	if (guest_copy(name, (const void *)(uintptr_t)path, sizeof(name) - 1) < sizeof(name) - 1)
		exe = exe_named(name);
	if (!exe)
		return call_kernel(c, c->rdi, c->rsi);
	return at ? call_kernel(c, c->rdi, (uintptr_t)exe) : call_kernel(c, (uintptr_t)exe, c->rsi);
}

static long stat_at(const struct context *c, u64 flags)
{
	if (flags & AT_SYMLINK_NOFOLLOW)
		return call_kernel(c, c->rdi, c->rsi);
	return follow_exe(c, c->rsi, true);
}

/* Of what may be a program that a process executes */
static long call_by_name(const struct context *c)
{
	switch (c->rax) {
	case __NR_readlink:
		return readlink_exe(c, c->rdi, c->rsi, c->rdx);
	case __NR_readlinkat:
		return readlink_exe(c, c->rsi, c->rdx, c->r10);
	case __NR_open:
	case __NR_stat:
	case __NR_access:
		return follow_exe(c, c->rdi, false);
	case __NR_openat:
	case __NR_faccessat:
	case __NR_faccessat2:
		return follow_exe(c, c->rsi, true);
	case __NR_newfstatat:
		return stat_at(c, c->r10);
	case __NR_statx:
		return stat_at(c, c->rdx);
	}
	return call_kernel(c, c->rdi, c->rsi);
}

u64 syscall_number(const struct thread *t, const struct context *c)
{
	return c->rax == __NR_restart_syscall && t->restarts ? t->restarts : c->rax;
}

/*
 * A thread was taken over in a system call that has a time limit. What is left of that the kernel
 * forgets when a handler returns, one of the runtime's, too: then the call begins anew.
 */
static long restart(struct thread *t, struct context *c)
{
	long ret = call_kernel(c, c->rdi, c->rsi);

	if (ret != -EINTR || t->words->pending || !t->restarts)
		return ret;
	c->rax = t->restarts;
	return call_kernel(c, c->rdi, c->rsi);
}

/*
 * The kernel would move the translation. A process that ran before knows that there is rseq: its
 * areas are the kernel's when it is given back, and have no CPU until then.
 */
static long rseq(struct thread *t, const struct context *c)
{
	if (!process->attached)
		return -ENOSYS;
	if (c->rdx == RSEQ_FLAG_UNREGISTER) {
		t->rseq.at = 0;
		return 0;
	}
	if (c->rdx)
		return -EINVAL;
	if (t->rseq.at)
		return -EBUSY;
	t->rseq.at = c->rdi;
	t->rseq.size = (u32)c->rsi;
	t->rseq.signature = (u32)c->r10;
	return 0;
}

/*
 * Code that no file holds: its changes are seen in translation only. Who is native now stays so
 * until the next breakpoint.
 */
static void end_native(void)
{
	__atomic_store_n(&process->made, 1, __ATOMIC_SEQ_CST);
	if (READ_ONCE(process->native))
		WRITE_ONCE(process->native, 0);
}

static long protect(const struct context *c)
{
	if (c->rdx & PROT_EXEC)
		end_native();
	return memory_mprotect((long)c->rax, (long)c->rdi, (long)c->rsi, (long)c->rdx,
			       (long)c->r10);
}

/* What was mapped there is there no more, if @ret is no error. */
static long left(const struct context *c, long ret)
{
	if (ret >= 0)
		semaphore_leave(c->rdi, c->rdi + c->rsi);
	return ret;
}

/* A file that may be executed may have functions that the recorder waits for. */
static long map(const struct context *c)
{
	long ret = memory_mmap((long)c->rdi, (long)c->rsi, (long)c->rdx, (long)c->r10,
			       (long)c->r8, (long)c->r9);

	if (ret < 0)
		return ret;
	semaphore_leave((u64)ret, (u64)ret + c->rsi);
	if (!(c->rdx & PROT_EXEC)) {
		if (READ_ONCE(process->awaits))
			ask_places();
		return ret;
	}
	if (c->r10 & (MAP_ANONYMOUS | MAP_SHARED) || c->rdx & PROT_WRITE)
		end_native();
	else
		ask_places();
	return ret;
}

/* prctl() and others work on what the kernel knows; this is what the runtime has to know. */
long syscall_do(struct thread *t, struct context *c, u64 next)
{
	if (t->words->pending)
		return XL_ABORT;
	switch (c->rax) {
	case __NR_exit:
		thread_exit(t, (long)c->rdi);
	case __NR_mmap:
		return map(c);
	case __NR_munmap:
		return left(c, memory_munmap((long)c->rdi, (long)c->rsi));
	case __NR_mprotect:
	case __NR_pkey_mprotect:
		return protect(c);
	case __NR_mremap:
		return left(c, memory_mremap((long)c->rdi, (long)c->rsi, (long)c->rdx,
					     (long)c->r10, (long)c->r8));
	case __NR_brk:
		return memory_brk(c->rdi);
	case __NR_rt_sigaction:
		return sigcall_action((long)c->rdi, c->rsi, c->rdx, (long)c->r10);
	case __NR_rt_sigprocmask:
		return sigcall_mask(t, (long)c->rdi, c->rsi, c->rdx, (long)c->r10);
	case __NR_sigaltstack:
		return sigcall_alt_stack(t, c->rdi, c->rsi);
	case __NR_rt_sigreturn:
		return sigcall_return(t);
	case __NR_rt_sigsuspend:
		return call_waiting(t, c, c->rdi);
	case __NR_ppoll:
		return call_waiting(t, c, c->r10);
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
		return call_waiting(t, c, c->r8);
	case __NR_pselect6:
		return pselect(t, c);
	case __NR_arch_prctl:
		return c->rdi == ARCH_SET_GS ? -EPERM : call_kernel(c, c->rdi, c->rsi);
	case __NR_clone:
		return clone_old(t, c, next);
	case __NR_fork:
		return fork(t, c, next);
	case __NR_vfork:
		return vfork(t, c, next);
	case __NR_clone3:
		return clone3(t, c, next);
	case __NR_restart_syscall:
		return restart(t, c);
	case __NR_rseq:
		return rseq(t, c);
	case __NR_ptrace:
		if (c->rdi == PTRACE_TRACEME)
			return trace_me(t);
		break;
	case __NR_kill:
	case __NR_tkill:
	case __NR_tgkill:
		traced_now(t);
		break;
	case __NR_execve:
		t->pc = next;
		return exec_program(t, (long)c->rdi, (long)c->rsi, (long)c->rdx);
	case __NR_execveat:
		t->pc = next;
		return exec_at(t, (long)c->rdi, (long)c->rsi, (long)c->rdx, (long)c->r10,
			       (long)c->r8);
	}
	return call_by_name(c);
}
