// SPDX-License-Identifier: BSD-2-Clause
/* Events of the module's source "synth", by the names of some densities */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../kmod/source/synth.h"
#include "base/number.h"
#include "config/values.h"
#include "events/text.h"
#include "source/synth.h"

static const struct {
	const char *name;
	struct softpt_synth args;
} profiles[] = {
	/* With the default clock an MTC period is 864 ticks. */
	{ "dense", { 1, 100000, 20, 1, 0, 0 } },
	{ "sparse", { 1, 10000, 50000, 1, 0, 0 } },
	{ "bursty", { 1, 100000, 500, 1000, 0, 0 } },
	{ "idle", { 1, 2000, 2000000, 1, 0, 0 } },
	{ "clocks", { 1, 20000, 10000, 20, 20, 50 } },
};

#define NR_PROFILES (sizeof(profiles) / sizeof(profiles[0]))

/* As the module's source has them, but for the events: they are kept in memory here. */
static const struct {
	const char *key;
	size_t offset;
	size_t size;
	uint64_t min, max;
} keys[] = {
#define KEY(name, lo, hi) { #name, offsetof(struct softpt_synth, name), \
			    sizeof(((struct softpt_synth *)0)->name), lo, hi }
	KEY(seed, 0, UINT64_MAX),
	KEY(events, 1, 10000000),
	KEY(mean_gap, 1, INT32_MAX),
	KEY(burst, 1, 1 << 20),
	KEY(sleep_permille, 0, 1000),
	KEY(clock_permille, 0, 1000),
#undef KEY
};

static int set_key(struct softpt_synth *args, char *item, char *why, size_t len)
{
	char *value = strchr(item, '=');
	uint64_t v;
	size_t i;

	if (!value)
		return softpt_refuse(why, len, "%s: KEY=VALUE follows the profile", item);
	*value++ = '\0';
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		void *field = (char *)args + keys[i].offset;

		if (strcmp(keys[i].key, item))
			continue;
		if (!softpt_number_within(value, keys[i].min, keys[i].max, &v))
			return softpt_refuse(why, len, "%s=%s: range is %llu..%llu", item, value,
					     (unsigned long long)keys[i].min,
					     (unsigned long long)keys[i].max);
		if (keys[i].size == sizeof(uint32_t))
			*(uint32_t *)field = v;
		else
			*(uint64_t *)field = v;
		return 0;
	}
	return softpt_refuse(why, len,
			     "%s: keys are seed, events, mean_gap, burst, sleep_permille, clock_permille",
			     item);
}

static int parse(struct softpt_synth *args, char *text, char *why, size_t len)
{
	char *item = strsep(&text, ",");
	size_t i;
	int err;

	for (i = 0; i < NR_PROFILES && strcmp(profiles[i].name, item); i++)
		;
	if (i == NR_PROFILES)
		return softpt_refuse(why, len,
				     "%s: profiles are dense, sparse, bursty, idle, clocks", item);
	*args = profiles[i].args;
	while ((item = strsep(&text, ","))) {
		err = set_key(args, item, why, len);
		if (err)
			return err;
	}
	return 0;
}

int synth_events(const char *text, int clock_permille, const struct softpt_config *cfg,
		 struct event_list *list, char *why, size_t len)
{
	struct softpt_synth_state state;
	struct softpt_synth args;
	char *copy = strdup(text);
	int err;

	if (!copy)
		return -ENOMEM;
	err = parse(&args, copy, why, len);
	free(copy);
	if (err)
		return err;
	if (clock_permille >= 0)
		args.clock_permille = clock_permille;
	/* An enable is before them. Not the disable behind them: the data ends in the middle. */
	list->ev = calloc(args.events + 1, sizeof(*list->ev));
	if (!list->ev)
		return -ENOMEM;
	softpt_synth_init(&state, &args, cfg, 0, 1000000);
	while (list->n <= args.events)
		softpt_synth_next(&state, &list->ev[list->n++]);
	return 0;
}
