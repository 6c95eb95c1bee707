// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with bugs on request, to prove that the guest's verdict notices each kind:
 *
 *	echo BUG >/sys/module/canary/parameters/bug
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "user.h"

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);

static void none(void)
{
}

static void warn(void)
{
	WARN(1, "canary: planted\n");
}

static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	if (p)
		WRITE_ONCE(p[8], 1);
}

static void out_of_bounds(void)
{
	char *p = kmalloc(100, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	if (p)
		WRITE_ONCE(p[104], 1);
	kfree(p);
}

static void abba(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleep_in_atomic(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

/* The bug of a parameter's writer, who is a caller */
static void user_under_lock(void)
{
	char byte;

	mutex_lock(&first);
	if (softpt_copy_from_user(&byte, (void __user *)PAGE_SIZE, 1))
		byte = 0;
	mutex_unlock(&first);
}

static void leak_reference(void)
{
	__module_get(THIS_MODULE);
}

static void leak_memory(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		void *p = kmalloc(333, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

static void oops(void)
{
	int *p = NULL;

	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(*p, 1);
}

static int raced;

static int race_thread(void *unused)
{
	unsigned long end = jiffies + 3 * HZ;

	while (time_before(jiffies, end)) {
		raced++;
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *other = kthread_create(race_thread, NULL, "canary");

	if (IS_ERR(other))
		return;
	get_task_struct(other);
	wake_up_process(other);
	race_thread(NULL);
	kthread_stop(other);
	put_task_struct(other);
}

static const struct {
	const char *name;
	void (*plant)(void);
} bugs[] = {
	{ "none", none },
	{ "warn", warn },
	{ "use-after-free", use_after_free },
	{ "out-of-bounds", out_of_bounds },
	{ "abba", abba },
	{ "sleep-in-atomic", sleep_in_atomic },
	{ "user-under-lock", user_under_lock },
	{ "leak-reference", leak_reference },
	{ "leak-memory", leak_memory },
	{ "oops", oops },
	{ "race", race },
};

static int bug_set(const char *value, const struct kernel_param *kp)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (sysfs_streq(value, bugs[i].name)) {
			bugs[i].plant();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops bug_ops = { .set = bug_set };
module_param_cb(bug, &bug_ops, NULL, 0200);
MODULE_PARM_DESC(bug, "plant this bug now");

static int __init canary_init(void)
{
	return 0;
}
module_init(canary_init);

static void __exit canary_exit(void)
{
}
module_exit(canary_exit);

MODULE_DESCRIPTION("Bugs on request");
MODULE_LICENSE("GPL");
