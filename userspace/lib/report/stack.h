/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of a report, and their functions that have not returned */
#ifndef SOFTPT_REPORT_STACK_H
#define SOFTPT_REPORT_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/process.h"
#include "report/index.h"
#include "report/parts.h"

/**
 * struct report_frame - a function that has not returned
 * @group: that it counts for
 * @link: that it counts for, INDEX_NEW: none
 * @seen: its call was seen
 * @outer: none of its group was called before: what it costs in all is of the group
 * @away: @parts are valid; else nothing of them was in it
 * @id: of all functions that were entered, in that order, from 1 on
 * @executed: instructions of the thread up to its call
 * @inner: instructions of the functions that it called, and that have returned
 * @when: its call
 * @losses: of the thread up to its call
 * @parts: of the time since its call, but for those of functions that have not returned
 */
struct report_frame {
	uint32_t group;
	uint32_t link;
	bool seen;
	bool outer;
	bool away;
	uint64_t id;
	uint64_t executed;
	uint64_t inner;
	struct softpt_flow_time when;
	uint64_t losses;
	struct report_parts parts;
};

/**
 * struct report_slot - a group in a thread
 * @active: calls that have not returned
 * @link: of the outermost of them
 * @self_covered: up to where its own time was raised
 * @total_covered: up to where its time in all was raised
 */
struct report_slot {
	uint32_t active;
	uint32_t link;
	uint64_t self_covered;
	uint64_t total_covered;
};

enum report_state {
	REPORT_UNSEEN,		/* nothing is known of it yet */
	REPORT_TRACED,
	REPORT_UNTRACED,
	REPORT_LOST,
};

struct report_thread {
	const struct softpt_flow_thread *thread;
	enum report_state state;
	struct report_frame *frame;
	uint32_t frames;
	uint32_t room;
	struct report_slot *slot;	/* by group */
	uint32_t slots;
	uint64_t *link_covered;		/* by link: up to where its time was raised */
	uint32_t links;
	uint64_t executed;		/* up to the last row */
	struct softpt_flow_time last;	/* row */
	uint64_t losses;
	uint64_t covered;		/* by @traced */
	struct report_span traced;
	struct report_parts parts;
};

struct report_threads {
	struct report_thread **thread;
	uint32_t n;
	struct report_index by_pointer;
	struct report_thread *recent;
};

/* Return: NULL without memory */
struct report_thread *threads_find(struct report_threads *t,
				   const struct softpt_flow_thread *thread);
/* The same: rows of a thread come one after the other, mostly */
static inline struct report_thread *threads_get(struct report_threads *t,
						const struct softpt_flow_thread *thread)
{
	return t->recent && t->recent->thread == thread ? t->recent : threads_find(t, thread);
}

void threads_free(struct report_threads *t);

/* Return: false without memory */
bool stack_grow_slots(struct report_thread *t, uint32_t group);
/* What @link_covered has of a link. Return: NULL without memory */
uint64_t *stack_link_covered(struct report_thread *t, uint32_t link);
/* Room for one more function. Return: NULL without memory */
struct report_frame *stack_push(struct report_thread *t);

/* Return: NULL without memory */
static inline struct report_slot *stack_slot(struct report_thread *t, uint32_t group)
{
	if (group >= t->slots && !stack_grow_slots(t, group))
		return NULL;
	return &t->slot[group];
}

static inline struct report_frame *stack_top(const struct report_thread *t)
{
	return t->frames ? &t->frame[t->frames - 1] : NULL;
}

#endif /* SOFTPT_REPORT_STACK_H */
