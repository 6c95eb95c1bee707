// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "replay": user space writes arrays of struct softpt_event. The times of the events are the
 * clock, and nothing is lost: a full ring makes the writer wait.
 */

#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "channel/feed.h"
#include "channel/wait.h"
#include "source.h"
#include "user.h"

#define CHUNK	(PAGE_SIZE / sizeof(struct softpt_event))

/* Waits for room if that is the reason for @err. Return: 0 to try again. */
static int after(struct softpt_channel *ch, int err, bool nonblock)
{
	if (err != -EAGAIN || nonblock)
		return err;
	return softpt_channel_wait_room(ch);
}

/* Return: how many of @n were taken; if not all, *err is the reason. */
static size_t feed_all(struct softpt_channel *ch, const struct softpt_event *ev, size_t n,
		       bool nonblock, int *err)
{
	size_t done = 0;

	*err = 0;
	while (done < n && !*err) {
		ssize_t ret = softpt_channel_feed(ch, ev + done, n - done);

		if (ret > 0)
			done += ret;
		else
			*err = after(ch, ret, nonblock);
		if (signal_pending(current) && !*err && done < n)
			*err = -ERESTARTSYS;
	}
	return done;
}

/**
 * replay_write() - take events
 * @ch: the channel
 * @from: an array of struct softpt_event
 * @n: its bytes
 * @nonblock: take what there is room for
 *
 * Return: bytes of the whole events that were taken; when that is none: -EINVAL
 * for a part of an event, or what softpt_engine_check() refuses
 * (-ERANGE for a clock ratio), -EBADFD while not enabled or after SOFTPT_FINISH,
 * -EAGAIN without room and @nonblock, -ERESTARTSYS on a signal, -EFAULT.
 */
static ssize_t replay_write(struct softpt_channel *ch, const char __user *from, size_t n,
			    bool nonblock)
{
	struct softpt_event *ev;
	size_t events = n / sizeof(*ev), done = 0, chunk;
	int err = 0;

	if (n % sizeof(*ev))
		return -EINVAL;
	ev = kmalloc_array(CHUNK, sizeof(*ev), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	while (done < events && !err) {
		chunk = min_t(size_t, events - done, CHUNK);
		if (softpt_copy_from_user(ev, from + done * sizeof(*ev), chunk * sizeof(*ev))) {
			err = -EFAULT;
			break;
		}
		done += feed_all(ch, ev, chunk, nonblock, &err);
		if (!err && signal_pending(current))
			err = -ERESTARTSYS;
	}
	kfree(ev);
	return done ? done * sizeof(*ev) : err;
}

/**
 * replay_finish() - no more input will come
 * @ch: the channel
 * @nonblock: don't wait for room
 *
 * Return: 0, or as replay_write().
 */
static long replay_finish(struct softpt_channel *ch, bool nonblock)
{
	int err;

	do {
		err = softpt_channel_finish(ch);
	} while (err == -EAGAIN && !(err = after(ch, err, nonblock)));
	return err;
}

const struct softpt_source_ops softpt_replay_ops = {
	.kind = SOFTPT_SOURCE_REPLAY,
	.name = "replay",
	.write = replay_write,
	.finish = replay_finish,
};
