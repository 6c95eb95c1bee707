// SPDX-License-Identifier: BSD-2-Clause
/* The program's system calls about signals. Its handlers are never the kernel's. */
#include <linux/signal.h>

#include "../guest.h"
#include "../sys.h"
#include "signal.h"

long sigcall_action(long signo, u64 act, u64 old, long size)
{
	struct ksigaction *actions = signal_actions_of(current()), new, was;

	if (size != 8 || signo < 1 || signo > SIGNALS)
		return -EINVAL;
	if (act && (signo == SIGKILL || signo == SIGSTOP))
		return -EINVAL;
	if (act && !guest_read(&new, act, sizeof(new)))
		return -EFAULT;
	lock(&signal_lock);
	was = actions[signo];
	if (act) {
		new.mask = signal_program_mask(new.mask);
		actions[signo] = new;
		signal_install((u32)signo, &new);
	}
	unlock(&signal_lock);
	return old && !guest_write(old, &was, sizeof(was)) ? -EFAULT : 0;
}

static bool new_mask(u64 *mask, long how, u64 set)
{
	switch (how) {
	case SIG_BLOCK:
		*mask |= set;
		break;
	case SIG_UNBLOCK:
		*mask &= ~set;
		break;
	case SIG_SETMASK:
		*mask = set;
		break;
	default:
		return false;
	}
	*mask = signal_program_mask(*mask);
	return true;
}

long sigcall_mask(struct thread *t, long how, u64 set, u64 old, long size)
{
	u64 was = t->mask, mask = was, given, kernel;
	long ret;

	if (size != 8)
		return -EINVAL;
	if (set) {
		if (!guest_read(&given, set, 8))
			return -EFAULT;
		if (!new_mask(&mask, how, given))
			return -EINVAL;
		kernel = signal_kernel_mask(mask);
		ret = guest_call(__NR_rt_sigprocmask, SIG_SETMASK, (long)&kernel, 0, 8, 0, 0);
		if (ret)
			return ret;
		t->mask = mask;
		signal_held_again(t);
	}
	return old && !guest_write(old, &was, 8) ? -EFAULT : 0;
}

long sigcall_alt_stack(struct thread *t, u64 alt, u64 old)
{
	struct altstack new, was = t->alt;
	u64 sp = t->words->rsp;

	was.flags = signal_alt_flags(t, sp);
	if (alt) {
		if (!guest_read(&new, alt, sizeof(new)))
			return -EFAULT;
		if (signal_on_alt_stack(t, sp))
			return -EPERM;
		if (new.flags & ~(SS_DISABLE | SS_ONSTACK | SS_AUTODISARM))
			return -EINVAL;
		if (!(new.flags & SS_DISABLE) && new.size < MINSIGSTKSZ)
			return -ENOMEM;
		if (new.flags & SS_DISABLE)
			new = (struct altstack){ .flags = SS_DISABLE };
		new.flags &= SS_AUTODISARM | SS_DISABLE;
		t->alt = new;
	}
	return old && !guest_write(old, &was, sizeof(was)) ? -EFAULT : 0;
}

/* What the frame on the program's stack says, but that it goes on in the dispatcher */
long sigcall_return(struct thread *t)
{
	struct frame *f = (struct frame *)t->frame;

	_Static_assert(sizeof(*f) <= sizeof(t->frame), "a frame has room");
	signal_block_all();
	if (t->words->pending)
		return XL_ABORT;
	if (!guest_read(f, t->words->rsp, sizeof(*f))) {
		t->in_call = true;
		signal_fault(t, SIGSEGV, SI_KERNEL, 0);
		return XL_ABORT;
	}
	t->mask = signal_program_mask(f->mask);
	t->alt = f->alt;
	t->alt.flags &= SS_AUTODISARM | SS_DISABLE;
	if (t->alt.flags & SS_DISABLE)
		t->alt.size = 0;
	f->alt = (struct altstack){ .sp = t->stack + STACK_SIZE, .size = ALT_SIZE };
	f->mask = signal_kernel_mask(t->mask);
	t->words->target = f->rip;
	t->words->link = 0;
	t->entered = true;
	f->rip = (uintptr_t)xl_enter;
	frame_restore(f);
}
