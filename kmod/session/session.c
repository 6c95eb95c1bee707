// SPDX-License-Identifier: GPL-2.0-only
/* A session: from its creation to the last reference */

#include <linux/anon_inodes.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <softpt/params.h>

#include "session/session.h"

static void free_session(struct kref *ref)
{
	struct softpt_session *session = container_of(ref, struct softpt_session, ref);

	if (session->counting)
		atomic_dec(&softpt_counting);
	mutex_destroy(&session->lock);
	kfree(session);
}

void softpt_session_put(struct softpt_session *session)
{
	kref_put(&session->ref, free_session);
}

/* The fd has gone. Units may outlive it: they stay readable, and see the end. */
void softpt_session_leave(struct softpt_session *session)
{
	u64 tsc;

	softpt_session_disable(session, &tsc);
	softpt_session_put(session);	/* not the last: who has the lock has one */
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
