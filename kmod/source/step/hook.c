// SPDX-License-Identifier: GPL-2.0-only
/*
 * The notifiers and probes by which stepping follows tasks. They are there while somebody needs
 * them, and a little longer (LINGER).
 */

#include <linux/kdebug.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>

#include "step.h"

static DEFINE_MUTEX(hook_lock);	/* @hooked, and the way from no step to the first */
static bool hooked;

static int hook_locked(void)
{
	int err;

	lockdep_assert_held(&hook_lock);
	if (hooked)
		return 0;
	err = softpt_step_probes_register();
	if (err)
		return err;
	preempt_notifier_inc();
	register_die_notifier(&softpt_step_die_notifier);
	register_die_notifier(&softpt_step_int3_notifier);
	hooked = true;
	return 0;
}

static void unhook_locked(void)
{
	lockdep_assert_held(&hook_lock);
	if (!hooked)
		return;
	unregister_die_notifier(&softpt_step_int3_notifier);
	unregister_die_notifier(&softpt_step_die_notifier);
	preempt_notifier_dec();
	softpt_step_probes_unregister();
	hooked = false;
}

static void unhook_idle(struct work_struct *work)
{
	mutex_lock(&hook_lock);
	if (!softpt_step_hooks_used())
		unhook_locked();
	mutex_unlock(&hook_lock);
}

/**
 * softpt_step_hooks_get() - notifiers and probes are there until softpt_step_hooks_put()
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM; -EINTR: the caller is being killed.
 */
int softpt_step_hooks_get(void)
{
	int err;

	if (mutex_lock_killable(&hook_lock))
		return -EINTR;
	err = hook_locked();
	if (!err)
		softpt_step_hooks_get_again();
	mutex_unlock(&hook_lock);
	return err;
}

void softpt_step_hooks_init(void)
{
	INIT_DELAYED_WORK(&softpt_step_hooks_work, unhook_idle);
}

/* There is no step any more, and none will come. */
void softpt_step_hooks_exit(void)
{
	cancel_delayed_work_sync(&softpt_step_hooks_work);
	mutex_lock(&hook_lock);
	unhook_locked();
	mutex_unlock(&hook_lock);
}
