/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event addresses (US 7,747,844): a FIFO of retirements that an event freezes, so that
 * the instruction behind the event can be found in it. The unit records; finding is
 * the library's (userspace/lib/address.c). (Documentation/address.rst)
 */
#ifndef _SOFTPT_ENGINE_ADDRESS_H
#define _SOFTPT_ENGINE_ADDRESS_H

#include <softpt/address.h>
#include "types.h"

struct softpt_engine;
struct softpt_event;

enum softpt_fifo_state {
	SOFTPT_FIFO_OFF,
	SOFTPT_FIFO_RECORDS,
	SOFTPT_FIFO_FREEZES,	/* the event was there, the delays are not over */
	SOFTPT_FIFO_FROZEN,
};

/**
 * struct softpt_fifo - the records, and what freezes them
 * @state: enum softpt_fifo_state
 * @counter: whose overflow is the event
 * @flushed: the pipeline was flushed since the last record
 * @squashed: so that an instruction may be missing since the last record
 * @began: the clock runs
 * @rem: fraction of a cycle, in 1/P1
 * @head: where the next record goes
 * @n: records that are there
 * @tsc: up to which cycles are counted
 * @wake_at: end of a sleep, in which none pass, traced or not; 0: there is none
 * @since: cycles since the last record
 * @left: cycles until the clock of the last record, once the event was there
 * @preset: of the counter, when recording began
 * @pipeline: whose instructions retire
 * @freeze: the event
 * @record: a ring of @pipeline.depth
 */
struct softpt_fifo {
	u8 state;
	u8 counter;
	bool flushed;
	bool squashed;
	bool began;
	u32 rem;
	u32 head;
	u32 n;
	u64 tsc;
	u64 wake_at;
	u64 since;
	u64 left;
	u64 preset;
	struct softpt_pipeline pipeline;
	struct softpt_freeze freeze;
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
};

/**
 * softpt_fifo_arm() - forget all records, and record from now on
 * @e: the unit
 * @p: judged by the caller: each value within its row of SOFTPT_PIPELINE_KEYS
 * @counter: freezes the records when it overflows
 */
void softpt_fifo_arm(struct softpt_engine *e, const struct softpt_pipeline *p, u8 counter);

/**
 * softpt_fifo_end() - no event will follow: an event that waits freezes now
 * @e: the unit
 *
 * That is early, unless the clock of the last record has been reached.
 */
void softpt_fifo_end(struct softpt_engine *e);

/**
 * softpt_fifo_read() - a record
 * @f: the FIFO
 * @i: 0 is the oldest
 *
 * Return: NULL behind the last.
 */
const struct softpt_retirement *softpt_fifo_read(const struct softpt_fifo *f, u32 i);

/* For the engine's own files, while @e->fifo.state is not off */
void softpt_fifo_event(struct softpt_engine *e, const struct softpt_event *ev);
void softpt_fifo_clock(struct softpt_engine *e, u64 tsc);

#endif /* _SOFTPT_ENGINE_ADDRESS_H */
