// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step's memory, references and work. A task forks, and steps end, where PREEMPT_RT lets nobody
 * allocate or free: a task whose children are stepped, too, has a spare one, and what has ended is
 * freed by irq_work, which PREEMPT_RT runs in a thread.
 */

#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "queue.h"
#include "step.h"

/*
 * Hooks (hook.c) are there while somebody uses them, and a little longer: to register and
 * unregister probes patches the kernel's code and waits for RCU, and after one process another is
 * often stepped soon.
 */
#define LINGER	(5 * HZ)

static atomic_t users;	/* steps, and callers of softpt_step_hooks_get() */

struct delayed_work softpt_step_hooks_work;	/* unregisters the hooks: hook.c */

/* One user more, where the hooks are there already. Context: any. */
void softpt_step_hooks_get_again(void)
{
	atomic_inc(&users);
}

/* Whether somebody uses the hooks. Context: any. */
bool softpt_step_hooks_used(void)
{
	return atomic_read(&users);
}

/*
 * One user less. The work may run on any CPU (softpt_queue), for softpt_step_hooks_get() waits for
 * it.
 *
 * Context: any but NMI; not under the run queue's lock.
 */
void softpt_step_hooks_put(void)
{
	if (atomic_dec_and_test(&users))
		mod_delayed_work(softpt_queue, &softpt_step_hooks_work, LINGER);
}

static struct softpt_step *alloc_step(void)
{
	return kzalloc(sizeof(struct softpt_step), GFP_KERNEL_ACCOUNT);
}

static void begin(struct softpt_step *step, struct softpt_step_set *set)
{
	kref_init(&step->ref);
	kref_get(&set->ref);
	step->set = set;
	step->clock.cycles = set->begin;
	__module_get(THIS_MODULE);
	softpt_step_hooks_get_again();
}

/**
 * softpt_step_new() - a step for a task
 * @set: the tasks of the trace
 *
 * The caller has the hooks (softpt_step_hooks_get()).
 *
 * Return: the step, with a reference of the task's; NULL without memory.
 */
struct softpt_step *softpt_step_new(struct softpt_step_set *set)
{
	struct softpt_step *step = alloc_step();

	if (!step)
		return NULL;
	if (set->inherit) {
		step->spare = alloc_step();
		if (!step->spare) {
			kfree(step);
			return NULL;
		}
	}
	begin(step, set);
	return step;
}

/**
 * softpt_step_new_child() - a step for a child of the current task
 * @parent: the current task's
 *
 * Context: any.
 * Return: as softpt_step_new(); it has no spare one yet, and neither has @parent now.
 */
struct softpt_step *softpt_step_new_child(struct softpt_step *parent)
{
	struct softpt_step *step = parent->spare;

	parent->spare = NULL;
	if (step)
		begin(step, parent->set);
	return step;
}

/* Another spare step, for the next child of the current task. Without memory that child is lost. */
void softpt_step_refill(struct softpt_step *step)
{
	if (!step->spare && !(current->flags & PF_EXITING))
		step->spare = alloc_step();
}

/* The module's reference is put last: rmmod may wait for it. */
static void free_step(struct softpt_step *step)
{
	softpt_step_set_put(step->set);
	kfree(step->spare);
	kfree(step);
	softpt_step_hooks_put();
	module_put(THIS_MODULE);
}

static LLIST_HEAD(ended);

static void free_ended(struct irq_work *work)
{
	struct softpt_step *step, *next;

	llist_for_each_entry_safe(step, next, llist_del_all(&ended), ended)
		free_step(step);
}

static DEFINE_IRQ_WORK(free_work, free_ended);

static void end_step(struct kref *ref)
{
	llist_add(&container_of(ref, struct softpt_step, ref)->ended, &ended);
	irq_work_queue(&free_work);
}

/* Context: any. */
void softpt_step_put(struct softpt_step *step)
{
	kref_put(&step->ref, end_step);
}

/* All steps have ended. */
void softpt_step_life_exit(void)
{
	irq_work_sync(&free_work);
}

/**
 * softpt_step_defer() - let a task do something on its way to user mode
 * @step: the current task's, or its new child's; not a CPU's
 * @fn: what; it puts the step
 *
 * Return: false, and nothing is done, when the task is exiting.
 */
bool softpt_step_defer(struct softpt_step *step, task_work_func_t fn)
{
	init_task_work(&step->work, fn);
	kref_get(&step->ref);
	if (!task_work_add(step->task, &step->work, TWA_RESUME))
		return true;
	softpt_step_put(step);
	return false;
}
