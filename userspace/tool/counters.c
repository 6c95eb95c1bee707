// SPDX-License-Identifier: BSD-2-Clause
/* Event counters on the command line */
#include "counters.h"

#include <inttypes.h>
#include <string.h>

#include "../lib/number.h"
#include "tool.h"

static void list_class(unsigned int number, const struct softpt_class *c)
{
	char counters[16];
	unsigned int i;

	snprintf(counters, sizeof(counters), "%u-%u", c->first, c->last);
	if (!*c->what) {
		printf("%5u  %-22s%-10sfree for a simulator's own\n", number, c->name, counters);
		return;
	}
	printf("%5u  %-22s%-10s%s%s\n", number, c->name, counters, c->clocks ? "clocks while " : "",
	       c->what);
	for (i = 0; i < SOFTPT_CLASS_SUBS; i++)
		if (c->sub[i])
			printf("         %-20s0x%-8x%s\n", c->sub[i], 1 << i, c->sub_what[i]);
}

int list_events(void)
{
	struct softpt_class c;
	unsigned int i;

	printf("CLASS  NAME                  COUNTERS\n         SUBCLASS            BIT\n");
	for (i = 0; softpt_class_get(i, &c); i++)
		list_class(i, &c);
	return close_stdout(0);
}

static int wrong(const char *text, const char *why)
{
	fprintf(stderr, "softpt: --counter %s: %s\n", text, why);
	return EXIT_USAGE;
}

int counter_option(struct softpt_plan *plan, const char *text)
{
	const char *p = text, *what = strchr(text, '=');
	int counter = SOFTPT_ANY_COUNTER;
	struct softpt_spec spec;
	uint64_t number;
	char why[320];

	if (what) {
		if (!softpt_number(&p, &number) || p != what)
			return wrong(text, "K=CLASS[/SUBMASK][:QUAL...], K is 0 to 17");
		/* it may not fit an int */
		counter = number < SOFTPT_COUNTERS ? number : SOFTPT_COUNTERS;
	}
	if (softpt_spec_parse(&spec, what ? what + 1 : text, why, sizeof(why)))
		return wrong(text, why);
	if (softpt_plan_add(plan, counter, &spec, why, sizeof(why)) < 0)
		return wrong(text, why);
	return 0;
}

void counters_start(struct sim *s, const struct softpt_plan *plan)
{
	struct softpt_count_args args = { .start = plan->counters };
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

void counters_write(FILE *to, const struct sim *s, const struct softpt_plan *plan)
{
	const struct softpt_engine *e = sim_engine(s);
	struct softpt_counter_values v = { 0 };
	char quals[SOFTPT_SPEC_MAX];
	unsigned int i;

	softpt_counters_read(&e->counters, e->now, &v);
	fputs("counter,class,submask,quals,value,overflows\n", to);
	for (i = 0; i < SOFTPT_COUNTERS; i++) {
		const struct softpt_spec *spec = &plan->spec[i];

		if (!(plan->counters >> i & 1))
			continue;
		softpt_spec_quals(quals, sizeof(quals), spec, ' ');
		fprintf(to, "%u,%u,0x%x,%s,%" PRIu64 ",%" PRIu64 "\n", i, spec->event_class,
			spec->mask, quals, (uint64_t)v.value[i], (uint64_t)v.overflows[i]);
	}
}
