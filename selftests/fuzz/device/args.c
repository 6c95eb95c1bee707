// SPDX-License-Identifier: BSD-2-Clause
/* Structs of the calls: what may be accepted, most of the time; corpus.c spoils them */
#include "fuzz.h"

#include <string.h>

#include <softpt/classes.h>

static uint32_t below(uint64_t *state, uint32_t n)
{
	return kit_random(state) % n;
}

static bool once_in(uint64_t *state, uint32_t n)
{
	return !below(state, n);
}

static void caps(void *arg, uint64_t *state)
{
	*(uint32_t *)arg = sizeof(struct softpt_caps) + 8 * once_in(state, 8);
}

static void session_args(void *arg, uint64_t *state)
{
	struct softpt_session_args *a = arg;

	a->size = sizeof(*a);
	a->flags = once_in(state, 4) ? SOFTPT_SESSION_NO_COUNTER_PAGE : 0;
}

static void config(void *arg, uint64_t *state)
{
	struct softpt_config *c = arg;

	*c = kit_config();
	c->ring = 4096ull << below(state, once_in(state, 64) ? 9 : 2);
	c->truth = once_in(state, 3) ? 4096ull << below(state, 2) : 0;
	c->mode = below(state, 2);
	c->mtc_freq = below(state, 16);
	c->psb_freq = below(state, 4);
	c->suppress = once_in(state, 2) ? 1 + below(state, 8) : 0;
	c->burst = c->suppress;
	c->clock = once_in(state, 8);
	c->flags ^= SOFTPT_F_CYC * below(state, 2) | SOFTPT_F_TRIG * below(state, 2);
	if (!once_in(state, 3))
		c->flags &= ~SOFTPT_F_OS;
}

static void config_out(void *arg, uint64_t *state)
{
	*(uint32_t *)arg = sizeof(struct softpt_config) - once_in(state, 8);
}

static void source(void *arg, uint64_t *state)
{
	struct softpt_source *s = arg;

	s->size = sizeof(*s);
	s->kind = below(state, 4);
	/* To probe the kernel, and to end that, takes long. */
	if (s->kind == SOFTPT_SOURCE_KERNEL && !once_in(state, 8))
		s->kind = SOFTPT_SOURCE_STEP;
	if (s->kind == SOFTPT_SOURCE_STEP)
		s->flags = below(state, 2) * SOFTPT_STEP_INHERIT;
	if (s->kind != SOFTPT_SOURCE_SYNTH)
		return;
	s->synth = (struct softpt_synth){
		.seed = kit_random(state), .events = 1 + below(state, 5000),
		.mean_gap = 1 + below(state, 1000), .burst = 1 + below(state, 10),
		.sleep_permille = below(state, 10), .clock_permille = below(state, 10),
	};
}

static void unit_args(void *arg, uint64_t *state)
{
	struct softpt_unit_args *a = arg;

	a->size = sizeof(*a);
	a->cpu = below(state, 2);
}

static void enable(void *arg, uint64_t *state)
{
	*(uint32_t *)arg = sizeof(struct softpt_enable) + 8 * once_in(state, 16);
}

static void attach(void *arg, uint64_t *state)
{
	struct softpt_attach *a = arg;

	a->size = sizeof(*a);
	a->flags = below(state, 2);
	a->pid = -1 - (int)below(state, 8);	/* calls.c knows them by their slots */
}

/* Class dcache: sub-area 4, which is of area 1, with counters 4 to 7 */
#define COUNTER	4

/* Counters, what they count, triggers and freezes are to meet. */
static uint32_t counter_index(uint64_t *state)
{
	return once_in(state, 4) ? below(state, SOFTPT_COUNTERS) : COUNTER;
}

static void escr(void *arg, uint64_t *state)
{
	static const uint8_t classes[] = {
		SOFTPT_CLASS_DCACHE, SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_CLASS_TRACE,
		SOFTPT_CLASS_CONTEXT_SWITCHES, SOFTPT_CLASS_PAGE_FAULTS,
		SOFTPT_CLASS_BRANCH_INSTRUCTIONS,
	};
	struct softpt_escr *e = arg;

	e->size = sizeof(*e);
	e->event_class = classes[once_in(state, 4) ? below(state, sizeof(classes)) : 0];
	e->index = 2 * (e->event_class % SOFTPT_SUBAREAS);
	e->mask = once_in(state, 4) ? kit_random(state) : 0xffff;
	e->usr = ~0u;
	e->os = once_in(state, 2) ? ~0u : 0;
}

static void counter(void *arg, uint64_t *state)
{
	struct softpt_counter *c = arg;
	struct softpt_escr e;

	memset(&e, 0, sizeof(e));
	escr(&e, state);
	c->size = sizeof(*c);
	c->flags = once_in(state, 16);
	c->index = counter_index(state);
	c->escr = e.index;
	c->preset = once_in(state, 2) ? (1ull << SOFTPT_COUNTER_BITS) - 1 - below(state, 8) : 0;
}

static void count(void *arg, uint64_t *state)
{
	struct softpt_count_args *a = arg;

	a->size = sizeof(*a);
	a->flags = once_in(state, 4) ? below(state, SOFTPT_COUNT_ALL + 1) : 0;
	a->start = 1u << counter_index(state);
	a->stop = 1u << counter_index(state);
	a->clear = once_in(state, 2) ? a->stop : 0;
}

static void threads(void *arg, uint64_t *state)
{
	*(uint32_t *)arg = sizeof(struct softpt_threads) + 4 * once_in(state, 16);
}

static void freeze(void *arg, uint64_t *state)
{
	struct softpt_freeze_args *a = arg;

	a->size = sizeof(*a);
	if (once_in(state, 8))
		return;
	a->counter = counter_index(state);
	a->pipeline = (struct softpt_pipeline){
		.stages = 1 + below(state, 8), .min = below(state, 4), .delay = below(state, 4),
		.write = below(state, 3), .depth = 1 + below(state, SOFTPT_FIFO_DEPTH),
		.after = below(state, 2),
	};
}

static void trigger(void *arg, uint64_t *state)
{
	struct softpt_trigger *t = arg;

	t->size = sizeof(*t);
	t->index = below(state, SOFTPT_TRIGGERS);
	t->source = once_in(state, 2) ? SOFTPT_ON_DEMAND : below(state, SOFTPT_ON_NR);
	if (t->source == SOFTPT_ON_NOTHING)
		return;
	t->nth = 1 + below(state, 5);
	t->flags = below(state, SOFTPT_TRIGGER_FATAL);
	if (t->flags & SOFTPT_TRIGGER_FREEZE) {
		t->after_unit = below(state, SOFTPT_AFTER_NR);
		t->after = below(state, 100);
	}
	if (t->source == SOFTPT_ON_SIGNAL)
		t->value = kit_random(state);
	else if (t->source == SOFTPT_ON_SYSCALL || t->source == SOFTPT_ON_COUNTER)
		t->value = below(state, SOFTPT_COUNTERS);
}

static void status(void *arg, uint64_t *state)
{
	*(uint32_t *)arg = sizeof(struct softpt_status) + 8 * once_in(state, 16);
}

static void values(void *arg, uint64_t *state)
{
	struct softpt_counter_values *v = arg;

	v->size = sizeof(*v);
	v->flags = once_in(state, 2);
	v->thread = v->flags ? below(state, SOFTPT_THREADS) : 0;
}

static void fifo(void *arg, uint64_t *state)
{
	struct softpt_fifo_args *a = arg;

	a->size = sizeof(*a);
	a->n = once_in(state, 4) ? below(state, 8) : SOFTPT_FIFO_DEPTH;
	/* calls.c says where they go. */
}

#define RARE(name, type, fill, n) { #name, SOFTPT_ ## name, sizeof(struct type), fill, n }
#define ROW(name, type, fill) RARE(name, type, fill, 0)
#define BARE(name) { #name, SOFTPT_ ## name, 0, NULL, 0 }

const struct fuzz_ioctl fuzz_device_ioctls[] = {
	ROW(GET_CAPS, softpt_caps, caps),
	RARE(CREATE_SESSION, softpt_session_args, session_args, 4),
	{ }
};

const struct fuzz_ioctl fuzz_session_ioctls[] = {
	ROW(SET_CONFIG, softpt_config, config),
	ROW(GET_CONFIG, softpt_config, config_out),
	ROW(SET_SOURCE, softpt_source, source),
	RARE(CREATE_UNIT, softpt_unit_args, unit_args, 4),
	ROW(ENABLE, softpt_enable, enable),
	ROW(DISABLE, softpt_enable, enable),
	BARE(ARM_EXEC),
	ROW(ATTACH, softpt_attach, attach),
	ROW(SET_ESCR, softpt_escr, escr),
	ROW(SET_COUNTER, softpt_counter, counter),
	ROW(COUNT, softpt_count_args, count),
	ROW(GET_THREADS, softpt_threads, threads),
	ROW(SET_FREEZE, softpt_freeze_args, freeze),
	BARE(REARM_UNITS),
	ROW(SET_TRIGGER, softpt_trigger, trigger),
	{ }
};

const struct fuzz_ioctl fuzz_unit_ioctls[] = {
	ROW(GET_STATUS, softpt_status, status),
	BARE(PSB),
	BARE(FREEZE),
	BARE(REARM),
	BARE(FINISH),
	{ "READ_COUNTERS", SOFTPT_READ_COUNTERS, offsetof(struct softpt_counter_values, tsc),
	  values, 0 },
	ROW(READ_FIFO, softpt_fifo_args, fifo),
	BARE(REARM_FIFO),
	BARE(TRIGGER),
	{ }
};
