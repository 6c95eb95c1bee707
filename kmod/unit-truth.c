// SPDX-License-Identifier: GPL-2.0-only
/*
 * The truth ring of a unit: a ring like that of the packets, in which the engine says what wrote
 * each piece of them, and when. Nobody waits for room in it. (Documentation/truth.rst)
 */

#include "put.h"

/* As many whole records as there is room for now */
static void find_room(struct softpt_unit *unit)
{
	struct softpt_truth_log *told = &unit->told;
	struct softpt_sink room;

	softpt_ring_begin(&unit->truth, 0, &room);
	told->cur = (struct softpt_truth *)room.cur;
	told->end = told->cur + (room.end - room.cur) / sizeof(*told->cur);
}

/**
 * softpt_unit_alloc_truth() - memory for the truth, where the session asks for it
 * @unit: new
 * @config: of its session
 *
 * Return: as softpt_ring_init().
 */
int softpt_unit_alloc_truth(struct softpt_unit *unit, const struct softpt_config *config)
{
	struct softpt_config truth = { .ring = config->truth, .mode = SOFTPT_RING_STREAM };

	return config->truth ? softpt_ring_init(&unit->truth, &truth, unit->cpu) : 0;
}

void softpt_unit_free_truth(struct softpt_unit *unit)
{
	if (unit->truth.size)
		softpt_ring_free(&unit->truth);
}

/**
 * softpt_unit_renew_truth() - the engine is new, and its clock may begin anywhere
 * @unit: the unit, owned by the caller
 *
 * Bits that waited in the engine before are never written: to the reader that is a hole.
 */
void softpt_unit_renew_truth(struct softpt_unit *unit)
{
	struct softpt_truth_log *told = &unit->told;

	*told = (struct softpt_truth_log){
		.lost = told->lost,
		.torn = told->torn || told->began,
	};
}

/**
 * softpt_unit_arm_truth() - the engine is new, or goes on
 * @unit: the unit, owned by the caller
 */
void softpt_unit_arm_truth(struct softpt_unit *unit)
{
	if (!unit->truth.size)
		return;
	unit->told.base = unit->ring.head - unit->engine.counts.bytes;
	find_room(unit);
	softpt_truth_arm(&unit->engine, &unit->told);
}

/**
 * softpt_unit_show_truth() - show the reader what the engine has said
 * @unit: the unit, owned by the caller
 */
void softpt_unit_show_truth(struct softpt_unit *unit)
{
	struct softpt_ring *ring = &unit->truth;
	const u8 *from = ring->data + (ring->head & (ring->size - 1));
	struct softpt_counts *counts = &ring->control->counts;

	softpt_ring_commit(ring, (const u8 *)unit->told.cur - from);
	counts->bytes = ring->head;
	counts->events = ring->head / sizeof(struct softpt_truth);
	counts->events_lost = unit->told.lost;
	find_room(unit);
}

/* Whether as much is unread as the reader waits for */
bool softpt_unit_truth_waits(const struct softpt_unit *unit)
{
	const struct softpt_ring *ring = &unit->truth;
	u64 pos;

	return ring->size && softpt_ring_unread(ring, &pos) >= softpt_ring_watermark(ring);
}

/*
 * Whether somebody sleeps until it does: who reads packets alone is not to be woken by what
 * nobody takes away. All of @readable are woken, so nobody wakes @truth_polled.
 */
bool softpt_unit_truth_wakes(struct softpt_unit *unit)
{
	/* Behind the barrier of wq_has_sleeper(), which the caller has asked of @readable */
	return waitqueue_active(&unit->truth_polled) && softpt_unit_truth_waits(unit);
}
