// SPDX-License-Identifier: GPL-2.0-only
/* A channel starts and stops; what its owner asks of it. */

#include <linux/cpu.h>
#include <linux/slab.h>

#include "channel/emit.h"
#include "channel/feed.h"
#include "channel/freeze.h"
#include "channel/hotplug.h"
#include "channel/live.h"
#include "channel/page.h"
#include "channel/retire.h"
#include "channel/start.h"
#include "channel/wait.h"

/**
 * softpt_channel_init() - a channel that does not run, with memory for its packets
 * @ch: zeroed
 * @gate: what it is to follow
 * @config: of the trace: ring and truth
 * @cpu: whose events it is for
 *
 * Return: 0, or -errno as softpt_ring_init().
 */
int softpt_channel_init(struct softpt_channel *ch, struct softpt_gate *gate,
			const struct softpt_config *config, u32 cpu)
{
	int err = softpt_ring_init(&ch->ring, config, cpu);

	if (err)
		return err;
	ch->gate = gate;
	ch->cpu = cpu;
	err = softpt_channel_alloc_truth(ch, config);
	if (err) {
		softpt_ring_free(&ch->ring);
		return err;
	}
	mutex_init(&ch->lock);
	softpt_channel_init_wait(ch);
	INIT_HLIST_NODE(&ch->node);
	return 0;
}

/**
 * softpt_channel_free() - the opposite of softpt_channel_init()
 * @ch: it does not run, and nobody finds it any more. Who still looks at its losses is kept by
 *	RCU, which the owner waits for before the struct goes
 *
 * Context: may sleep.
 */
void softpt_channel_free(struct softpt_channel *ch)
{
	/* On PREEMPT_RT irq_work_sync() waits for RCU, busy or not. RCU keeps the struct anyway. */
	if (irq_work_is_busy(&ch->wait.wake))
		irq_work_sync(&ch->wait.wake);
	cancel_delayed_work_sync(&ch->wait.room);
	softpt_channel_free_truth(ch);
	softpt_ring_free(&ch->ring);
	kfree(ch->retire.records);
	mutex_destroy(&ch->lock);
}

/**
 * softpt_channel_configure() - the engine of a live channel begins afresh
 * @ch: the channel, owned by the caller
 * @config: copied
 */
void softpt_channel_configure(struct softpt_channel *ch, const struct softpt_config *config)
{
	softpt_engine_init(&ch->engine, config);
	ch->engine.live = true;
	ch->loss.losing = false;
	ch->loss.resync = false;
	WRITE_ONCE(ch->loss.crowded, false);
}

/* What was counted stays, and where the channel's events come from. */
static void renew(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	struct softpt_engine *e = &ch->engine;
	struct softpt_counts counts = e->counts;
	bool live = e->live;

	softpt_channel_configure(ch, &setup->config);
	e->counts = counts;
	e->live = live;
	softpt_channel_adopt_counters(ch, setup);
	softpt_channel_renew_truth(ch);
	ch->follow.setup_seq = setup->seq;
}

struct start {
	struct softpt_channel *ch;
	const struct softpt_setup *setup;
};

static void start(void *data)
{
	const struct start *start = data;
	const struct softpt_setup *setup = start->setup;
	struct softpt_channel *ch = start->ch;

	if (ch->follow.setup_seq != setup->seq)
		renew(ch, setup);
	softpt_channel_arm_fifo(ch, setup);
	softpt_channel_arm_truth(ch);
	softpt_channel_arm_triggers(ch, setup);
	softpt_channel_force_check(ch);
	ch->gone = false;
	ch->loss.lossless = ch->engine.live && !ch->ring.snapshot &&
			    setup->config.flags & SOFTPT_F_LOSSLESS;
	WRITE_ONCE(ch->loss.crowded, false);
	WRITE_ONCE(ch->ring.frozen, false);
	WRITE_ONCE(ch->flags, (ch->flags & SOFTPT_ST_LOST) | SOFTPT_ST_ENABLED);
	WRITE_ONCE(ch->running, true);
	softpt_channel_publish(ch);
}

/**
 * softpt_channel_start() - events may come
 * @ch: it does not run, and the lock of its gate is held
 * @setup: copied as far as it is needed
 * @live: events are of the channel's CPU, and cannot wait
 *
 * After an error softpt_channel_stop() and softpt_hotplug_remove() are to be called all the same.
 *
 * Return: 0; -ENXIO when the events are its CPU's and that is offline; -ENOMEM.
 */
int softpt_channel_start(struct softpt_channel *ch, const struct softpt_setup *setup, bool live)
{
	struct start call = { ch, setup };
	int err = softpt_channel_alloc_fifo(ch, setup);

	lockdep_assert_held(ch->gate->lock);
	if (!err && live)
		err = softpt_hotplug_add(ch);
	if (err)
		return err;
	cpus_read_lock();
	if (live && !cpu_online(ch->cpu)) {
		err = -ENXIO;
	} else {
		mutex_lock(&ch->lock);
		ch->engine.live = live;
		softpt_channel_on_owner(ch, start, &call);
		mutex_unlock(&ch->lock);
	}
	cpus_read_unlock();
	return err;
}

/**
 * softpt_channel_stop() - no event is taken any more, and the reader sees the end
 * @ch: the channel; the lock of its gate is held
 */
void softpt_channel_stop(struct softpt_channel *ch)
{
	lockdep_assert_held(ch->gate->lock);
	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, ch->engine.live ? softpt_channel_stop_live :
						      softpt_channel_stop_fed, ch);
	ch->gone = false;	/* its CPU may have gone until here: that is not to restart it */
	mutex_unlock(&ch->lock);
	wake_up_all(&ch->wait.rd_wait);
	wake_up_all(&ch->wait.wr_wait);
}

struct status_call {
	struct softpt_channel *ch;
	struct softpt_status *status;
};

static void fill_status(void *data)
{
	struct status_call *call = data;
	struct softpt_channel *ch = call->ch;
	const struct softpt_ring *ring = &ch->ring;

	softpt_channel_publish(ch);
	*call->status = (struct softpt_status) {
		.size = sizeof(*call->status),
		.flags = ch->flags,
		.cpu = ch->cpu,
		.exit_code = READ_ONCE(ch->gate->exit_code),
		.head = ring->head,
		.tail = ring->snapshot ? ring->tail : READ_ONCE(ring->reader->tail),
		.counts = ring->control->counts,
	};
}

/**
 * softpt_channel_status() - flags, positions and counts of one instant
 * @ch: the channel
 * @status: filled in
 */
void softpt_channel_status(struct softpt_channel *ch, struct softpt_status *status)
{
	struct status_call call = { ch, status };

	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, fill_status, &call);
	mutex_unlock(&ch->lock);
}

struct demand {
	struct softpt_channel *ch;
	u16 kind;
	int err;
};

/* The demand for a trigger waits where the event has no room. */
static void demand(void *data)
{
	struct demand *d = data;

	if (d->kind == SOFTPT_EV_IDLE && !softpt_trigger_demand(&d->ch->engine))
		d->err = -EINVAL;
	else if (d->ch->engine.live)
		softpt_channel_demand_live(d->ch, d->kind);
	else
		d->err = softpt_channel_demand_fed(d->ch, d->kind);
}

/**
 * softpt_channel_demand() - an event on demand
 * @ch: the channel
 * @kind: SOFTPT_EV_PSB, or SOFTPT_EV_IDLE for SOFTPT_ON_DEMAND
 *
 * Return: 0; -EBADFD when it does not run, -EAGAIN without room, -EINVAL when no trigger
 * waits for that.
 */
int softpt_channel_demand(struct softpt_channel *ch, u16 kind)
{
	struct demand d = { .ch = ch, .kind = kind };

	mutex_lock(&ch->lock);
	if (!READ_ONCE(ch->running))
		d.err = -EBADFD;
	else
		softpt_channel_on_owner(ch, demand, &d);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_readers(ch);
	return d.err;
}
