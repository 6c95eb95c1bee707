/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flight recorder of a translated program: its newest records are held, and are made into packets
 * when a trigger event comes, or at the end. (US 5,996,092)
 */
#ifndef SOFTPT_TOOL_RECORD_FLIGHT_H
#define SOFTPT_TOOL_RECORD_FLIGHT_H

#include "../job.h"
#include "../members.h"

/**
 * struct flight - what is waited for, and what came
 * @trigger: what is waited for; set.nr 0: the end
 * @cfg: of the units
 * @seen: how often each trigger's source was seen
 * @mark: trigger events in the record that was looked at last
 * @nr_marks: how many
 * @words: of that record
 * @fired: a trigger event has come that begins a file, of which the following tell
 * @index: of the trigger
 * @slot: where the thread is
 * @tid: its number
 * @tsc: when, or a little later
 * @ip: where; 0: not known
 * @bytes: of packets behind its TRIG packet; so are @psbs
 * @psbs: PSBs
 * @held: bytes of packets of its thread before it
 */
struct flight {
	const struct record_trigger *trigger;
	const struct softpt_config *cfg;
	uint64_t seen[SOFTPT_TRIGGERS];
	struct xl_mark mark[XL_MARKS];
	unsigned int nr_marks;
	unsigned int words;
	bool fired;
	unsigned int index;
	const struct slot *slot;
	pid_t tid;
	uint64_t tsc;
	uint64_t ip;
	uint64_t bytes;
	uint64_t psbs;
	uint64_t held;
};

/* Return: NULL, or why this can't be done with a translated program */
const char *flight_refusal(const struct record_job *job);

/* Whether a trigger waits for an address: then all exits are looked at */
bool flight_watches(const struct flight *f);

/* What an escape says of its thread */
void flight_place(struct place *p, const struct softpt_xl_escape *e);

/* The source of trigger @i was seen in a record of @s, which has so many words, as @hit says. */
void flight_hit(struct flight *f, const struct slot *s, const struct xl_hit *hit,
		unsigned int words);

/* An escape, behind its hits. @ip: where it is; 0: unknown */
void flight_escape(struct flight *f, const struct slot *s, const struct softpt_xl_escape *e,
		   uint64_t ip);

/* Whether all that was to be recorded behind the trigger event is */
bool flight_is_over(const struct flight *f);

/* How many bytes of packets of a thread are wanted before it; UINT64_MAX: all */
uint64_t flight_before(const struct flight *f);

/* All of it is in a file. Return: whether the next trigger event begins another */
bool flight_rearm(struct flight *f);

#endif /* SOFTPT_TOOL_RECORD_FLIGHT_H */
