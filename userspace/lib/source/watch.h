/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggers of addresses, in the records of translated threads: as the engine judges events */
#ifndef SOFTPT_SOURCE_WATCH_H
#define SOFTPT_SOURCE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/translate.h>

#include "../../../kmod/engine/engine.h"
#include "source/translate.h"

/**
 * struct xl_watch - the exits of a process, and which of them triggers have to look at
 * @process: its area; the program may write anything there
 * @trigger: of all sources; those of addresses count here
 * @nr: how many
 * @flags: by the number of the exit
 * @insns: by the number of the exit, where it was looked at
 * @flushes: of the process, when all of these were made
 */
struct xl_watch {
	const struct softpt_xl_process *process;
	const struct softpt_trigger *trigger;
	unsigned int nr;
	uint8_t *flags;
	uint16_t *insns;
	uint32_t flushes;
};

/**
 * struct xl_visit - where a thread is, and which triggers have seen it there
 * @on: the next record goes on where the last has ended: no branch led there
 * @counted: triggers that the run of instructions since the last branch has hit
 * @pending: of these, those whose hit is told when the run ends
 * @ip: where the hit of a trigger in @pending was
 * @run: where that run began
 * @held: how many there are of @held_ip
 * @held_ip: where interrupts came that have not returned, and where a run had just begun
 */
struct xl_visit {
	bool on;
	uint8_t counted;
	uint8_t pending;
	uint64_t ip[SOFTPT_TRIGGERS];
	uint64_t run;
	uint8_t held;
	uint64_t held_ip[SOFTPT_TRIGGER_HELD];
};

/**
 * struct xl_hit - execution got to an address that a trigger waits for
 * @trigger: its number
 * @behind: when the step was done; else when the thread had come there
 * @step: which of the record; XL_STEP_END: none
 * @ip: the address
 */
struct xl_hit {
	uint8_t trigger;
	bool behind;
	uint16_t step;
	uint64_t ip;
};

/* What is told of hits, in order */
struct xl_hits {
	void (*hit)(void *ctx, const struct xl_hit *hit);
	void *ctx;
};

/* @trigger has to stay. Return: 0 or -ENOMEM */
int xl_watch_init(struct xl_watch *w, const struct softpt_xl_process *process,
		  const struct softpt_trigger *trigger, unsigned int nr);
void xl_watch_free(struct xl_watch *w);

/* Forget all, if the process has begun anew: then no record at hand is of before. */
void xl_watch_look(struct xl_watch *w);

/**
 * xl_watch_exit() - an exit was taken
 * @w: the exits
 * @v: the thread
 * @record: its number
 * @known: exits that there are
 * @hits: who is told
 *
 * Return: its instructions, or -EBADMSG.
 */
int xl_watch_exit(struct xl_watch *w, struct xl_visit *v, uint32_t record, uint32_t known,
		  const struct xl_hits *hits);

/**
 * xl_watch_escape() - what no exit says
 * @w: the exits
 * @v: the thread
 * @e: what it is
 * @in_kernel: the thread was, before it
 * @hits: who is told
 *
 * Return: instructions of the program that it tells of, or -EBADMSG.
 */
int xl_watch_escape(struct xl_watch *w, struct xl_visit *v, const struct softpt_xl_escape *e,
		    bool in_kernel, const struct xl_hits *hits);

#endif /* SOFTPT_SOURCE_WATCH_H */
