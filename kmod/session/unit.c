// SPDX-License-Identifier: GPL-2.0-only
/* The fd of one CPU's channel: from its creation to its last close */

#include <linux/anon_inodes.h>
#include <linux/slab.h>

#include "channel/count.h"
#include "channel/start.h"
#include "session/commands.h"
#include "session/lock.h"
#include "session/start.h"
#include "session/unit-io.h"
#include "session/unit.h"

/**
 * softpt_unit_remove() - nobody has the unit any more
 * @unit: its session locked, and referenced by the caller
 *
 * A live source finds the channel on its own CPU with interrupts off, and writes to its ring there:
 * that is over when the CPU has been asked to stop it. Others find it to add what they have lost,
 * and look at nothing but the struct: RCU keeps that.
 */
void softpt_unit_remove(struct softpt_unit *unit)
{
	struct softpt_session *session = unit->session;

	lockdep_assert_held(&session->lock);
	rcu_assign_pointer(session->gate.channel[unit->ch.cpu], NULL);
	session->nr_units--;
	if (session->enabled)
		softpt_session_stop_channel(session, &unit->ch);
	softpt_channel_free(&unit->ch);
	kvfree_rcu(unit, rcu);
	softpt_session_put(session);
}

static int unit_release(struct inode *inode, struct file *file)
{
	softpt_session_owe_unit(file->private_data);
	return 0;
}

static const struct file_operations unit_fops = {
	.owner		= THIS_MODULE,
	.release	= unit_release,
	.read		= softpt_unit_read,
	.write		= softpt_unit_write,
	.poll		= softpt_unit_poll,
	.mmap		= softpt_unit_mmap,
	.unlocked_ioctl	= softpt_unit_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct softpt_unit *alloc_unit(struct softpt_session *session, u32 cpu)
{
	struct softpt_unit *unit = kvzalloc_node(sizeof(*unit), GFP_KERNEL_ACCOUNT,
						 cpu_to_node(cpu));
	int err;

	if (!unit)
		return ERR_PTR(-ENOMEM);
	unit->session = session;
	err = softpt_channel_init(&unit->ch, &session->gate, &session->setup.config, cpu);
	if (err) {
		kvfree(unit);
		return ERR_PTR(err);
	}
	unit->ch.no_counter_page = session->flags & SOFTPT_SESSION_NO_COUNTER_PAGE;
	softpt_channel_adopt_counters(&unit->ch, &session->setup);
	return unit;
}

/**
 * softpt_unit_create() - the unit of a CPU
 * @session: locked, not enabled, without a unit for @cpu
 * @cpu: a CPU
 *
 * Return: its fd, or -errno (see softpt_ring_init()).
 */
int softpt_unit_create(struct softpt_session *session, u32 cpu)
{
	struct softpt_unit *unit;
	int fd;

	lockdep_assert_held(&session->lock);
	unit = alloc_unit(session, cpu);
	if (IS_ERR(unit))
		return PTR_ERR(unit);
	kref_get(&session->ref);
	rcu_assign_pointer(session->gate.channel[cpu], &unit->ch);
	session->nr_units++;
	fd = anon_inode_getfd("softpt-unit", &unit_fops, unit, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		softpt_unit_remove(unit);
	return fd;
}
