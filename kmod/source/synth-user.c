// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many synthetic programs each user has. Threads of the module run them, so no limit of the
 * user applies to their time.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "synth-user.h"

static unsigned int synth_units = 256;
module_param(synth_units, uint, 0644);
MODULE_PARM_DESC(synth_units, "units with synthetic programs that a user may have enabled (256)");

/**
 * struct softpt_synth_user - a user with synthetic programs
 * @node: of the list of all
 * @uid: the user
 * @units: how many programs
 */
struct softpt_synth_user {
	struct list_head node;
	kuid_t uid;
	unsigned int units;
};

static DEFINE_MUTEX(lock);	/* @users, and all in it */
static LIST_HEAD(users);

static struct softpt_synth_user *find_locked(kuid_t uid)
{
	struct softpt_synth_user *user;

	lockdep_assert_held(&lock);
	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			return user;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return NULL;
	user->uid = uid;
	list_add(&user->node, &users);
	return user;
}

static void put_locked(struct softpt_synth_user *user)
{
	lockdep_assert_held(&lock);
	if (user->units)
		return;
	list_del(&user->node);
	kfree(user);
}

static int charge_locked(struct softpt_synth_user **to)
{
	struct softpt_synth_user *user = find_locked(current_uid());

	if (!user)
		return -ENOMEM;
	if (user->units >= READ_ONCE(synth_units) && !capable(CAP_SYS_RESOURCE)) {
		put_locked(user);
		return -EAGAIN;
	}
	user->units++;
	*to = user;
	return 0;
}

/**
 * softpt_synth_charge() - the caller has one more program
 * @to: set to the user who is charged, without an error
 *
 * Return: 0; -EAGAIN above the module's synth_units, without CAP_SYS_RESOURCE, as fork() has it;
 * -ENOMEM.
 */
int softpt_synth_charge(struct softpt_synth_user **to)
{
	int err;

	mutex_lock(&lock);
	err = charge_locked(to);
	mutex_unlock(&lock);
	return err;
}

/* The opposite of softpt_synth_charge(), by any caller */
void softpt_synth_uncharge(struct softpt_synth_user *user)
{
	mutex_lock(&lock);
	user->units--;
	put_locked(user);
	mutex_unlock(&lock);
}
