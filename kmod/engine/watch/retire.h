/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The retirement FIFO (US 7,747,844). An event freezes it, and the instruction behind the event
 * is found in it: the event address. The engine fills the FIFO; userspace/lib/retire/find.c finds
 * the address. (Documentation/reference/address.rst)
 */
#ifndef _SOFTPT_ENGINE_RETIRE_H
#define _SOFTPT_ENGINE_RETIRE_H

#include "../state.h"

/**
 * softpt_fifo_arm() - empty the FIFO, and fill it from now on
 * @e: the engine
 * @p: checked by the caller: each value within its row of SOFTPT_PIPELINE_KEYS
 * @counter: freezes the FIFO when it overflows; has not overflowed yet
 * @entry: memory for SOFTPT_FIFO_DEPTH entries; in use until the FIFO is armed anew or disarmed
 */
void softpt_fifo_arm(struct softpt_engine *e, const struct softpt_pipeline *p, u8 counter,
		     struct softpt_retirement *entry);

/**
 * softpt_fifo_disarm() - empty the FIFO, and leave it empty
 * @e: the engine
 */
void softpt_fifo_disarm(struct softpt_engine *e);

/**
 * softpt_fifo_end() - no event will follow: a FIFO that is freezing is frozen now
 * @e: the engine
 *
 * That is early (SOFTPT_RETIRED_EARLY), unless the delays are over.
 */
void softpt_fifo_end(struct softpt_engine *e);

/**
 * softpt_fifo_read() - read an entry
 * @f: the FIFO
 * @i: 0 is the oldest
 *
 * Return: the entry, or NULL behind the newest.
 */
const struct softpt_retirement *softpt_fifo_read(const struct softpt_fifo *f, u32 i);

/*
 * Of a live channel, the source calls these for each instruction. A program that is stepped has
 * no clock. Here an instruction takes one clock. All that it causes is in that clock, at the last
 * stage: a page fault too, although the instruction retires after it.
 */

/**
 * softpt_fifo_execute() - an instruction executes, and causes what is counted from now on
 * @e: the engine of a live channel
 * @ip: its address. It retires next; if another instruction retires, this one was flushed
 */
void softpt_fifo_execute(struct softpt_engine *e, u64 ip);

/**
 * softpt_fifo_retire() - an instruction has retired
 * @e: the engine of a live channel
 * @ip: its address
 * @n: number of instructions; more than 1 where they cannot be distinguished
 *
 * It causes what is counted until the next instruction executes, too.
 */
void softpt_fifo_retire(struct softpt_engine *e, u64 ip, u32 n);

/**
 * softpt_fifo_access() - the instruction that executes accesses data
 * @e: the engine of a live channel
 * @address: what is counted until it retires is of this address
 */
void softpt_fifo_access(struct softpt_engine *e, u64 address);

/**
 * softpt_fifo_flush() - the pipeline is flushed: the next entry is marked so
 * @e: the engine of a live channel
 */
void softpt_fifo_flush(struct softpt_engine *e);

/**
 * softpt_fifo_counted() - freeze the FIFO if its counter has overflowed
 * @e: the engine of a live channel; the instruction that executes has just been counted
 */
void softpt_fifo_counted(struct softpt_engine *e);

/* For event.c, while softpt_fifo_follows(): an event has happened; time passes. */
void softpt_fifo_event(struct softpt_engine *e, const struct softpt_event *ev);
void softpt_fifo_clock(struct softpt_engine *e, u64 tsc);
bool softpt_fifo_overflowed(const struct softpt_engine *e);
/* For duration.c: the counter overflowed in a clock, which is now; @over more are counted. */
void softpt_fifo_lasting(struct softpt_engine *e, u8 stage, u64 over);

#endif /* _SOFTPT_ENGINE_RETIRE_H */
