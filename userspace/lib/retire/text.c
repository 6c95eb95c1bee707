// SPDX-License-Identifier: BSD-2-Clause
/* What freezes the records of retired instructions: --pipeline and --freeze, and the file */
#include "retire/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <softpt/classes.h>

#include "base/number.h"

static const struct key {
	const char *name;
	size_t offset;		/* in struct softpt_pipeline */
	uint32_t min, max, preset;
} keys[] = {
#define ROW(name, field, min, max, preset, what) \
	{ name, offsetof(struct softpt_pipeline, field), min, max, preset },
	SOFTPT_PIPELINE_KEYS(ROW)
#undef ROW
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static uint32_t *field(struct softpt_pipeline *p, const struct key *key)
{
	return (uint32_t *)((char *)p + key->offset);
}

int ear_parse_capacity(uint32_t *capacity, char *text)
{
	unsigned int n = 0, i;
	uint64_t number;
	char *one;

	memset(capacity, 0, SOFTPT_STAGES_MAX * sizeof(*capacity));
	while ((one = strsep(&text, ":"))) {
		if (n == SOFTPT_STAGES_MAX ||
		    !softpt_number_within(one, 0, SOFTPT_CAPACITY_MAX, &number))
			return -EINVAL;
		capacity[n++] = number;
	}
	for (i = 1; n == 1 && i < SOFTPT_STAGES_MAX; i++)
		capacity[i] = capacity[0];
	return n;
}

/* One KEY=VALUE, which is modified; @told: set to how many stages have a capacity */
static int parse_key(struct ear_pipeline *p, char *text, int *told, struct error *e)
{
	char *value = strchr(text, '=');
	uint64_t number;
	size_t i;

	if (value)
		*value++ = '\0';
	if (!strcmp(text, "capacity")) {
		*told = value ? ear_parse_capacity(p->capacity, value) : -EINVAL;
		if (*told > 0)
			return 0;
		return error_set(e, -EINVAL,
				 "capacity is a number for all stages, or C:C:... one for each, of 0..%u",
				 SOFTPT_CAPACITY_MAX);
	}
	for (i = 0; i < KEYS; i++) {
		if (strcmp(text, keys[i].name))
			continue;
		if (!value || !softpt_number_within(value, keys[i].min, keys[i].max, &number))
			return error_set(e, -EINVAL, "%s is %u..%u, not '%s'", text, keys[i].min,
				   keys[i].max, value ? value : "");
		*field(&p->p, &keys[i]) = number;
		return 0;
	}
	return error_set(e, -EINVAL, "'%s' is no key: stages, min, delay, write, depth, after, capacity",
		   text);
}

int ear_parse_pipeline(struct ear_pipeline *p, const char *text, struct error *e)
{
	char copy[8 * SOFTPT_STAGES_MAX], *rest = copy, *one;
	int told = 1;
	size_t i;

	if (strlen(text) >= sizeof(copy))
		return error_set(e, -EINVAL, "this is longer than any pipeline's");
	strcpy(copy, text);
	*p = (struct ear_pipeline){ 0 };
	for (i = 0; i < KEYS; i++)
		*field(&p->p, &keys[i]) = keys[i].preset;
	while ((one = strsep(&rest, ",")))
		if (parse_key(p, one, &told, e))
			return -EINVAL;
	if (!p->p.stages)
		return error_set(e, -EINVAL, "stages=S lacks: how many the pipeline has");
	if (told != 1 && (uint32_t)told != p->p.stages)
		return error_set(e, -EINVAL, "capacity is told of %d stages, and there are %u",
				 told, p->p.stages);
	return 0;
}

/* What stands behind the event, which is modified: KEY=VALUE,... */
static int parse_keys(struct ear_event *ev, char *text, struct error *e)
{
	char *one;

	while ((one = strsep(&text, ","))) {
		if (!strncmp(one, "nth=", 4)) {
			if (!softpt_number_within(one + 4, 1, 1ull << SOFTPT_COUNTER_BITS,
						  &ev->nth))
				return error_set(e, -EINVAL, "nth is 1..2^40, not '%s'", one + 4);
		} else if (!strncmp(one, "delay=", 6)) {
			if (!softpt_number_within(one + 6, 1, SOFTPT_DELAY_MAX, &ev->delay))
				return error_set(e, -EINVAL, "delay is 1..%u, not '%s'",
						 SOFTPT_DELAY_MAX, one + 6);
		} else {
			return error_set(e, -EINVAL, "'%s' is no key: nth, delay", one);
		}
	}
	return 0;
}

int ear_parse_event(struct ear_event *ev, const char *text, struct error *e)
{
	char spec[SOFTPT_SPEC_MAX], behind[64], why[ERROR_TEXT];
	size_t n = strcspn(text, ",");

	ev->nth = 1;
	ev->delay = 0;
	if (strlen(text + n) >= sizeof(behind))
		return error_set(e, -EINVAL, "'%s' is longer than any keys", text + n + 1);
	strcpy(behind, text + n);
	if (*behind && parse_keys(ev, behind + 1, e))
		return -EINVAL;
	if (n >= sizeof(spec))
		return error_set(e, -EINVAL, "what freezes is longer than any specification");
	memcpy(spec, text, n);
	spec[n] = '\0';
	if (softpt_spec_parse(&ev->spec, spec, why, sizeof(why)))
		return error_set(e, -EINVAL, "%s", why);
	if (ev->spec.event_class == SOFTPT_CLASS_TRACE)
		return error_set(e, -EINVAL, "the class trace is of no stage of a pipeline");
	return 0;
}

int ear_plan(struct softpt_plan *plan, const struct ear_event *ev, struct error *e)
{
	char why[ERROR_TEXT];
	int number = softpt_plan_add(plan, SOFTPT_ANY_COUNTER, &ev->spec, why, sizeof(why));

	if (number < 0)
		return error_set(e, number, "%s", why);
	plan->counter[number].preset = (1ull << SOFTPT_COUNTER_BITS) - ev->nth;
	return number;
}

/* One number where it is that of all stages; nothing where none is told */
static void write_capacity(FILE *to, const struct softpt_frozen *f)
{
	const uint32_t *capacity = f->capacity;
	uint32_t i, any = 0, all = 1;

	for (i = 0; capacity && i < f->pipeline.stages; i++) {
		any |= capacity[i];
		all &= capacity[i] == capacity[0];
	}
	for (i = 0; any && i < (all ? 1 : f->pipeline.stages); i++)
		fprintf(to, "%s%u", i ? ":" : "", capacity[i]);
}

static void write_row(FILE *to, const struct softpt_frozen *f, size_t i)
{
	const struct softpt_retirement *r = &f->record[i];
	const struct softpt_pipeline *p = &f->pipeline;

	fprintf(to, "%zu,0x%" PRIx64 ",%" PRIu64 ",%d,%d,%d,%u,%d,%u,%u,%u,%u,%" PRIu64 ",",
		i, (uint64_t)r->ip, (uint64_t)r->cycles, !!(r->flags & SOFTPT_RETIRED),
		!!(r->flags & SOFTPT_RETIRED_FLUSHED), !!(r->flags & SOFTPT_RETIRED_EARLY),
		r->count, !!(r->flags & SOFTPT_RETIRED_SQUASHED), p->stages, p->min, p->delay,
		p->write, (uint64_t)f->freeze.events);
	if (f->freeze.stage)
		fprintf(to, "%u", f->freeze.stage);
	fputc(',', to);
	if (f->freeze.occupied_known)
		fprintf(to, "%u", f->freeze.occupied);
	fprintf(to, ",%" PRIu64 ",", (uint64_t)f->freeze.available);
	if (f->freeze.data_known)
		fprintf(to, "0x%" PRIx64, (uint64_t)f->freeze.data);
	fputc(',', to);
	write_capacity(to, f);
	fputc('\n', to);
}

void ear_write(FILE *to, const struct softpt_frozen *frozen)
{
	size_t i;

#define X(id, name) fputs(EAR_##id ? "," name : name, to);
	EAR_COLUMNS(X)
#undef X
	fputc('\n', to);
	for (i = 0; i < frozen->n; i++)
		write_row(to, frozen, i);
}
