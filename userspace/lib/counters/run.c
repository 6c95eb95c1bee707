// SPDX-License-Identifier: BSD-2-Clause
/* The counters of one run, and what becomes of them, from text */
#include "counters/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <softpt/counters.h>

#include "base/number.h"
#include "config/values.h"

#define WRAP	(SOFTPT_COUNTER_MASK + 1)

/* What a text asks of a counter */
struct wish {
	int counter;
	char spec[SOFTPT_SPEC_MAX];
	uint64_t preset;
	bool stopped;
};

/* N, or -N: it overflows at the N-th */
static bool parse_preset(const char *text, uint64_t *preset)
{
	if (*text != '-')
		return softpt_number_within(text, 0, WRAP - 1, preset);
	if (!softpt_number_within(text + 1, 1, WRAP, preset))
		return false;
	*preset = WRAP - *preset;
	return true;
}

/* One word behind the class: a qualifier is left for who reads the specification */
static int parse_word(struct wish *w, const char *word, char *why, size_t len)
{
	if (!strcmp(word, "stop")) {
		w->stopped = true;
	} else if (!strncmp(word, "preset=", 7)) {
		if (!parse_preset(word + 7, &w->preset))
			return softpt_refuse(why, len, "preset is 0..2^40-1, or -1..-2^40, not '%s'",
					     word + 7);
	} else {
		strcat(w->spec, ":");
		strcat(w->spec, word);
	}
	return 0;
}

static int parse_wish(struct wish *w, const char *text, char *why, size_t len)
{
	const char *p = text, *what = text + strcspn(text, "=:");
	char copy[SOFTPT_SPEC_MAX], *rest = copy, *word;
	uint64_t number;
	int err = 0;

	*w = (struct wish){ .counter = SOFTPT_ANY_COUNTER };
	if (*what == '=') {
		if (!softpt_number(&p, &number) || p != what)
			return softpt_refuse(why, len, "K=CLASS[/SUBMASK][:QUAL...], K is 0 to 17");
		/* it may not fit an int */
		w->counter = number < SOFTPT_COUNTERS ? number : SOFTPT_COUNTERS;
		text = what + 1;
	}
	if (strlen(text) >= sizeof(copy))
		return softpt_refuse(why, len, "this is longer than any specification");
	strcpy(copy, text);
	strcpy(w->spec, strsep(&rest, ":"));
	while (!err && (word = strsep(&rest, ":")))
		err = parse_word(w, word, why, len);
	return err;
}

int counter_spec(const char *text, struct softpt_spec *spec, char *why, size_t len)
{
	struct wish w;
	int err = parse_wish(&w, text, why, len);

	return err ? err : softpt_spec_parse(spec, w.spec, why, len);
}

int counter_add(struct counters *c, const char *text, const struct softpt_spec *spec, char *why,
		size_t len)
{
	struct softpt_spec own;
	struct wish w;
	int k = parse_wish(&w, text, why, len);

	if (!k)
		k = softpt_spec_parse(&own, w.spec, why, len);
	if (!k)
		k = softpt_plan_add(&c->plan, w.counter, spec ? spec : &own, why, len);
	if (k < 0)
		return k;
	c->plan.counter[k].preset = w.preset;
	c->stopped |= w.stopped ? 1u << k : 0;
	return k;
}

/* K+K+..., or all. False: it is neither */
static bool parse_list(char *text, uint32_t *counters)
{
	uint64_t k;
	char *one;

	if (!strcmp(text, "all")) {
		*counters = SOFTPT_COUNTERS_ALL;
		return true;
	}
	while ((one = strsep(&text, "+"))) {
		if (!softpt_number_within(one, 0, SOFTPT_COUNTERS - 1, &k))
			return false;
		*counters |= 1u << k;
	}
	return true;
}

static bool parse_preset_of(struct count_step *s, char *text)
{
	char *value = strchr(text, '=');
	uint64_t k;

	if (!value)
		return false;
	*value++ = '\0';
	if (!softpt_number_within(text, 0, SOFTPT_COUNTERS - 1, &k) ||
	    !parse_preset(value, &s->preset[k]))
		return false;
	s->presets |= 1u << k;
	return true;
}

static bool parse_deed(struct count_step *s, char *text)
{
	char *value = strchr(text, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (!strcmp(text, "stop"))
		return parse_list(value, &s->args.stop);
	if (!strcmp(text, "clear"))
		return parse_list(value, &s->args.clear);
	if (!strcmp(text, "start"))
		return parse_list(value, &s->args.start);
	return !strcmp(text, "preset") && parse_preset_of(s, value);
}

static bool counts(const struct counters *c, uint32_t counters)
{
	return counters == SOFTPT_COUNTERS_ALL || !(counters & ~c->plan.counters);
}

int count_add(struct counters *c, const char *text, char *why, size_t len)
{
	char copy[1024], *rest = copy, *one;
	struct count_step s = { 0 };
	unsigned int i;

	if (c->nr_steps == COUNT_STEPS_MAX || strlen(text) >= sizeof(copy))
		return softpt_refuse(why, len, "this is longer than any, or there are more than 64");
	strcpy(copy, text);
	if (!softpt_number_within(strsep(&rest, ":"), 0, UINT64_MAX, &s.at) || !rest)
		return softpt_refuse(why, len, COUNT_ARG);
	while ((one = strsep(&rest, ":")))
		if (!parse_deed(&s, one))
			return softpt_refuse(why, len, COUNT_ARG ", K is 0 to 17 or all, N below 2^40");
	for (i = c->nr_steps++; i && c->step[i - 1].at > s.at; i--)
		c->step[i] = c->step[i - 1];
	c->step[i] = s;
	return 0;
}

bool counters_whole(const struct counters *c)
{
	const struct count_step *s;
	unsigned int i;

	for (i = 0; i < c->nr_steps; i++) {
		s = &c->step[i];
		if (s->presets & ~c->plan.counters || !counts(c, s->args.stop) ||
		    !counts(c, s->args.clear) || !counts(c, s->args.start))
			return false;
	}
	return true;
}
