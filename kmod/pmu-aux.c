// SPDX-License-Identifier: GPL-2.0-only
/*
 * A unit whose ring is perf's AUX area, mapped a second time and twice in a row. perf is
 * the reader: its handle says how far it has read (tail), and when it wants to know of
 * more (wakeup). One event at a time writes to an area, whatever CPU it is on, so that
 * the unit goes with the area and the stream in it goes on from event to event.
 */

#include <linux/slab.h>

#include "pmu.h"
#include "put.h"

/**
 * softpt_aux_setup() - pmu::setup_aux
 * @event: the one that the area is mapped for
 * @pages: its pages, by address
 * @nr: how many
 * @overwrite: a snapshot
 *
 * Return: the unit, or NULL.
 */
void *softpt_aux_setup(struct perf_event *event, void **pages, int nr, bool overwrite)
{
	struct softpt_unit *unit = kvzalloc(sizeof(*unit), GFP_KERNEL_ACCOUNT);

	if (!unit)
		return NULL;
	if (softpt_ring_init_on(&unit->ring, pages, nr, overwrite)) {
		kvfree(unit);
		return NULL;
	}
	unit->tell = softpt_pmu_tell;
	return unit;
}

/* pmu::free_aux: no event writes there any more */
void softpt_aux_free(void *data)
{
	struct softpt_unit *unit = data;

	softpt_ring_free(&unit->ring);
	kvfree(unit);
}

/* Live units go on when half of the ring is free. */
static bool waits_for_room(const struct softpt_unit *unit)
{
	return unit->losing && softpt_ring_room(&unit->ring) < unit->ring.size / 2;
}

/* CIRC_SPACE() keeps a byte free; the unit keeps more. */
static bool begin(struct softpt_aux *aux, struct perf_event *event)
{
	struct softpt_unit *unit = perf_aux_output_begin(&aux->handle, event);
	struct softpt_ring *ring;

	if (!unit)
		return false;
	aux->unit = unit;
	ring = &unit->ring;
	if (!ring->snapshot) {
		ring->head = aux->handle.head;
		ring->reader->tail = ring->head - (ring->size - 1 - aux->handle.size);
	}
	aux->from = ring->head;
	softpt_unit_shut(unit);
	return true;
}

/* What was written since begin() is perf's. With TRUNCATED it disables the event, soon. */
static void end(struct softpt_aux *aux)
{
	const struct softpt_ring *ring = &aux->unit->ring;

	if (ring->snapshot)
		aux->handle.head = ring->head & (ring->size - 1);
	perf_aux_output_end(&aux->handle, min(ring->head - aux->from, ring->size));
}

/**
 * softpt_aux_begin() - write to an event's area
 * @aux: this CPU's; @aux->unit is set
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
	if (!waits_for_room(aux->unit))
		return true;
	perf_aux_output_flag(&aux->handle, PERF_AUX_FLAG_TRUNCATED);
	end(aux);
	return false;
}

/**
 * softpt_aux_written() - the unit has written something, or lost it
 * @aux: this CPU's
 *
 * perf gets what it waits for, and is told once when packets are lost.
 *
 * Context: interrupts off.
 */
void softpt_aux_written(struct softpt_aux *aux)
{
	struct perf_event *event = aux->handle.event;
	struct softpt_unit *unit = aux->unit;

	if (!event || unit->ring.snapshot)
		return;
	if (unit->losing) {
		if (aux->truncated)
			return;
		aux->truncated = true;
		perf_aux_output_flag(&aux->handle, PERF_AUX_FLAG_TRUNCATED);
	} else if (likely(unit->ring.head < aux->handle.wakeup)) {
		return;
	}
	end(aux);
	if (!begin(aux, event)) {
		softpt_unit_shut(unit);
		unit->open = false;
	}
}

/**
 * softpt_aux_end() - nothing more is written
 * @aux: this CPU's, of which softpt_aux_begin() was true
 *
 * Context: interrupts off.
 */
void softpt_aux_end(struct softpt_aux *aux)
{
	if (aux->handle.event)
		end(aux);
}
