/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flight recorder of a translated program: its newest records are held, and are made into packets
 * when a trigger event comes, or at the end. (US 5,996,092)
 */
#ifndef SOFTPT_TOOL_RECORD_FLIGHT_H
#define SOFTPT_TOOL_RECORD_FLIGHT_H

#include "job.h"
#include "members.h"

/**
 * struct flight - what is waited for, and what came
 * @trigger: what is waited for; set.nr 0: the end
 * @seen: how often each trigger's source was seen
 * @fired: a trigger event has come, of which the following tell
 * @index: of the trigger
 * @slot: where the thread is
 * @tid: its number
 * @event: what happened there
 * @ip: where; 0: not known
 * @marked: its TRIG packet is written
 */
struct flight {
	const struct record_trigger *trigger;
	uint64_t seen[SOFTPT_TRIGGERS];
	bool fired;
	unsigned int index;
	const struct slot *slot;
	pid_t tid;
	struct softpt_xl_escape event;
	uint64_t ip;
	bool marked;
};

/* Return: NULL, or why this can't be done with a translated program */
const char *flight_refusal(const struct record_job *job);

/* What an escape says of its thread */
void flight_place(struct place *p, const struct softpt_xl_escape *e);

/* An escape, in order: @s->here is the thread behind it then. @ip: where it is; 0: unknown */
void flight_escape(struct flight *f, struct slot *s, const struct softpt_xl_escape *e, uint64_t ip);

/* Whether this escape, which comes a second time, is the trigger event; once */
bool flight_marks(struct flight *f, const struct slot *s, const struct softpt_xl_escape *e);

/**
 * flight_is_over() - whether all that was to be recorded behind the trigger event is
 * @f: fired
 * @bytes: of packets that were made behind it
 * @tsc: now
 */
bool flight_is_over(const struct flight *f, uint64_t bytes, uint64_t tsc);

#endif /* SOFTPT_TOOL_RECORD_FLIGHT_H */
