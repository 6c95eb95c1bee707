/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine in this process, and the truth about its output: when each record of the
 * stream really happened. For `softpt sim` and the tests.
 */
#ifndef SOFTPT_SIM_SIM_H
#define SOFTPT_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../kmod/engine/engine.h"
#include "truth/match.h"

#define SIM_FROZEN	1
#define SIM_REFUSED	2	/* who returns it has said why, or will */

/* Where packets and rows go. Return: 0, or -errno to stop */
struct sim_output {
	int (*bytes)(void *ctx, const void *buf, size_t len);
	truth_row_fn row;
	/* A trigger wants what bytes() got frozen. Return: as above; SIM_FROZEN: and to stay so */
	int (*freeze)(void *ctx);
	void *ctx;
};

struct sim;
struct softpt_frozen;

/**
 * sim_new() - an engine that writes to @out
 * @cfg: checked configuration (softpt_config_check())
 * @out: any of its functions may be NULL
 *
 * Return: NULL without memory.
 */
struct sim *sim_new(const struct softpt_config *cfg, const struct sim_output *out);

/* The engine of a live unit: a gap that owes too much is healed. */
void sim_live(struct sim *s);

/**
 * sim_event() - give one event to the engine
 * @s: the unit
 * @ev: the event
 * @why: set when the event is refused
 *
 * Return: 0; -EINVAL, -ERANGE: refused; -EFBIG: with 4 GiB written of it more is to come, and
 * @why is set, too; else what the output returned. After SIM_FROZEN the event may not have
 * happened.
 */
int sim_event(struct sim *s, const struct softpt_event *ev, const char **why);

/**
 * sim_check() - why a unit refuses an event
 * @cfg: of the unit
 * @now: TSC of the event before
 * @ev: the event
 * @why: set when the event is refused
 *
 * Return: 0; -EINVAL, -ERANGE: refused.
 */
int sim_check(const struct softpt_config *cfg, uint64_t now, const struct softpt_event *ev,
	      const char **why);

/* No PSB+ but where sim_anchor() is called */
void sim_hold_psb(struct sim *s);

/* A TSC packet of @tsc: all events before it had happened by then. Return: as sim_event() */
int sim_anchor(struct sim *s, uint64_t tsc);

/* Room of sim_bulk(), at least */
#define SIM_BULK_ROOM	8192

/**
 * sim_bulk() - for softpt_engine_run()
 * @s: the simulator
 * @sink: set to room for packets; sim_bulk_end() gets it back
 * @err: set to 0, or to what the output returned
 *
 * Return: the engine.
 */
struct softpt_engine *sim_bulk(struct sim *s, struct softpt_sink *sink, int *err);
void sim_bulk_end(struct sim *s, const struct softpt_sink *sink);

/* Hand on what the engine has written. Return: what the output returned */
int sim_flush(struct sim *s);

/* The end of the input: TNT flush, closing anchor, and all rows */
int sim_finish(struct sim *s);

/* Its counters, to be set */
struct softpt_counters *sim_counters(struct sim *s);
/* Stop, clear and start counters, between two events; checked by softpt_count_check() */
void sim_count(struct sim *s, const struct softpt_count_args *args);
/* Count the clocks of durations up to a time before the next event */
void sim_settle(struct sim *s, uint64_t tsc);
/* Record what retires, until this counter overflows */
void sim_record(struct sim *s, const struct softpt_pipeline *p, uint8_t counter);
/**
 * sim_frozen() - what the retirement FIFO holds
 * @s: sim_record() was called
 * @record: room for SOFTPT_FIFO_DEPTH
 * @frozen: filled in, but for @capacity
 *
 * Return: whether it is frozen; if not, it holds none.
 */
bool sim_frozen(const struct sim *s, struct softpt_retirement *record,
		struct softpt_frozen *frozen);

/* Arm @n triggers, before the first event. Return: 0; -EINVAL: one is refused */
int sim_arm(struct sim *s, const struct softpt_trigger *trigger, unsigned int n);
/* The stream's offset behind the last trigger event that no freeze has followed */
uint64_t sim_triggered(const struct sim *s);

const struct softpt_engine *sim_engine(const struct sim *s);
const struct softpt_decoder *sim_decoder(const struct sim *s);
void sim_free(struct sim *s);

#endif /* SOFTPT_SIM_SIM_H */
