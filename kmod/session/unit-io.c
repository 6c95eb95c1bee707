// SPDX-License-Identifier: GPL-2.0-only
/* The unit's fd as a file: packets out, replayed events in */

#include <linux/poll.h>
#include <linux/sched/signal.h>

#include "channel/truth.h"
#include "channel/wait.h"
#include "session/session.h"
#include "session/unit-io.h"
#include "user.h"

/*
 * Bytes are there until the tail has passed them, and they are whose step takes it there: readers
 * need no lock, and one whose memory does not come holds up no other.
 *
 * Return: bytes; 0 without any, -EAGAIN when a running snapshot was faster, -ERESTART when
 * another reader was.
 */
static ssize_t copy_out(struct softpt_channel *ch, char __user *to, size_t n)
{
	struct softpt_ring *ring = &ch->ring;
	u64 tail = READ_ONCE(ring->reader->tail);
	u64 pos, unread = softpt_ring_unread(ring, &pos);

	n = min_t(u64, n, unread);
	if (!n)
		return 0;
	/* What a running snapshot overwrites meanwhile is found out afterwards. */
	if (data_race(softpt_copy_to_user(to, ring->data + (pos & (ring->size - 1)), n)))
		return -EFAULT;
	if (softpt_ring_overtaken(ring, pos))
		return -EAGAIN;
	/* A full barrier: pairs with the producer's acquire of tail (D, A) */
	if (!try_cmpxchg(&ring->reader->tail, &tail, pos + n))
		return -ERESTART;
	softpt_channel_wake_writers(ch);
	return n;
}

/* Return: bytes, 0 at the end, -EAGAIN when there are none to be had now. */
static ssize_t read_once(struct softpt_channel *ch, char __user *to, size_t n)
{
	ssize_t ret;
	bool ended;

	do {
		ended = softpt_channel_ended(ch);
		ret = copy_out(ch, to, n);
		if (ret == -ERESTART && signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();		/* a thread may move the tail for as long as it likes */
	} while (ret == -ERESTART);
	if (!ret && !ended)
		ret = -EAGAIN;
	return ret;
}

ssize_t softpt_unit_read(struct file *file, char __user *to, size_t n, loff_t *pos)
{
	struct softpt_unit *unit = file->private_data;
	ssize_t ret;

	if (READ_ONCE(unit->mapped))
		return -EBUSY;
	if (!n)
		return 0;
	if (file->f_flags & O_NONBLOCK)
		return read_once(&unit->ch, to, n);
	do {
		ret = wait_event_interruptible(unit->ch.wait.rd_wait,
					       softpt_channel_readable(&unit->ch));
		if (!ret)
			ret = read_once(&unit->ch, to, n);
	} while (ret == -EAGAIN);	/* another reader was faster */
	return ret;
}

ssize_t softpt_unit_write(struct file *file, const char __user *from, size_t n, loff_t *pos)
{
	struct softpt_unit *unit = file->private_data;
	const struct softpt_source_ops *ops = READ_ONCE(unit->session->ops);

	if (!ops->write)
		return -EINVAL;
	return ops->write(&unit->ch, from, n, file->f_flags & O_NONBLOCK);
}

/* Latched until SOFTPT_GET_STATUS has reported the count; an `ovf` event is no loss of ours. */
static bool loss_unseen(const struct softpt_unit *unit)
{
	return READ_ONCE(unit->ch.flags) & SOFTPT_ST_LOST &&
	       READ_ONCE(unit->ch.loss.lost) != READ_ONCE(unit->lost_seen);
}

__poll_t softpt_unit_poll(struct file *file, poll_table *wait)
{
	struct softpt_unit *unit = file->private_data;
	struct softpt_channel *ch = &unit->ch;
	__poll_t mask = 0;
	u64 pos, unread;
	bool done;

	poll_wait(file, &ch->wait.rd_wait, wait);
	if (poll_requested_events(wait) & EPOLLRDBAND)
		poll_wait(file, &ch->wait.truth_wait, wait);
	if (poll_requested_events(wait) & EPOLLOUT) {
		poll_wait(file, &ch->wait.wr_wait, wait);
		softpt_channel_watch_room(ch);
	} else {
		softpt_channel_wake_writers(ch);	/* who polls has moved the tail */
	}
	smp_mb();	/* queued before the look: pairs with wq_has_sleeper() */
	/* Before the look at the ring: the end is behind all packets. */
	done = smp_load_acquire(&ch->flags) & SOFTPT_ST_DONE;
	unread = softpt_ring_unread(&ch->ring, &pos);
	if (unread && softpt_channel_readable(ch))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (softpt_channel_truth_waits(ch))
		mask |= EPOLLRDBAND;
	if (done)
		mask |= EPOLLHUP;
	if (loss_unseen(unit))
		mask |= EPOLLERR;
	if (READ_ONCE(ch->shown.wrapped))
		mask |= EPOLLPRI;
	if (READ_ONCE(ch->running) && READ_ONCE(unit->session->ops)->write &&
	    softpt_channel_writable(ch))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

/* The ring from page 0 on, and the truth's far behind */
static struct softpt_ring *ring_at(struct softpt_unit *unit, const struct vm_area_struct *vma,
				   unsigned long *first)
{
	const unsigned long truth = SOFTPT_TRUTH_OFFSET >> PAGE_SHIFT;

	if (vma->vm_pgoff < truth) {
		*first = vma->vm_pgoff;
		return &unit->ch.ring;
	}
	*first = vma->vm_pgoff - truth;
	return &unit->ch.truth.ring;
}

/* A debugger of the reader looks at what is mapped there, and changes nothing. */
static int look(struct vm_area_struct *vma, unsigned long address, void *to, int n, int write)
{
	unsigned long first, at = address - vma->vm_start;
	const struct softpt_ring *ring = ring_at(vma->vm_file->private_data, vma, &first);

	if (write)
		return -EACCES;
	n = min_t(unsigned long, n, vma->vm_end - address);
	data_race(memcpy(to, ring->base + first * PAGE_SIZE + at, n));	/* as the reader does */
	return n;
}

static const struct vm_operations_struct vm_ops = {
	.access = look,
};

int softpt_unit_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct softpt_unit *unit = file->private_data;
	unsigned long first;
	struct softpt_ring *ring = ring_at(unit, vma, &first);
	bool data;
	int err;

	if (!ring->size)
		return -EINVAL;
	vma->vm_ops = &vm_ops;
	err = softpt_ring_mmap(ring, vma, first, &data);
	if (!err && data && ring == &unit->ch.ring)
		WRITE_ONCE(unit->mapped, true);
	return err;
}
