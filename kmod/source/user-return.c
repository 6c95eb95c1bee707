// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a CPU's user-return notifier may be put in and out.
 *
 * Whose turn it is on a CPU is not ours to say: a task of SCHED_FIFO may keep a CPU for itself,
 * and a worker that is to run there never does. Interrupts do. But the CPU's list of notifiers has
 * no lock, and KVM adds to it with interrupts on. KVM does so for the vCPU that the task has
 * loaded, which has a preemption notifier meanwhile: an interrupt leaves such a task's list
 * alone, and what was wanted is done where no other can be in the midst of it: when the CPU
 * switches tasks, or returns to user mode.
 */

#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "user-return.h"

static bool has_vcpu(const struct task_struct *task)
{
#ifdef CONFIG_PREEMPT_NOTIFIERS
	return !hlist_empty(&task->preempt_notifiers);
#else
	return false;	/* KVM needs them */
#endif
}

/**
 * softpt_return_set() - register this CPU's notifier, or the opposite
 * @r: it; its on_user_return is set
 * @wanted: whether it is to be registered
 *
 * Context: interrupts off, on the CPU; any but NMI.
 * Return: whether it is as wanted; if not, somebody calls this again.
 */
bool softpt_return_set(struct softpt_return *r, bool wanted)
{
	if (likely(r->registered == wanted))
		return true;
	if (!in_task() && has_vcpu(current))
		return false;
	r->registered = wanted;
	if (wanted)
		user_return_notifier_register(&r->notifier);
	else
		user_return_notifier_unregister(&r->notifier);
	return true;
}

/**
 * softpt_return_drain() - wait until no CPU has a notifier
 * @settle: calls softpt_return_set() on each CPU, and counts up the atomic_t @left where it
 *	is registered nevertheless
 *
 * The module goes. A thread with a vCPU must come by, and is asked again and again.
 */
void softpt_return_drain(void (*settle)(void *left))
{
	atomic_t left = ATOMIC_INIT(0);

	on_each_cpu(settle, &left, true);
	while (atomic_xchg(&left, 0)) {
		msleep(20);
		on_each_cpu(settle, &left, true);
	}
}
