// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers wait for bytes, and writers for room.
 *
 * A reader of the mapping gives room back with a store, which wakes nobody: while somebody waits
 * for room, a work looks for it.
 */

#include <linux/sched/signal.h>

#include "channel/truth.h"
#include "channel/wait.h"
#include "queue.h"

#define ROOM_RECHECK	max(1, HZ / 100)

static void wake(struct irq_work *work)
{
	struct softpt_channel *ch = container_of(work, struct softpt_channel, wait.wake);

	wake_up_all(&ch->wait.rd_wait);
	if (xchg(&ch->follow.freeze_others, false))
		ch->gate->notify(ch->gate);
}

static void look_for_room(struct work_struct *work)
{
	struct softpt_channel *ch = container_of(work, struct softpt_channel, wait.room.work);

	if (softpt_channel_writable(ch))
		wake_up_all(&ch->wait.wr_wait);
	else if (wq_has_sleeper(&ch->wait.wr_wait))
		queue_delayed_work(softpt_queue, &ch->wait.room, ROOM_RECHECK);
}

void softpt_channel_init_wait(struct softpt_channel *ch)
{
	init_waitqueue_head(&ch->wait.rd_wait);
	init_waitqueue_head(&ch->wait.wr_wait);
	init_waitqueue_head(&ch->wait.truth_wait);
	init_irq_work(&ch->wait.wake, wake);
	INIT_DELAYED_WORK(&ch->wait.room, look_for_room);
}

/**
 * softpt_channel_ended() - whether nothing follows what is unread
 * @ch: the channel
 *
 * Asked before a look at the ring: what that look does not find will not come.
 *
 * Return: true at the end, and of a snapshot that is frozen.
 */
bool softpt_channel_ended(const struct softpt_channel *ch)
{
	/* Acquire: pairs with the release of softpt_channel_mark_done() */
	if (smp_load_acquire(&ch->flags) & SOFTPT_ST_DONE)
		return true;
	/* Acquire: pairs with the release of freeze_ring() */
	return ch->ring.snapshot && smp_load_acquire(&ch->ring.frozen);
}

/**
 * softpt_channel_readable() - whether a reader's wait is over
 * @ch: the channel
 *
 * Return: true with as many bytes as the watermark asks for, with any while somebody
 * waits for room, with a frozen snapshot, and at the end.
 */
bool softpt_channel_readable(const struct softpt_channel *ch)
{
	const struct softpt_ring *ring = &ch->ring;
	u64 pos, unread;

	if (softpt_channel_ended(ch))
		return true;
	if (ring->snapshot)
		return false;
	unread = softpt_ring_unread(ring, &pos);
	return unread >= softpt_ring_watermark(ring) || (unread && READ_ONCE(ch->loss.crowded));
}

/* Context: process. */
void softpt_channel_wake_readers(struct softpt_channel *ch)
{
	if (wq_has_sleeper(&ch->wait.rd_wait) &&
	    (softpt_channel_readable(ch) || softpt_channel_truth_wakes(ch)))
		wake_up_all(&ch->wait.rd_wait);
}

/**
 * softpt_channel_writable() - whether a wait for room is over
 * @ch: the channel
 *
 * Return: true with room, and when there is no point in waiting.
 */
bool softpt_channel_writable(struct softpt_channel *ch)
{
	return !READ_ONCE(ch->running) || softpt_channel_has_room(ch);
}

/* Context: process. */
void softpt_channel_wake_writers(struct softpt_channel *ch)
{
	if (wq_has_sleeper(&ch->wait.wr_wait) && softpt_channel_writable(ch))
		wake_up_all(&ch->wait.wr_wait);
}

/* Who waits on @wait.wr_wait is woken when there is room. */
void softpt_channel_watch_room(struct softpt_channel *ch)
{
	if (!softpt_channel_writable(ch))
		queue_delayed_work(softpt_queue, &ch->wait.room, ROOM_RECHECK);
}

/**
 * softpt_channel_wait_room() - sleep until an event has room
 * @ch: the channel
 *
 * Return: 0, or -ERESTARTSYS on a signal.
 */
int softpt_channel_wait_room(struct softpt_channel *ch)
{
	DEFINE_WAIT(wait);
	int err = 0;

	prepare_to_wait(&ch->wait.wr_wait, &wait, TASK_INTERRUPTIBLE);
	softpt_channel_watch_room(ch);
	if (signal_pending(current))
		err = -ERESTARTSYS;
	else if (!softpt_channel_writable(ch))
		schedule();
	finish_wait(&ch->wait.wr_wait, &wait);
	return err;
}
