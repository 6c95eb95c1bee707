// SPDX-License-Identifier: GPL-2.0-only
/* A session begins, and what is owed to it is done (lock.c). */

#include <linux/anon_inodes.h>
#include <linux/llist.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <softpt/params.h>

#include "session/commands.h"
#include "session/create.h"
#include "session/lock.h"
#include "session/start.h"
#include "session/unit.h"

/* The fd has gone. Units may outlive it: they stay readable, and see the end. */
static void leave(struct softpt_session *session)
{
	u64 tsc;

	softpt_session_disable(session, &tsc);
	softpt_session_put(session);	/* not the last: who has the lock has one */
}

static bool take(struct softpt_session *session, enum softpt_owed what)
{
	return test_and_clear_bit(what, &session->owed);
}

static void pay(struct softpt_session *session)
{
	struct softpt_unit *unit, *next;

	lockdep_assert_held(&session->lock);
	llist_for_each_entry_safe(unit, next, llist_del_all(&session->leaving), leaving)
		softpt_unit_remove(unit);
	if (take(session, SOFTPT_OWED_FOLLOW))
		softpt_session_follow(session);
	if (take(session, SOFTPT_OWED_RELEASE))
		leave(session);
}

static int session_release(struct inode *inode, struct file *file)
{
	softpt_session_owe(file->private_data, SOFTPT_OWED_RELEASE);
	return 0;
}

static const struct file_operations session_fops = {
	.owner		= THIS_MODULE,
	.release	= session_release,
	.unlocked_ioctl	= softpt_session_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static void gate_changed(struct softpt_gate *gate)
{
	softpt_session_owe_later(container_of(gate, struct softpt_session, gate),
				 SOFTPT_OWED_FOLLOW);
}

/**
 * softpt_session_create() - a session with the default configuration and source "replay"
 * @flags: SOFTPT_SESSION_*
 *
 * Return: its fd, or -errno.
 */
int softpt_session_create(u32 flags)
{
	struct softpt_session *session;
	int fd;

	session = kzalloc(struct_size(session, gate.channel, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	kref_init(&session->ref);
	softpt_session_lock_init(session);
	session->pay = pay;
	session->flags = flags;
	softpt_config_default(&session->setup.config);
	session->setup.seq = 1;
	session->gate.lock = &session->lock;
	session->gate.notify = gate_changed;
	session->ops = &softpt_replay_ops;
	fd = anon_inode_getfd("softpt-session", &session_fops, session, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		softpt_session_put(session);
	return fd;
}
