// SPDX-License-Identifier: GPL-2.0-only
/* The unit of one CPU: from its creation to the last close of its fd */

#include <linux/anon_inodes.h>
#include <linux/cpu.h>
#include <linux/slab.h>

#include "put.h"

void softpt_unit_wake_readers(struct softpt_unit *unit)
{
	if (wq_has_sleeper(&unit->readable) &&
	    (softpt_unit_readable(unit) || softpt_unit_truth_wakes(unit)))
		wake_up_all(&unit->readable);
}

static void wake(struct irq_work *work)
{
	struct softpt_unit *unit = container_of(work, struct softpt_unit, wake);

	wake_up_all(&unit->readable);
	if (xchg(&unit->spread, false))
		softpt_session_owe_later(unit->session, SOFTPT_OWED_FREEZE);
}

static void open_unit(void *data)
{
	struct softpt_unit *unit = data;
	struct softpt_session *session = unit->session;
	struct softpt_engine *e = &unit->engine;

	if (unit->config_seq != session->config_seq) {
		struct softpt_counts counts = e->counts;
		bool live = e->live;

		softpt_engine_init(e, &session->config);
		e->counts = counts;
		e->live = live;
		softpt_unit_adopt_counters(unit);
		softpt_unit_renew_truth(unit);
		unit->config_seq = session->config_seq;
		unit->losing = false;
		unit->resync = false;
	}
	softpt_unit_arm_fifo(unit);
	softpt_unit_arm_truth(unit);
	softpt_unit_arm(unit);
	softpt_unit_shut(unit);
	unit->gone = false;
	unit->lossless = e->live && !unit->ring.snapshot &&
			 session->config.flags & SOFTPT_F_LOSSLESS;
	WRITE_ONCE(unit->crowded, false);
	WRITE_ONCE(unit->ring.frozen, false);
	WRITE_ONCE(unit->flags, (unit->flags & SOFTPT_ST_LOST) | SOFTPT_ST_ENABLED);
	WRITE_ONCE(unit->open, true);
	softpt_unit_publish(unit);
}

/* No event is taken any more; the caller owns the unit. */
void softpt_unit_end(struct softpt_unit *unit)
{
	softpt_unit_shut(unit);
	softpt_fifo_end(&unit->engine);
	WRITE_ONCE(unit->open, false);
	WRITE_ONCE(unit->flags, (unit->flags & ~SOFTPT_ST_ENABLED) | SOFTPT_ST_DONE);
	softpt_unit_publish(unit);
}

/**
 * softpt_unit_open() - events may come
 * @unit: a closed unit, its session locked
 *
 * Return: 0; -ENXIO when the events are its CPU's and that is offline; -ENOMEM.
 */
int softpt_unit_open(struct softpt_unit *unit)
{
	bool live = unit->session->ops->live;
	int err = softpt_unit_alloc_fifo(unit);

	if (!err && live)
		err = softpt_hotplug_add(unit);
	if (err)
		return err;
	cpus_read_lock();
	if (live && !cpu_online(unit->cpu)) {
		err = -ENXIO;
	} else {
		mutex_lock(&unit->lock);
		unit->engine.live = live;
		softpt_unit_run(unit, open_unit, unit);
		mutex_unlock(&unit->lock);
	}
	cpus_read_unlock();
	return err;
}

/**
 * softpt_unit_close() - no event is taken any more, and the reader sees the end
 * @unit: the unit, its session locked
 */
void softpt_unit_close(struct softpt_unit *unit)
{
	mutex_lock(&unit->lock);
	softpt_unit_run(unit, unit->engine.live ? softpt_unit_close_live : softpt_unit_close_fed,
			unit);
	unit->gone = false;	/* its CPU may have gone until here: that is not to reopen it */
	mutex_unlock(&unit->lock);
	wake_up_all(&unit->readable);
	wake_up_all(&unit->writable);
}

/**
 * softpt_unit_reopen() - the CPU of a live unit is back: events may come
 * @unit: the unit, its lock held, on its CPU
 *
 * Engine and triggers go on where they were: its source tells it where execution is, as after
 * SOFTPT_ENABLE. Not if that has ended meanwhile.
 */
void softpt_unit_reopen(struct softpt_unit *unit)
{
	lockdep_assert_held(&unit->lock);
	if (!unit->gone || READ_ONCE(unit->session->ending))
		return;
	unit->gone = false;
	local_irq_disable();
	softpt_unit_shut(unit);
	WRITE_ONCE(unit->flags, (unit->flags & ~SOFTPT_ST_DONE) | SOFTPT_ST_ENABLED);
	WRITE_ONCE(unit->open, true);
	softpt_unit_publish(unit);
	local_irq_enable();
}

static void free_unit(struct softpt_unit *unit)
{
	softpt_unit_free_truth(unit);
	softpt_ring_free(&unit->ring);
	kfree(unit->record);
	mutex_destroy(&unit->lock);
	kvfree_rcu(unit, rcu);
}

/**
 * softpt_unit_remove() - nobody has the unit any more
 * @unit: its session locked, and referenced by the caller
 *
 * A live source finds the unit on its own CPU with interrupts off, and writes to its ring there:
 * that is over when the CPU has been asked to close it. Others find it to say what they have lost,
 * and look at nothing but the struct: RCU keeps that.
 */
void softpt_unit_remove(struct softpt_unit *unit)
{
	struct softpt_session *session = unit->session;

	rcu_assign_pointer(session->units[unit->cpu], NULL);
	session->nr_units--;
	if (session->enabled)
		softpt_unit_stop(unit);
	irq_work_sync(&unit->wake);
	cancel_delayed_work_sync(&unit->room);
	free_unit(unit);
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
	unit->cpu = cpu;
	err = softpt_ring_init(&unit->ring, &session->config, cpu);
	if (err)
		goto err_unit;
	err = softpt_unit_alloc_truth(unit, &session->config);
	if (err)
		goto err_ring;
	mutex_init(&unit->lock);
	init_waitqueue_head(&unit->readable);
	init_waitqueue_head(&unit->writable);
	init_waitqueue_head(&unit->truth_polled);
	init_irq_work(&unit->wake, wake);
	INIT_DELAYED_WORK(&unit->room, softpt_unit_room_work);
	INIT_HLIST_NODE(&unit->node);
	return unit;

err_ring:
	softpt_ring_free(&unit->ring);
err_unit:
	kvfree(unit);
	return ERR_PTR(err);
}

/**
 * softpt_unit_create() - the unit of a CPU
 * @session: locked, without a unit for @cpu
 * @cpu: a CPU
 *
 * Return: the unit's fd, or -errno (see softpt_ring_init()).
 */
int softpt_unit_create(struct softpt_session *session, u32 cpu)
{
	struct softpt_unit *unit = alloc_unit(session, cpu);
	int fd;

	if (IS_ERR(unit))
		return PTR_ERR(unit);
	softpt_unit_adopt_counters(unit);
	kref_get(&session->ref);
	rcu_assign_pointer(session->units[cpu], unit);
	session->nr_units++;
	fd = anon_inode_getfd("softpt-unit", &unit_fops, unit, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	rcu_assign_pointer(session->units[cpu], NULL);
	session->nr_units--;
	softpt_session_put(session);
	free_unit(unit);
	return fd;
}
