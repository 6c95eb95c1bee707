// SPDX-License-Identifier: GPL-2.0-only
/*
 * A channel whose ring is perf's AUX area, mapped a second time and twice in a row. perf is
 * the reader: its handle says how far it has read (tail), and when it wants to know of
 * more (wakeup). One event at a time writes to an area, whatever CPU that is on, so that
 * the channel goes with the area, and the stream in it goes on from event to event.
 *
 * An area has no lock: its event is on one CPU, where perf begins and ends the writing with
 * interrupts off. RCU keeps the struct for those who found the channel by its gate.
 */

#include <linux/slab.h>
#include <linux/workqueue.h>

#include "channel/loss.h"
#include "perf/aux.h"
#include "queue.h"

/**
 * struct area - what belongs to an AUX area
 * @ch: the channel
 * @free: frees it once no CPU looks at it any more
 */
struct area {
	struct softpt_channel ch;
	struct rcu_work free;
};

/**
 * softpt_aux_setup() - an area for pmu::setup_aux
 * @pages: its pages, by address
 * @nr: how many
 * @overwrite: a snapshot
 * @notify: of struct softpt_channel
 *
 * Return: the channel, or NULL.
 */
void *softpt_aux_setup(void **pages, int nr, bool overwrite,
		       void (*notify)(struct softpt_channel *ch))
{
	struct area *area = kvzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);

	if (!area)
		return NULL;
	if (softpt_ring_init_on(&area->ch.ring, pages, nr, overwrite)) {
		kvfree(area);
		return NULL;
	}
	area->ch.notify = notify;
	return &area->ch;
}

static void free_area(struct work_struct *work)
{
	struct area *area = container_of(to_rcu_work(work), struct area, free);

	softpt_ring_free(&area->ch.ring);
	kvfree(area);
}

/**
 * softpt_aux_free() - pmu::free_aux: no event writes there any more
 * @ch: the channel
 *
 * That may be news to one: where its output was directed elsewhere meanwhile, the reference that
 * it gives back while it runs (softpt_aux_written()) is the last.
 *
 * Context: any.
 */
void softpt_aux_free(void *ch)
{
	struct area *area = container_of(ch, struct area, ch);

	INIT_RCU_WORK(&area->free, free_area);
	queue_rcu_work(softpt_queue, &area->free);
}

static bool waits_for_room(const struct softpt_channel *ch)
{
	return ch->loss.losing && !softpt_channel_may_resume(ch);
}

/*
 * Back to perf, which may free the area. What was written since begin() is the reader's. With
 * TRUNCATED it disables the event, soon.
 */
static void end(struct softpt_aux *aux)
{
	const struct softpt_ring *ring = &aux->ch->ring;
	u64 written = min(ring->head - aux->from, ring->size);

	if (ring->snapshot)
		aux->handle.head = ring->head & (ring->size - 1);
	softpt_channel_force_check(aux->ch);
	aux->ch->running = false;
	aux->ch = NULL;
	perf_aux_output_end(&aux->handle, written);
}

/* CIRC_SPACE() keeps a byte free; the channel keeps more. */
static bool begin(struct softpt_aux *aux, struct perf_event *event)
{
	struct softpt_channel *ch = perf_aux_output_begin(&aux->handle, event);
	struct softpt_ring *ring;

	if (!ch)
		return false;
	aux->ch = ch;
	ring = &ch->ring;
	if (!ring->snapshot) {
		ring->head = aux->handle.head;
		ring->reader->tail = ring->head - (ring->size - 1 - aux->handle.size);
	}
	aux->from = ring->head;
	softpt_channel_force_check(ch);
	return true;
}

/**
 * softpt_aux_begin() - write to an event's area
 * @aux: this CPU's; @aux->ch is set
 * @event: the event
 *
 * Context: interrupts off.
 * Return: false when there is no area, or no room in it: then perf disables the event
 * until the reader enables it again.
 */
bool softpt_aux_begin(struct softpt_aux *aux, struct perf_event *event)
{
	aux->truncated = false;
	if (!begin(aux, event))
		return false;
	if (!waits_for_room(aux->ch))
		return true;
	perf_aux_output_flag(&aux->handle, PERF_AUX_FLAG_TRUNCATED);
	end(aux);
	return false;
}

/* The same area, or none: the channel's stream does not go on in another. */
static bool again(struct softpt_aux *aux, struct softpt_channel *ch)
{
	struct perf_event *event = aux->handle.event;

	end(aux);
	if (!begin(aux, event))
		return false;
	if (aux->ch != ch) {
		end(aux);
		return false;
	}
	ch->running = true;
	return true;
}

/**
 * softpt_aux_written() - the channel has written something, or lost it
 * @aux: this CPU's, of which softpt_aux_begin() was true
 *
 * perf gets what it waits for, and is notified once when packets are lost.
 *
 * Context: interrupts off.
 * Return: false when no more may be written: there is no room, or perf was directed to write
 * elsewhere; then @aux->ch is NULL.
 */
bool softpt_aux_written(struct softpt_aux *aux)
{
	struct softpt_channel *ch = aux->ch;

	if (!ch)
		return false;
	if (ch->ring.snapshot)
		return true;
	if (ch->loss.losing) {
		if (aux->truncated)
			return true;
		aux->truncated = true;
		perf_aux_output_flag(&aux->handle, PERF_AUX_FLAG_TRUNCATED);
	} else if (likely(ch->ring.head < aux->handle.wakeup && !ch->loss.crowded)) {
		return true;
	}
	return again(aux, ch);
}

/**
 * softpt_aux_can_wait() - whether the reader will be woken before who is traced waits for it
 * @aux: this CPU's
 * @event: whose area it is
 *
 * perf wakes it at the watermark, and has no other way to be asked for.
 */
bool softpt_aux_can_wait(const struct softpt_aux *aux, const struct perf_event *event)
{
	const struct softpt_ring *ring = &aux->ch->ring;
	u64 watermark = event->attr.aux_watermark ?: ring->size / 2;

	return !ring->snapshot && watermark <= softpt_channel_before_crowded(ring);
}

/**
 * softpt_aux_end() - nothing more is written
 * @aux: this CPU's
 *
 * Context: interrupts off.
 */
void softpt_aux_end(struct softpt_aux *aux)
{
	if (aux->ch)
		end(aux);
}

/* No event is left, nor an area. */
void softpt_aux_exit(void)
{
	rcu_barrier();
	flush_workqueue(softpt_queue);
}
