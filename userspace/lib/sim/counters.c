// SPDX-License-Identifier: BSD-2-Clause
/* softpt sim --counters: setting, sampling, and what is done to counters at given times */
#include "sim/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void counters_start(struct sim *s, const struct softpt_plan *plan, uint32_t start)
{
	const struct softpt_count_args args = { .start = start };
	struct softpt_counters *c = sim_counters(s);
	const char *why;
	unsigned int i;

	for (i = 0; i < SOFTPT_ESCRS; i++)
		if (plan->escrs >> i & 1)
			softpt_set_escr(c, &plan->escr[i], &why);
	for (i = 0; i < SOFTPT_COUNTERS; i++)
		if (plan->counters >> i & 1)
			softpt_set_counter(c, &plan->counter[i], &why);
	sim_count(s, &args);
}

/* Each counter that is planned; @tsc: when, which is told where there are several samples */
static void write_rows(struct sim_counters *c, const struct sim *s, uint64_t tsc)
{
	const struct softpt_plan *plan = &c->set.plan;
	const struct softpt_engine *e = sim_engine(s);
	struct softpt_counter_values v = { 0 };
	char quals[SOFTPT_SPEC_MAX];
	unsigned int i;

	if (!c->header)
		fprintf(c->file, "%scounter,class,submask,quals,value,overflows\n",
			c->interval ? "tsc," : "");
	c->header = true;
	softpt_counters_read(&e->counters, tsc, &v);
	for (i = 0; i < SOFTPT_COUNTERS; i++) {
		const struct softpt_spec *spec = &plan->spec[i];

		if (!(plan->counters >> i & 1))
			continue;
		if (c->interval)
			fprintf(c->file, "%" PRIu64 ",", tsc);
		softpt_spec_quals(quals, sizeof(quals), spec, ' ');
		fprintf(c->file, "%u,%u,0x%x,%s,%" PRIu64 ",%" PRIu64 "\n", i, spec->event_class,
			spec->mask, quals, (uint64_t)v.value[i], (uint64_t)v.overflows[i]);
	}
}

static int preset(const struct sim_counters *c, struct sim *s, const struct count_step *step,
		  const char **why)
{
	struct softpt_counter counter;
	unsigned int k;
	int err = 0;

	for (k = 0; k < SOFTPT_COUNTERS && !err; k++) {
		if (!(step->presets >> k & 1))
			continue;
		counter = c->set.plan.counter[k];
		counter.preset = step->preset[k];
		err = softpt_set_counter(sim_counters(s), &counter, why);
	}
	return err;
}

static int do_step(const struct sim_counters *c, struct sim *s, const char **why)
{
	const struct count_step *step = &c->set.step[c->step];
	const uint32_t all = c->set.plan.counters;
	struct softpt_count_args args = {
		.stop = step->args.stop & all, .clear = step->args.clear & all,
	};
	int err;

	sim_count(s, &args);
	err = preset(c, s, step, why);
	args = (struct softpt_count_args){ .start = step->args.start & all };
	sim_count(s, &args);
	return err;
}

/* UINT64_MAX: never */
static uint64_t behind(uint64_t at, uint64_t interval)
{
	return at > UINT64_MAX - interval ? UINT64_MAX : at + interval;
}

int sim_counters_pass(struct sim_counters *c, struct sim *s, uint64_t tsc, const char **why)
{
	const struct counters *set = &c->set;
	unsigned int samples = 0;
	int err = 0;

	if (!c->began && c->interval)
		c->next = behind(tsc, c->interval);
	c->began = true;
	while (!err) {
		uint64_t at = c->interval ? c->next : UINT64_MAX;
		bool step = c->step < set->nr_steps && set->step[c->step].at < at;

		at = step ? set->step[c->step].at : at;
		if (at > tsc || at == UINT64_MAX)
			break;
		sim_settle(s, at);
		if (step) {
			err = do_step(c, s, why);
			c->step++;
			continue;
		}
		if (++samples > SAMPLES_MAX) {
			*why = "a million samples lie before it (try a longer --interval)";
			return -EFBIG;
		}
		write_rows(c, s, at);
		c->next = behind(at, c->interval);
	}
	return err;
}

void sim_counters_end(struct sim_counters *c, struct sim *s)
{
	if (c->file)
		write_rows(c, s, sim_engine(s)->now);
	if (c->step < c->set.nr_steps)
		fprintf(stderr, "softpt: note: --count %" PRIu64 ": the input ends before\n",
			c->set.step[c->step].at);
}
