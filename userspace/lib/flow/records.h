/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a stream that say where a path goes, one after the other, and their times */
#ifndef SOFTPT_FLOW_RECORDS_H
#define SOFTPT_FLOW_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/decoder.h>
#include <softpt/flow.h>

#include "input/input.h"

/**
 * struct flow_records - a cursor
 * @d: what they come from
 * @next: the one that comes next; NULL at the end; of bits in a row, the first
 * @run: bits that come next, and of them @taken were taken
 * @taken: how many
 * @damage: what is between the last one and @next can't be read: minus an error; 0: it can
 * @damage_at: offset of that
 * @widest: bound of a time, as it was told
 * @last: time of the last that was taken, and is no PSB
 * @psb: time of the last PSB that was taken
 * @end: time of what no step is before, behind the last record
 * @before: offset, plus 1, of the packet that was taken last before @run
 * @late: @last's estimate is not computed: it is of the bit before the next
 * @call: number, plus 1, of the system call that @next leaves user mode for; 0: it is not told
 * @buf: the stream
 * @len: bytes of it
 */
struct flow_records {
	struct softpt_decoder *d;
	const struct softpt_record *next;
	struct softpt_record_run run;
	unsigned int taken;
	int damage;
	uint64_t damage_at;
	uint64_t widest;
	struct softpt_flow_time last;
	struct softpt_flow_time psb;
	struct softpt_flow_time end;
	uint64_t before;
	bool late;
	uint64_t call;
	const uint8_t *buf;
	uint64_t len;
};

/* @offset: of the PSB to begin at, or 0. Return: 0 or -ENOMEM */
int flow_records_open(struct flow_records *r, const struct input *in,
		      const struct input_stream *stream, uint64_t offset);
void flow_records_close(struct flow_records *r);

/* How many bits come next. 0: something else does */
static inline unsigned int flow_records_bits(const struct flow_records *r)
{
	return r->run.count - r->taken;
}

/* Behind the next @skip bits, @n of those there are; the first is the highest */
static inline uint64_t flow_records_peek(const struct flow_records *r, unsigned int skip,
					 unsigned int n)
{
	return r->run.bits >> (flow_records_bits(r) - skip - n) & ((1ull << n) - 1);
}

/*
 * The next @n bits are past, of those there are. Return: the widest bound of their times; 0: it is
 * not wider than one that was returned before
 */
uint64_t flow_records_take_bits(struct flow_records *r, unsigned int n);

/* The time of the bit behind the next @skip, of those there are, and of what is just before it */
struct softpt_flow_time flow_records_at_bit(const struct flow_records *r, unsigned int skip);
struct softpt_flow_time flow_records_before_bit(const struct flow_records *r, unsigned int skip);

/* The same of all bits that come next, where an estimate of one is, that of the first */
static inline struct softpt_flow_time flow_records_bounds(const struct flow_records *r)
{
	return (struct softpt_flow_time){
		.tsc = r->next->tsc, .min = r->next->tsc_min, .max = r->next->tsc_max,
		.bounded = r->next->flags & SOFTPT_REC_HAS_MAX,
	};
}

/* The estimates of the next @n bits, of those there are: flow_records_at_bit().tsc of each */
void flow_records_times(const struct flow_records *r, unsigned int n, uint64_t *tsc);

/* What comes next is past, of bits the first. Return: its time */
const struct softpt_flow_time *flow_records_take(struct flow_records *r);

/* @r->next is past, and no step: all of them were before it. */
void flow_records_pass(struct flow_records *r);

/* What is before the packet at @offset is past. Damage before it does not matter. */
void flow_records_skip(struct flow_records *r, uint64_t offset);

/* The time of what no packet tells: not before the last record, nor after the next */
void flow_records_between(struct flow_records *r, struct softpt_flow_time *when);

/* Offset of the packet of the last that was taken, plus 1 */
uint64_t flow_records_before(const struct flow_records *r);

/* Where the next record is, or the end of the stream */
uint64_t flow_records_offset(const struct flow_records *r);

#endif /* SOFTPT_FLOW_RECORDS_H */
