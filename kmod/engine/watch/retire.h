/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event addresses (US 7,747,844): a FIFO of retirements that an event freezes, so that
 * the instruction behind the event can be found in it. The unit records; finding is
 * the library's (userspace/lib/retire/find.c). (Documentation/address.rst)
 */
#ifndef _SOFTPT_ENGINE_RETIRE_H
#define _SOFTPT_ENGINE_RETIRE_H

#include "../state.h"

/**
 * softpt_fifo_arm() - forget all records, and record from now on
 * @e: the unit
 * @p: judged by the caller: each value within its row of SOFTPT_PIPELINE_KEYS
 * @counter: freezes the records when it overflows, which it has not yet
 * @entry: SOFTPT_FIFO_DEPTH of them, which are the unit's until it is armed anew
 */
void softpt_fifo_arm(struct softpt_engine *e, const struct softpt_pipeline *p, u8 counter,
		     struct softpt_retirement *entry);

/* Record nothing from now on. */
void softpt_fifo_disarm(struct softpt_engine *e);

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

/*
 * A live unit: its source tells what retires, not its events. A program that is stepped has no
 * clock of its own. Here an instruction takes one, and all that it causes is in that clock, at
 * the last stage: a page fault too, although the instruction retires after it.
 */

/**
 * softpt_fifo_execute() - what happens from now on is caused by an instruction
 * @e: a live unit
 * @ip: the instruction's, which is to retire next: if another does, it was flushed
 */
void softpt_fifo_execute(struct softpt_engine *e, u64 ip);

/**
 * softpt_fifo_retire() - an instruction has retired
 * @e: a live unit
 * @ip: the instruction's
 * @n: how many have; 1, but for those that cannot be told apart
 *
 * What happens until the next begins is caused by it, too.
 */
void softpt_fifo_retire(struct softpt_engine *e, u64 ip, u32 n);

/* What is counted until the instruction that executes retires is of its access to this data. */
void softpt_fifo_access(struct softpt_engine *e, u64 address);

/* The instructions that follow are not the next of those before */
void softpt_fifo_flush(struct softpt_engine *e);

/* Something was counted: is it the event? */
void softpt_fifo_counted(struct softpt_engine *e);

/* For the engine's own files, while softpt_fifo_follows() */
void softpt_fifo_event(struct softpt_engine *e, const struct softpt_event *ev);
void softpt_fifo_clock(struct softpt_engine *e, u64 tsc);
bool softpt_fifo_overflowed(const struct softpt_engine *e);
/* The event is a clock of a duration, which is that of now; @over more have been counted */
void softpt_fifo_lasting(struct softpt_engine *e, u8 stage, u64 over);

#endif /* _SOFTPT_ENGINE_RETIRE_H */
