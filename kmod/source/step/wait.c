// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stepped program need not lose packets: if little of the ring is left (SOFTPT_F_LOSSLESS), a
 * task waits before its next instruction until the reader has made room.
 *
 * The task waits in task work, on its way to user mode, where it holds no lock. A reader that moves
 * the tail through its mapping wakes nobody, and neither does perf's, so the task looks again and
 * again. At each look it finds channel, trace and event anew: any of them may be gone by then,
 * which ends the wait, and the task may be on another CPU.
 *
 * Only signals that kill end the wait: any other would let an instruction through.
 */

#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "channel/loss.h"
#include "step.h"

#define FIRST_LOOK	(50 * NSEC_PER_USEC)
#define LAST_LOOK	(100 * NSEC_PER_MSEC)

/* Whether the current task is to wait now. Context: interrupts off. */
static bool is_due(const struct softpt_step *step)
{
	struct softpt_gate *gate;
	struct softpt_channel *ch;

	if (!step || !softpt_step_is_stepping(step) || current->flags & PF_EXITING)
		return false;
	gate = softpt_step_gate(step);
	ch = gate ? softpt_gate_channel(gate) : NULL;
	return ch && ch->running && softpt_channel_crowded(ch);
}

static bool look(void)
{
	bool due;

	local_irq_disable();
	due = is_due(softpt_step_on_cpu());
	local_irq_enable();
	return due;
}

static void wait_for_reader(void)
{
	u64 ns = FIRST_LOOK;

	while (look() && !fatal_signal_pending(current)) {
		ktime_t time = ns_to_ktime(ns);

		set_current_state(TASK_KILLABLE | TASK_FREEZABLE);
		schedule_hrtimeout_range(&time, ns / 4, HRTIMER_MODE_REL);
		ns = min_t(u64, 2 * ns, LAST_LOOK);
	}
}

/* If it is switched out right behind its wait, the task may have to wait again: sched_in() */
static void wait_task(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, wait);

	wait_for_reader();
	WRITE_ONCE(step->wait.func, NULL);
	softpt_step_put(step);
}

/*
 * A task that is stepped because its CPU is watched has no step, and so no work in it. There is a
 * struct waiter for each perf event instead, and a task waits only for an event's channel.
 *
 * A task may still wait for a moment when its event has gone, and has one waiter more than there
 * are events then. So waiters in use are left alone: an idle waiter is freed if there are more idle
 * ones than events.
 */
struct waiter {
	struct callback_head work;
	struct waiter *next;
};

static DEFINE_RAW_SPINLOCK(lock);	/* @idle, @nr_idle and @nr_events */
static struct waiter *idle;
static int nr_idle, nr_events;

static void put_locked(struct waiter *waiter)
{
	waiter->next = idle;
	idle = waiter;
	nr_idle++;
}

static struct waiter *take_locked(void)
{
	struct waiter *waiter = idle;

	if (waiter) {
		idle = waiter->next;
		nr_idle--;
	}
	return waiter;
}

/* Return: a waiter that is to be freed, or NULL */
static struct waiter *give_back(struct waiter *waiter)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	put_locked(waiter);
	waiter = nr_idle > nr_events ? take_locked() : NULL;
	raw_spin_unlock_irqrestore(&lock, flags);
	return waiter;
}

static struct waiter *take(void)
{
	struct waiter *waiter;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	waiter = take_locked();
	raw_spin_unlock_irqrestore(&lock, flags);
	return waiter;
}

static void wait_anybody(struct callback_head *work)
{
	wait_for_reader();
	kfree(give_back(container_of(work, struct waiter, work)));
	module_put(THIS_MODULE);
}

/**
 * softpt_step_add_waiter() - a perf event more: one task more may have to wait
 *
 * Return: 0 or -ENOMEM.
 */
int softpt_step_add_waiter(void)
{
	struct waiter *waiter = kmalloc(sizeof(*waiter), GFP_KERNEL_ACCOUNT);

	if (!waiter)
		return -ENOMEM;
	raw_spin_lock_irq(&lock);
	nr_events++;
	put_locked(waiter);
	raw_spin_unlock_irq(&lock);
	return 0;
}

/* The opposite. If all waiters are in use, give_back() frees one. Context: may sleep. */
void softpt_step_remove_waiter(void)
{
	struct waiter *waiter = NULL;

	raw_spin_lock_irq(&lock);
	if (nr_idle > --nr_events)
		waiter = take_locked();
	raw_spin_unlock_irq(&lock);
	kfree(waiter);
}

static void defer_anybody(void)
{
	struct waiter *waiter = take();

	if (WARN_ON_ONCE(!waiter))
		return;
	init_task_work(&waiter->work, wait_anybody);
	__module_get(THIS_MODULE);	/* the event that holds it may go meanwhile */
	if (task_work_add(current, &waiter->work, TWA_RESUME)) {
		give_back(waiter);
		module_put(THIS_MODULE);
	}
}

static void defer_task(struct softpt_step *step)
{
	if (step->wait.func)
		return;		/* it is to wait already, or waits */
	init_task_work(&step->wait, wait_task);
	kref_get(&step->ref);
	if (task_work_add(current, &step->wait, TWA_RESUME)) {
		step->wait.func = NULL;
		softpt_step_put(step);
	}
}

/**
 * softpt_step_wait() - the current task waits on its way to user mode, if it has to
 * @step: the task's, or the CPU's
 *
 * Context: interrupts off; any but under the run queue's lock, which task_work_add() may take.
 */
void softpt_step_wait(struct softpt_step *step)
{
	if (likely(!is_due(step)))
		return;
	if (step->task)
		defer_task(step);
	else
		defer_anybody();
}
