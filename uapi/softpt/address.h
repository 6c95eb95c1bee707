/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Event addresses (US 7,747,844): the pipeline that instructions go through, and the
 * records that a unit keeps as they leave it. Engine and library share it. Shared
 * source, not ABI. (Documentation/address.rst)
 */
#ifndef _SOFTPT_ADDRESS_H
#define _SOFTPT_ADDRESS_H

#include <linux/types.h>

#define SOFTPT_FIFO_DEPTH	256	/* records that a unit keeps at most */
#define SOFTPT_STAGES_MAX	255	/* as many as an event can name */
#define SOFTPT_DELAY_MAX	0x7fffffff	/* cycles, of each delay */

/* ROW(key, field, min, max, default, what) of each key of `softpt sim --pipeline` */
#define SOFTPT_PIPELINE_KEYS(ROW) \
	ROW("stages", stages, 1, SOFTPT_STAGES_MAX, 0, "the last is where they retire") \
	ROW("min", min, 0, SOFTPT_DELAY_MAX, 0, "least cycles from event to freeze") \
	ROW("delay", delay, 0, SOFTPT_DELAY_MAX, 0, "cycles that are recorded beyond that") \
	ROW("write", write, 0, SOFTPT_DELAY_MAX, 0, "cycles from a retirement to its record") \
	ROW("depth", depth, 1, SOFTPT_FIFO_DEPTH, SOFTPT_FIFO_DEPTH, "records that are kept") \
	ROW("after", after, 0, 1, 0, "1: record only what is needed from the event on")

/**
 * struct softpt_pipeline - an in-order pipeline, and when its records freeze
 * @stages: the last of them is where instructions retire
 * @min: cycles from an event to the freeze at least
 * @delay: cycles that are programmed in addition
 * @write: cycles from a retirement to the writing of its record
 * @depth: records that are kept
 * @after: 1: nothing is recorded before the event but the clock that retired last
 */
struct softpt_pipeline {
	__u32 stages;
	__u32 min;
	__u32 delay;
	__u32 write;
	__u32 depth;
	__u32 after;
};

/* struct softpt_retirement.flags */
#define SOFTPT_RETIRED		0x1	/* an instruction retired: the address is one */
#define SOFTPT_RETIRED_FLUSHED	0x2	/* the pipeline was flushed since the record before */
#define SOFTPT_RETIRED_EARLY	0x4	/* frozen before the delays were over */
/* ours: an instruction may have left the pipeline otherwise since the record before */
#define SOFTPT_RETIRED_SQUASHED	0x8

/**
 * struct softpt_retirement - a record
 * @ip: of the instruction
 * @cycles: core cycles since the record before; 0: both are of one clock
 * @count: instructions that it stands for; 0 only in the last: its clock retired none
 * @flags: SOFTPT_RETIRED*
 */
struct softpt_retirement {
	__u64 ip;
	__u64 cycles;
	__u32 count;
	__u32 flags;
};

/**
 * struct softpt_freeze - the event that froze the records
 * @events: how many events had been counted
 * @stage: where its instruction was, 0: not known
 * @occupied: how many later stages held an instruction that had not retired before,
 *     where @occupied_known
 * @occupied_known: whether the event said so
 * @reserved: zero
 */
struct softpt_freeze {
	__u64 events;
	__u8 stage;
	__u8 occupied;
	__u8 occupied_known;
	__u8 reserved[5];
};

/* Cycles from the event to the clock of the last record; negative: it ends before the event */
static inline __s64 softpt_pipeline_reach(const struct softpt_pipeline *p)
{
	return (__s64)p->min + p->delay - p->write - 1;
}

#endif /* _SOFTPT_ADDRESS_H */
