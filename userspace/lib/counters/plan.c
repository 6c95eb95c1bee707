// SPDX-License-Identifier: BSD-2-Clause
/* Which ESCR and which counter count what */
#include <softpt/spec.h>

#include <errno.h>
#include <stdarg.h>

#include <softpt/classes.h>

static int __attribute__((format(printf, 4, 5)))
refuse(int err, char *why, size_t len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (len)
		vsnprintf(why, len, format, args);
	va_end(args);
	return err;
}

static bool same(const struct softpt_escr *escr, const struct softpt_spec *spec)
{
	return escr->event_class == spec->event_class && escr->mask == spec->mask &&
	       escr->usr == spec->usr && escr->os == spec->os;
}

/* The ESCR of the class's sub-area that has @spec, or else one that is free, or -1 */
static int find_escr(const struct softpt_plan *plan, const struct softpt_spec *spec, int first)
{
	int i, found = -1;

	for (i = first + 1; i >= first; i--) {
		if (!(plan->escrs >> i & 1))
			found = i;
		else if (same(&plan->escr[i], spec))
			return i;
	}
	return found;
}

/* The counter that was asked for, or one that is free */
static int find_counter(const struct softpt_plan *plan, int counter,
			const struct softpt_spec *spec, const struct softpt_class *c, char *why,
			size_t len)
{
	struct softpt_class other;
	int i;

	if (counter == SOFTPT_ANY_COUNTER) {
		for (i = c->first; i <= c->last; i++)
			if (!(plan->counters >> i & 1))
				return i;
		return refuse(-EBUSY, why, len, "counters %u to %u, which count class %u (%s), are all taken",
			      c->first, c->last, spec->event_class, c->name);
	}
	if (counter < 0 || counter >= SOFTPT_COUNTERS)
		return refuse(-EINVAL, why, len, "there are counters 0 to %d", SOFTPT_COUNTERS - 1);
	if (counter < c->first || counter > c->last)
		return refuse(-EXDEV, why, len,
			      "counter %d is in area %u; class %u (%s) is counted by counters %u to %u",
			      counter, softpt_area_of_counter(counter), spec->event_class, c->name,
			      c->first, c->last);
	if (plan->counters >> counter & 1) {
		softpt_class_get(plan->spec[counter].event_class, &other);
		return refuse(-EBUSY, why, len, "counter %d counts %s already", counter,
			      other.name);
	}
	return counter;
}

int softpt_plan_add(struct softpt_plan *plan, int counter, const struct softpt_spec *spec,
		    char *why, size_t len)
{
	struct softpt_class c;
	int escr;

	if (!softpt_class_get(spec->event_class, &c))
		return refuse(-EINVAL, why, len, "there are classes 0 to %d",
			      SOFTPT_EVENT_CLASSES - 1);
	counter = find_counter(plan, counter, spec, &c, why, len);
	if (counter < 0)
		return counter;
	escr = find_escr(plan, spec, 2 * c.subarea);
	if (escr < 0)
		return refuse(-EBUSY, why, len,
			      "both ESCRs of sub-area %u, which class %u (%s) needs, are taken",
			      c.subarea, spec->event_class, c.name);
	plan->escrs |= 1ull << escr;
	plan->escr[escr] = (struct softpt_escr) {
		.size = sizeof(struct softpt_escr),
		.index = escr,
		.event_class = spec->event_class,
		.mask = spec->mask,
		.usr = spec->usr,
		.os = spec->os,
	};
	plan->counters |= 1u << counter;
	plan->spec[counter] = *spec;
	plan->counter[counter] = (struct softpt_counter) {
		.size = sizeof(struct softpt_counter),
		.index = counter,
		.escr = escr,
	};
	return counter;
}
