/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A synthetic program: seeded, reproducible events with calls that return, loops, system calls,
 * sleeps and clock changes. Pure C, so that tests compute the same events as source "synth".
 */
#ifndef _SOFTPT_SYNTH_H
#define _SOFTPT_SYNTH_H

#include "../types.h"
#include <linux/softpt.h>

#define SOFTPT_SYNTH_DEPTH	32
#define SOFTPT_SYNTH_TEXT	0x400000
#define SOFTPT_SYNTH_KERNEL	0xffffffff81000000

struct softpt_synth_state {
	struct softpt_synth args;
	u64 random;
	u64 done;
	u64 tsc;
	u64 ip;
	u64 stack[SOFTPT_SYNTH_DEPTH];	/* where calls return to */
	u32 depth;
	u8 min_ratio;
	u8 max_ratio;
	bool in_kernel;
};

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators) */
static inline u64 softpt_synth_random(struct softpt_synth_state *s)
{
	u64 z = s->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline u32 softpt_synth_below(struct softpt_synth_state *s, u32 n)
{
	return (softpt_synth_random(s) >> 32) * n >> 32;
}

/**
 * softpt_synth_init() - the program at its beginning
 * @s: filled in
 * @args: checked before
 * @config: for the platform's clock ratios
 * @cpu: each CPU has a program of its own
 * @tsc: when it begins
 */
static inline void softpt_synth_init(struct softpt_synth_state *s,
				     const struct softpt_synth *args,
				     const struct softpt_config *config, u32 cpu, u64 tsc)
{
	memset(s, 0, sizeof(*s));
	s->args = *args;
	s->random = args->seed + cpu * 0xd1342543de82ef95ull;
	s->tsc = tsc;
	s->ip = SOFTPT_SYNTH_TEXT;
	s->min_ratio = config->min_ratio;
	s->max_ratio = config->max_ratio;
}

/* Mean @mean_gap; a burst has its events close together, and a longer gap before it. */
static inline u64 softpt_synth_gap(struct softpt_synth_state *s)
{
	u64 mean = s->args.mean_gap;

	if (s->args.burst > 1)
		mean = s->done % s->args.burst ? 1 : mean * s->args.burst;
	return 1 + (mean > 1 ? softpt_synth_random(s) % (2 * mean - 1) : 0);
}

static inline u64 softpt_synth_target(struct softpt_synth_state *s)
{
	return SOFTPT_SYNTH_TEXT + softpt_synth_below(s, 1 << 20);
}

/* Back from a system call, or into one */
static inline void softpt_synth_far(struct softpt_synth_state *s, struct softpt_event *ev)
{
	ev->kind = SOFTPT_EV_FAR;
	ev->cpl = s->in_kernel ? 3 : 0;
	ev->target = s->in_kernel ? softpt_synth_target(s) :
				    SOFTPT_SYNTH_KERNEL + softpt_synth_below(s, 1 << 16);
	s->in_kernel = !s->in_kernel;
}

static inline void softpt_synth_call(struct softpt_synth_state *s, struct softpt_event *ev)
{
	bool indirect = softpt_synth_below(s, 4) == 0;

	ev->kind = indirect ? SOFTPT_EV_ICALL : SOFTPT_EV_CALL;
	ev->len = indirect ? 2 : 5;
	ev->target = softpt_synth_target(s);
	s->stack[s->depth++] = ev->ip + ev->len;
}

static inline void softpt_synth_branch(struct softpt_synth_state *s, struct softpt_event *ev)
{
	u32 what = softpt_synth_below(s, 16);

	ev->kind = SOFTPT_EV_JCC;
	ev->target = ev->ip + 2;
	if (what < 2 && s->depth < SOFTPT_SYNTH_DEPTH && !s->in_kernel) {
		softpt_synth_call(s, ev);
	} else if (what < 4 && s->depth && !s->in_kernel) {
		ev->kind = SOFTPT_EV_RET;
		ev->target = s->stack[--s->depth];
	} else if (what == 4) {
		ev->kind = SOFTPT_EV_IJMP;
		ev->target = ev->ip + 16;
	} else if (what == 5) {
		softpt_synth_far(s, ev);
	} else if (what & 1) {
		ev->flags = SOFTPT_EVF_TAKEN;
		ev->target = ev->ip - 32;
	}
}

/**
 * softpt_synth_next() - the program's next event
 * @s: the program
 * @ev: filled in
 *
 * Return: false when it is over: args.events came between an enable and a disable.
 */
static inline bool softpt_synth_next(struct softpt_synth_state *s, struct softpt_event *ev)
{
	u32 permille = softpt_synth_below(s, 1000);

	if (s->done > s->args.events + 1)
		return false;
	s->tsc += softpt_synth_gap(s);
	*ev = (struct softpt_event) { .tsc = s->tsc, .ip = s->ip, .flags = SOFTPT_EVF_IP };
	if (!s->done++) {
		ev->kind = SOFTPT_EV_ENABLE;
	} else if (s->done > s->args.events + 1) {
		ev->kind = SOFTPT_EV_DISABLE;
	} else if (permille < s->args.sleep_permille) {
		ev->kind = SOFTPT_EV_SLEEP;
		ev->flags = 0;
		ev->arg = softpt_synth_gap(s);
		s->tsc += ev->arg;
	} else if (permille < s->args.sleep_permille + s->args.clock_permille) {
		ev->kind = SOFTPT_EV_CBR;
		ev->flags = 0;
		ev->arg = s->min_ratio + softpt_synth_below(s, s->max_ratio - s->min_ratio + 1);
	} else {
		ev->flags = 0;
		softpt_synth_branch(s, ev);
		s->ip = ev->target;
	}
	return true;
}

#endif /* _SOFTPT_SYNTH_H */
