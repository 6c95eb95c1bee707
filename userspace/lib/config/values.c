// SPDX-License-Identifier: BSD-2-Clause
/* The keys of a configuration whose values are more than a number */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <softpt/params.h>
#include "base/number.h"
#include "config/values.h"

bool softpt_set_tsc_ratio(struct softpt_config *cfg, const char *value)
{
	uint64_t ebx, eax;

	if (!softpt_number(&value, &ebx) || *value++ != '/' ||
	    !softpt_number_within(value, 1, SOFTPT_CLOCK_TERM_MAX, &eax) ||
	    ebx > SOFTPT_CLOCK_TERM_MAX)
		return false;
	cfg->tsc_ebx = ebx;
	cfg->tsc_eax = eax;
	return true;
}

void softpt_print_tsc_ratio(const struct softpt_config *cfg, char *buf)
{
	snprintf(buf, SOFTPT_VALUE_MAX, "%u/%u", cfg->tsc_ebx, cfg->tsc_eax);
}

bool softpt_set_suppress(struct softpt_config *cfg, const char *value)
{
	uint64_t n = 0;

	if (strcmp(value, "off") && !softpt_number_within(value, 1, 255, &n))
		return false;
	cfg->suppress = n;
	return true;
}

void softpt_print_suppress(const struct softpt_config *cfg, char *buf)
{
	snprintf(buf, SOFTPT_VALUE_MAX, cfg->suppress ? "%u" : "off", cfg->suppress);
}

bool softpt_set_resume(struct softpt_config *cfg, const char *value)
{
	uint64_t v = 0;

	if (!strcmp(value, "tsc"))
		cfg->resume = SOFTPT_RESUME_TSC;
	else if (!strncmp(value, "count:", 6) && softpt_number_within(value + 6, 1, 255, &v))
		cfg->resume = SOFTPT_RESUME_COUNT;
	else if (!strncmp(value, "payload:", 8) && softpt_number_within(value + 8, 0, 255, &v))
		cfg->resume = SOFTPT_RESUME_PAYLOAD;
	else
		return false;
	cfg->resume_value = v;
	return true;
}

void softpt_print_resume(const struct softpt_config *cfg, char *buf)
{
	if (cfg->resume == SOFTPT_RESUME_TSC)
		snprintf(buf, SOFTPT_VALUE_MAX, "tsc");
	else
		snprintf(buf, SOFTPT_VALUE_MAX, "%s:%u",
			 cfg->resume == SOFTPT_RESUME_COUNT ? "count" : "payload",
			 cfg->resume_value);
}

bool softpt_set_burst(struct softpt_config *cfg, const char *value)
{
	uint64_t n = 0;

	if (strcmp(value, "N") && !softpt_number_within(value, 1, 255, &n))
		return false;
	cfg->burst = n;
	return true;
}

void softpt_print_burst(const struct softpt_config *cfg, char *buf)
{
	snprintf(buf, SOFTPT_VALUE_MAX, cfg->burst ? "%u" : "N", cfg->burst);
}

bool softpt_set_cr3(struct softpt_config *cfg, const char *value)
{
	bool any = !strcmp(value, "any");
	uint64_t cr3 = 0;

	if (!any && !softpt_number_within(value, 0, UINT64_MAX, &cr3))
		return false;
	cfg->flags = any ? cfg->flags & ~SOFTPT_F_CR3 : cfg->flags | SOFTPT_F_CR3;
	cfg->cr3 = cr3;
	return true;
}

void softpt_print_cr3(const struct softpt_config *cfg, char *buf)
{
	if (cfg->flags & SOFTPT_F_CR3)
		snprintf(buf, SOFTPT_VALUE_MAX, "0x%" PRIx64, (uint64_t)cfg->cr3);
	else
		snprintf(buf, SOFTPT_VALUE_MAX, "any");
}

static void drop_ranges(struct softpt_config *cfg, uint32_t kind)
{
	struct softpt_range kept[SOFTPT_RANGES] = { 0 };
	unsigned int i, n = 0;

	for (i = 0; i < cfg->nr_ranges; i++)
		if (cfg->range[i].kind != kind)
			kept[n++] = cfg->range[i];
	memcpy(cfg->range, kept, sizeof(kept));
	cfg->nr_ranges = n;
}

static bool set_range(struct softpt_config *cfg, uint32_t kind, const char *value)
{
	uint64_t from, to;

	if (!strcmp(value, "none")) {
		drop_ranges(cfg, kind);
		return true;
	}
	if (!softpt_number(&value, &from) || *value++ != '-' ||
	    !softpt_number_within(value, from, UINT64_MAX, &to) ||
	    cfg->nr_ranges >= SOFTPT_RANGES)
		return false;
	cfg->range[cfg->nr_ranges++] = (struct softpt_range){
		.from = from, .to = to, .kind = kind,
	};
	return true;
}

/* Joined by ",key=", so that the text can be read back; "none" without any */
static void print_range(const struct softpt_config *cfg, uint32_t kind, const char *key,
			char *buf)
{
	unsigned int i;
	int n = 0;

	strcpy(buf, "none");
	for (i = 0; i < cfg->nr_ranges && i < SOFTPT_RANGES; i++) {
		const struct softpt_range *r = &cfg->range[i];

		if (r->kind == kind)
			n += snprintf(buf + n, SOFTPT_VALUE_MAX - n,
				      "%s%s%s0x%" PRIx64 "-0x%" PRIx64, n ? "," : "",
				      n ? key : "", n ? "=" : "",
				      (uint64_t)r->from, (uint64_t)r->to);
	}
}

bool softpt_set_filter(struct softpt_config *cfg, const char *value)
{
	return set_range(cfg, SOFTPT_RANGE_FILTER, value);
}

void softpt_print_filter(const struct softpt_config *cfg, char *buf)
{
	print_range(cfg, SOFTPT_RANGE_FILTER, "filter", buf);
}

bool softpt_set_stop(struct softpt_config *cfg, const char *value)
{
	return set_range(cfg, SOFTPT_RANGE_STOP, value);
}

void softpt_print_stop(const struct softpt_config *cfg, char *buf)
{
	print_range(cfg, SOFTPT_RANGE_STOP, "stop", buf);
}

bool softpt_set_clock(struct softpt_config *cfg, const char *value)
{
	cfg->clock = strcmp(value, "model") ? SOFTPT_CLOCK_WALL : SOFTPT_CLOCK_MODEL;
	return !strcmp(value, "model") || !strcmp(value, "wall");
}

void softpt_print_clock(const struct softpt_config *cfg, char *buf)
{
	strcpy(buf, cfg->clock == SOFTPT_CLOCK_MODEL ? "model" : "wall");
}

bool softpt_set_mode(struct softpt_config *cfg, const char *value)
{
	cfg->mode = strcmp(value, "snapshot") ? SOFTPT_RING_STREAM : SOFTPT_RING_SNAPSHOT;
	return !strcmp(value, "snapshot") || !strcmp(value, "stream");
}

void softpt_print_mode(const struct softpt_config *cfg, char *buf)
{
	strcpy(buf, cfg->mode == SOFTPT_RING_SNAPSHOT ? "snapshot" : "stream");
}

static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	}
	return 0;
}

/* A power of two */
static bool set_size(uint64_t *size, const char *value)
{
	unsigned int shift;
	uint64_t v;

	if (!softpt_number(&value, &v))
		return false;
	shift = suffix_shift(*value);
	value += shift != 0;
	if (*value || v > SOFTPT_RING_MAX >> shift)
		return false;
	v <<= shift;
	if (!softpt_is_ring_size(v))
		return false;
	*size = v;
	return true;
}

static void print_size(uint64_t v, char *buf)
{
	if (v && !(v & ((1 << 20) - 1)))
		snprintf(buf, SOFTPT_VALUE_MAX, "%" PRIu64 "M", v >> 20);
	else if (v && !(v & ((1 << 10) - 1)))
		snprintf(buf, SOFTPT_VALUE_MAX, "%" PRIu64 "K", v >> 10);
	else
		snprintf(buf, SOFTPT_VALUE_MAX, "%" PRIu64, v);
}

bool softpt_set_ring(struct softpt_config *cfg, const char *value)
{
	uint64_t size;

	if (!set_size(&size, value))
		return false;
	cfg->ring = size;
	return true;
}

void softpt_print_ring(const struct softpt_config *cfg, char *buf)
{
	print_size(cfg->ring, buf);
}

bool softpt_set_truth(struct softpt_config *cfg, const char *value)
{
	uint64_t size = 0;

	if (strcmp(value, "0") && !set_size(&size, value))
		return false;
	cfg->truth = size;
	return true;
}

void softpt_print_truth(const struct softpt_config *cfg, char *buf)
{
	print_size(cfg->truth, buf);
}

/* What `softpt sim` writes: no field of the unit */
bool softpt_set_format(struct softpt_config *cfg, const char *value)
{
	return cfg && !strcmp(value, "pt");
}

void softpt_print_format(const struct softpt_config *cfg, char *buf)
{
	snprintf(buf, SOFTPT_VALUE_MAX, "%s", cfg ? "pt" : "");
}

int softpt_refuse(char *why, size_t len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (len)
		vsnprintf(why, len, format, args);
	va_end(args);
	return -EINVAL;
}
