// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a CPU's user-return notifier may be registered and unregistered.
 *
 * A worker may never run on a CPU that a task of SCHED_FIFO keeps busy, but an interrupt does. The
 * CPU's list of notifiers has no lock, and KVM adds to it with interrupts on: for the vCPU that the
 * current task has loaded, and such a task has a preemption notifier meanwhile. So an interrupt of
 * a task with a preemption notifier leaves the list alone. Then the notifier is registered where
 * KVM cannot be adding: when the CPU switches tasks, or returns to user mode.
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
 * @r: the notifier; its on_user_return is set
 * @wanted: whether the notifier is to be registered
 *
 * Context: interrupts off, on the CPU; any but NMI.
 * Return: whether it is as wanted; if not, the caller tries again later.
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
 * @settle: calls softpt_return_set() on each CPU, and increments the atomic_t @left where the
 *	notifier is still registered
 *
 * The module is removed. It takes until each thread with a vCPU was switched out, or has returned
 * to user mode.
 *
 * Context: may sleep.
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
