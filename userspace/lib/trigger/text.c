// SPDX-License-Identifier: BSD-2-Clause
/* Triggers as text, and how large a ring they need */
#include "trigger/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <softpt/params.h>
#include <softpt/triggers.h>

#include "base/number.h"
#include "config/values.h"
#include <softpt/spec.h>

static bool number_then(const char **text, char then, uint64_t *value)
{
	if (!softpt_number(text, value))
		return false;
	if (**text != then)
		return !**text;
	++*text;
	return true;
}

/* FROM[-TO] */
static int parse_ip(struct softpt_trigger *t, const char *v, char *why, size_t len)
{
	uint64_t from, to;

	if (!number_then(&v, '-', &from))
		return softpt_refuse(why, len, "ip=ADDRESS or ip=FROM-TO");
	to = from;
	if (v[-1] == '-' && !softpt_number_within(v, 0, UINT64_MAX, &to))
		return softpt_refuse(why, len, "ip=FROM-TO: TO is a number");
	t->value = from;
	t->mask = to;
	return 0;
}

/* VALUE[/MASK] */
static int parse_masked(struct softpt_trigger *t, const char *v, char *why, size_t len)
{
	uint64_t value, mask = UINT64_MAX;

	if (!number_then(&v, '/', &value) ||
	    (v[-1] == '/' && !softpt_number_within(v, 0, UINT64_MAX, &mask)))
		return softpt_refuse(why, len, "VALUE or VALUE/MASK, both numbers");
	t->value = value;
	t->mask = mask;
	return 0;
}

static int parse_number(struct softpt_trigger *t, const char *v, char *why, size_t len)
{
	uint64_t n;

	if (!softpt_number_within(v, 0, UINT64_MAX, &n))
		return softpt_refuse(why, len, "'%s' is no number of a %s", v,
				     t->source == SOFTPT_ON_COUNTER ? "counter" : "system call");
	t->value = n;
	return 0;
}

#define BIT_OF(signal)	(1ull << ((signal) - 1))
/* The signals that leave a core */
#define CRASHES		(BIT_OF(SIGQUIT) | BIT_OF(SIGILL) | BIT_OF(SIGTRAP) | BIT_OF(SIGABRT) | \
			 BIT_OF(SIGBUS) | BIT_OF(SIGFPE) | BIT_OF(SIGSEGV) | BIT_OF(SIGXCPU) | \
			 BIT_OF(SIGXFSZ) | BIT_OF(SIGSYS))

/* A number, or a name without SIG; `fatal` are crashes that the program does not handle */
static int parse_signal(struct softpt_trigger *t, const char *v, char *why, size_t len)
{
	uint64_t n;

	if (!strcmp(v, "fatal")) {
		t->value = CRASHES;
		t->flags |= SOFTPT_TRIGGER_FATAL;
		return 0;
	}
	if (!softpt_number_within(v, 1, 64, &n)) {
		v += strncmp(v, "SIG", 3) ? 0 : 3;
		for (n = 1; n <= 64; n++)
			if (sigabbrev_np(n) && !strcmp(sigabbrev_np(n), v))
				break;
		if (n > 64)
			return softpt_refuse(why, len,
					     "'%s' is no signal: 1 to 64, a name, or fatal", v);
	}
	t->value = 1ull << (n - 1);
	return 0;
}

static int parse_event(struct softpt_trigger *t, const char *v, char *why, size_t len)
{
	struct softpt_spec spec;

	if (softpt_spec_parse(&spec, v, why, len))
		return -EINVAL;
	t->usr = spec.usr;
	t->os = spec.os;
	t->event_class = spec.event_class;
	t->submask = spec.mask;
	return 0;
}

static const struct {
	const char *name;
	uint32_t source;
	int (*parse)(struct softpt_trigger *t, const char *v, char *why, size_t len);
} sources[] = {
	{ "ip", SOFTPT_ON_IP, parse_ip },
	{ "data", SOFTPT_ON_DATA, parse_masked },
	{ "ptw", SOFTPT_ON_PTW, parse_masked },
	{ "counter", SOFTPT_ON_COUNTER, parse_number },
	{ "event", SOFTPT_ON_EVENT, parse_event },
	{ "syscall", SOFTPT_ON_SYSCALL, parse_number },
	{ "signal", SOFTPT_ON_SIGNAL, parse_signal },
	{ "exit", SOFTPT_ON_EXIT, NULL },
	{ "insn", TRIGGER_ON_INSN, NULL },
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static int parse_source(struct softpt_trigger *t, char *text, char *why, size_t len)
{
	char *value = strchr(text, '=');
	size_t i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < SOURCES; i++) {
		if (strcmp(text, sources[i].name))
			continue;
		t->source = sources[i].source;
		if (!value != !sources[i].parse)
			return softpt_refuse(why, len, "%s %s", text, value ? "takes no value" : "needs a value");
		return value ? sources[i].parse(t, value, why, len) : 0;
	}
	return softpt_refuse(why, len, "'%s' is no source: ip, data, ptw, counter, event, syscall, signal, exit, insn",
			     text);
}

static int parse_key(struct softpt_trigger *t, const char *text, char *why, size_t len)
{
	uint64_t nth;

	if (!strcmp(text, "rearm")) {
		t->flags |= SOFTPT_TRIGGER_REARM;
	} else if (!strcmp(text, "psb")) {
		t->flags |= SOFTPT_TRIGGER_PSB;
	} else if (!strncmp(text, "nth=", 4)) {
		if (!softpt_number_within(text + 4, 1, UINT64_MAX, &nth))
			return softpt_refuse(why, len, "nth is 1 or more, not '%s'", text + 4);
		t->nth = nth;
	} else {
		return softpt_refuse(why, len, "'%s' is no key: nth=K, rearm, psb", text);
	}
	return 0;
}

int trigger_parse(struct softpt_trigger *t, const char *text, char *why, size_t len)
{
	char copy[SOFTPT_SPEC_MAX], *rest = copy, *one;
	const char *rule;

	if (strlen(text) >= sizeof(copy))
		return softpt_refuse(why, len, "this is longer than any trigger");
	strcpy(copy, text);
	*t = (struct softpt_trigger){ .size = sizeof(*t), .nth = 1 };
	if (parse_source(t, strsep(&rest, ","), why, len))
		return -EINVAL;
	while ((one = strsep(&rest, ",")))
		if (parse_key(t, one, why, len))
			return -EINVAL;
	if (t->source != TRIGGER_ON_INSN && softpt_trigger_check(t, &rule))
		return softpt_refuse(why, len, "%s", rule);
	return 0;
}

int amount_parse(struct amount *a, const char *text, char *why, size_t len)
{
	const char *p = text;
	unsigned int shift = 0;
	uint64_t n;

	*a = (struct amount){ .given = true };
	if (!softpt_number(&p, &n))
		goto bad;
	if (!strcmp(p, "clocks"))
		a->unit = SOFTPT_AFTER_TICKS;
	else if (!strcmp(p, "psb"))
		a->unit = SOFTPT_AFTER_PSBS;
	else if (!strcmp(p, "k"))
		shift = 10;
	else if (!strcmp(p, "M"))
		shift = 20;
	else if (*p)
		goto bad;
	if (n > 1ull << 40)
		goto bad;
	a->n = n << shift;
	return 0;
bad:
	return softpt_refuse(why, len,
			     "'%s' is no size: bytes (k, M), Nclocks or Npsb, N up to 2^40", text);
}

bool triggers_freeze(const struct triggers *t)
{
	return t->before.given || t->after.given;
}

static uint64_t bytes_of(const struct amount *a, uint64_t interval)
{
	/* No more than a ring can be: it is refused for want of memory. */
	return a->unit == SOFTPT_AFTER_PSBS ? (a->n >> 30 ? 1ull << 60 : a->n * interval) :
	       a->unit == SOFTPT_AFTER_BYTES ? a->n : 0;
}

uint64_t triggers_ring(const struct triggers *t, const struct softpt_config *cfg, uint64_t *after)
{
	uint64_t interval = softpt_psb_interval(cfg);

	*after = bytes_of(&t->after, interval);
	if (!t->before.given)
		return cfg->ring;
	/* The oldest PSB may be as late as an interval after the oldest byte. */
	return bytes_of(&t->before, interval) + interval + *after + SOFTPT_GROUP_MAX;
}

void triggers_set_freeze(struct triggers *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		t->trigger[i].flags |= SOFTPT_TRIGGER_FREEZE;
		t->trigger[i].after = t->after.n;
		t->trigger[i].after_unit = t->after.unit;
	}
}
