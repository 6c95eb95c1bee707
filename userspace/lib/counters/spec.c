// SPDX-License-Identifier: BSD-2-Clause
/* Classes of events, and what is counted as text */
#include <softpt/spec.h>

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <softpt/classes.h>
#include "base/number.h"
#include "config/values.h"

#define ALL	0xffffffffu

static const struct {
	const char *name;
	const char *what;
	bool clocks;
} classes[SOFTPT_EVENT_CLASSES] = {
#define OCCURRENCES	false
#define CLOCKS		true
#define ROW(id, number, n, unit, w) \
	[number] = { .name = (n), .what = (w), .clocks = (unit) },
#define SUB(id, s, bit, n, w)
	SOFTPT_CLASSES(ROW, SUB)
#undef ROW
#undef SUB
#undef OCCURRENCES
#undef CLOCKS
};

static const struct {
	uint8_t event_class;
	uint8_t bit;
	const char *name;
	const char *what;
} subs[] = {
#define ROW(id, number, n, unit, w)
#define SUB(id, s, b, n, w) { SOFTPT_CLASS_##id, (b), (n), (w) },
	SOFTPT_CLASSES(ROW, SUB)
#undef ROW
#undef SUB
};

bool softpt_class_get(unsigned int number, struct softpt_class *c)
{
	unsigned int i;

	if (number >= SOFTPT_EVENT_CLASSES)
		return false;
	*c = (struct softpt_class){
		.what = classes[number].what ? classes[number].what : "",
		.clocks = classes[number].clocks,
		.subarea = softpt_subarea_of_class(number),
	};
	if (classes[number].name)
		snprintf(c->name, sizeof(c->name), "%s", classes[number].name);
	else
		snprintf(c->name, sizeof(c->name), "ext%u", number);
	for (i = 0; i < sizeof(subs) / sizeof(subs[0]); i++) {
		if (subs[i].event_class != number)
			continue;
		c->sub[subs[i].bit] = subs[i].name;
		c->sub_what[subs[i].bit] = subs[i].what;
	}
	c->area = softpt_area_of_subarea(c->subarea);
	while (softpt_area_of_counter(c->first) != c->area)
		c->first++;
	for (i = c->first; i < SOFTPT_COUNTERS; i++)
		if (softpt_area_of_counter(i) == c->area)
			c->last = i;
	return true;
}

static bool same(const char *name, const char *text, size_t n)
{
	return name && strlen(name) == n && !memcmp(name, text, n);
}

/* The @n bytes at @text are a number up to @max */
static bool number(const char *text, size_t n, uint64_t max, uint64_t *value)
{
	const char *end = text;

	return softpt_number(&end, value) && end == text + n && *value <= max;
}

static int parse_class(struct softpt_spec *spec, const char *text, size_t n, char *why, size_t len)
{
	struct softpt_class c;
	uint64_t value;
	unsigned int i;

	if (number(text, n, SOFTPT_EVENT_CLASSES - 1, &value)) {
		spec->event_class = value;
		return 0;
	}
	for (i = 0; softpt_class_get(i, &c); i++)
		if (same(c.name, text, n)) {
			spec->event_class = i;
			return 0;
		}
	return softpt_refuse(why, len,
			     "'%.*s' is no class of events: a name of softpt sim --list-events, or 0 to 63",
			     (int)n, text);
}

static int parse_sub(struct softpt_spec *spec, const char *text, size_t n, char *why, size_t len)
{
	struct softpt_class c;
	uint64_t value;
	unsigned int i;

	if (number(text, n, UINT16_MAX, &value)) {
		spec->mask |= value;
		return 0;
	}
	softpt_class_get(spec->event_class, &c);
	for (i = 0; i < SOFTPT_CLASS_SUBS; i++)
		if (same(c.sub[i], text, n)) {
			spec->mask |= 1 << i;
			return 0;
		}
	return softpt_refuse(why, len,
			     "'%.*s' is no subclass of %s: a name of softpt sim --list-events, or 0 to 0xffff",
			     (int)n, text, c.name);
}

static int parse_qual(struct softpt_spec *spec, const char *text, size_t n, char *why, size_t len)
{
	const char *end = text + n, *p = text;
	uint32_t threads = ALL;
	uint64_t thread;

	if (p < end && *p == 't') {
		p++;
		if (*p < '0' || *p > '9' || !softpt_number(&p, &thread) || thread >= SOFTPT_THREADS)
			goto bad;
		threads = 1u << thread;
	}
	if (p == end && threads != ALL) {
		spec->usr |= threads;
		spec->os |= threads;
		return 0;
	}
	if (p + 1 != end || (*p != 'u' && *p != 'k'))
		goto bad;
	if (*p == 'u')
		spec->usr |= threads;
	else
		spec->os |= threads;
	return 0;
bad:
	return softpt_refuse(why, len, "'%.*s' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31",
			     (int)n, text);
}

int softpt_spec_parse(struct softpt_spec *spec, const char *text, char *why, size_t len)
{
	size_t n = strcspn(text, "/:");
	struct softpt_spec s = { 0 };
	int err;

	err = parse_class(&s, text, n, why, len);
	if (!err && text[n] != '/')
		s.mask = UINT16_MAX;
	text += n;
	while (!err && (*text == '/' || *text == '+')) {
		n = strcspn(++text, "+:");
		err = parse_sub(&s, text, n, why, len);
		text += n;
	}
	if (!err && !*text) {
		s.usr = ALL;
		s.os = ALL;
	}
	while (!err && *text) {
		n = strcspn(++text, ": ");
		err = parse_qual(&s, text, n, why, len);
		text += n;
	}
	if (!err)
		*spec = s;
	return err;
}

/* Text that may not fit: what would have been written is counted */
struct text {
	char *buf;
	size_t len;
	int n;
};

static void __attribute__((format(printf, 2, 3))) put(struct text *t, const char *format, ...)
{
	bool room = (size_t)t->n < t->len;
	va_list args;

	va_start(args, format);
	t->n += vsnprintf(room ? t->buf + t->n : NULL, room ? t->len - t->n : 0, format, args);
	va_end(args);
}

/* What goes between, but not before the first */
static void put_between(struct text *t, int begin, char between)
{
	if (t->n > begin)
		put(t, "%c", between);
}

static void put_quals(struct text *t, const struct softpt_spec *spec, char between)
{
	bool u = spec->usr == ALL, k = spec->os == ALL;
	int begin = t->n;
	unsigned int i;

	if (u && k)
		return;
	if (u || k)
		put(t, u ? "u" : "k");
	for (i = 0; i < SOFTPT_THREADS; i++) {
		if (!u && spec->usr >> i & 1) {
			put_between(t, begin, between);
			put(t, "t%uu", i);
		}
		if (!k && spec->os >> i & 1) {
			put_between(t, begin, between);
			put(t, "t%uk", i);
		}
	}
}

int softpt_spec_quals(char *buf, size_t len, const struct softpt_spec *spec, char between)
{
	struct text t = { buf, len, 0 };

	if (len)
		*buf = '\0';
	put_quals(&t, spec, between);
	return t.n;
}

/* Names where there are, the rest as one number */
static void put_mask(struct text *t, const struct softpt_class *c, uint16_t mask)
{
	int begin = t->n;
	unsigned int i;

	for (i = 0; i < SOFTPT_CLASS_SUBS; i++) {
		if (!(mask >> i & 1) || !c->sub[i])
			continue;
		put_between(t, begin, '+');
		put(t, "%s", c->sub[i]);
		mask &= ~(1 << i);
	}
	if (mask || t->n == begin) {
		put_between(t, begin, '+');
		put(t, "0x%x", mask);
	}
}

int softpt_spec_print(char *buf, size_t len, const struct softpt_spec *spec)
{
	struct text t = { buf, len, 0 };
	struct softpt_class c;

	if (len)
		*buf = '\0';
	if (!softpt_class_get(spec->event_class, &c))
		return -EINVAL;
	put(&t, "%s", c.name);
	if (spec->mask != UINT16_MAX) {
		put(&t, "/");
		put_mask(&t, &c, spec->mask);
	}
	if (spec->usr != ALL || spec->os != ALL) {
		put(&t, ":");
		put_quals(&t, spec, ':');
	}
	return t.n;
}
