// SPDX-License-Identifier: BSD-2-Clause
/* Configurations as text: key=value,... from the one parameter table. */
#include <errno.h>
#include <string.h>

#include <softpt/params.h>
#include "base/number.h"
#include <softpt/softpt.h>
#include <softpt/port.h>
#include "config/values.h"

/* A flag has @flag, a key of the text table @set and @print, a number the rest. */
struct key {
	struct softpt_param doc;
	uint32_t flag;
	bool (*set)(struct softpt_config *cfg, const char *value);
	void (*print)(const struct softpt_config *cfg, char *buf);
	size_t offset;
	unsigned int min;
	unsigned int max;
};

static const struct key keys[] = {
#define FLAG(k, f, d, w) \
	{ .doc = { #k, "0, 1", #d, w }, .flag = (f) },
	SOFTPT_PARAM_FLAGS(FLAG)
#undef FLAG
#define NUM(k, field, lo, hi, d, w) \
	{ .doc = { #k, #lo ".." #hi, #d, w }, .offset = offsetof(struct softpt_config, field), \
	  .min = (lo), .max = (hi) },
	SOFTPT_PARAM_NUMS(NUM)
#undef NUM
#define TEXT(k, v, d, w) \
	{ .doc = { #k, v, d, w }, .set = softpt_set_##k, .print = softpt_print_##k },
	SOFTPT_PARAM_TEXTS(TEXT)
#undef TEXT
};

#define NUM(k, field, lo, hi, d, w) \
	_Static_assert(sizeof(((struct softpt_config *)0)->field) == 1, #field " is a byte");
SOFTPT_PARAM_NUMS(NUM)
#undef NUM

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

static bool set_key(struct softpt_config *cfg, const struct key *k, const char *value)
{
	uint64_t v;

	if (k->set)
		return k->set(cfg, value);
	if (!softpt_number_within(value, k->min, k->flag ? 1 : k->max, &v))
		return false;
	if (!k->flag)
		((uint8_t *)cfg)[k->offset] = v;
	else
		cfg->flags = v ? cfg->flags | k->flag : cfg->flags & ~k->flag;
	return true;
}

static void print_key(const struct softpt_config *cfg, const struct key *k, char *buf)
{
	if (k->print)
		k->print(cfg, buf);
	else if (k->flag)
		snprintf(buf, SOFTPT_VALUE_MAX, "%d", !!(cfg->flags & k->flag));
	else
		snprintf(buf, SOFTPT_VALUE_MAX, "%u", ((const uint8_t *)cfg)[k->offset]);
}

const struct softpt_param *softpt_config_param(unsigned int i)
{
	return i < NR_KEYS ? &keys[i].doc : softpt_port_config_param(i - NR_KEYS);
}

void softpt_config_init(struct softpt_config *cfg)
{
	softpt_config_default(cfg);
}

void softpt_config_init_record(struct softpt_config *cfg)
{
	softpt_config_default(cfg);
	cfg->flags &= ~SOFTPT_F_OS;
	cfg->flags |= SOFTPT_F_PGE_TSC | SOFTPT_F_LOSSLESS;
	cfg->suppress = 2;
}

static const struct key *find_key(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_KEYS; i++)
		if (!strcmp(keys[i].doc.key, name))
			return &keys[i];
	return NULL;
}

/* One "key=value"; @item is the caller's copy, and cut in two. */
static int set_item(struct softpt_config *cfg, char *item, char *why, size_t len)
{
	char *value = strchr(item, '=');
	struct softpt_port_config port;
	const struct key *k;
	int ret;

	/* Those of the trace port are no fields of the unit. */
	ret = softpt_port_config_parse(&port, item, why, len);
	if (ret)
		return ret < 0 ? ret : 0;
	if (value)
		*value++ = '\0';
	k = find_key(item);
	if (!k)
		return softpt_refuse(why, len, "%s: unknown key (softpt help config lists them)",
				     item);
	if (!value)
		return softpt_refuse(why, len, "%s: needs a value: %s", item, k->doc.values);
	if (k->set == softpt_set_filter || k->set == softpt_set_stop)
		if (strcmp(value, "none") && cfg->nr_ranges >= SOFTPT_RANGES)
			return softpt_refuse(why, len,
					     "%s=%s: at most %d ranges, filter and stop together",
					     item, value, SOFTPT_RANGES);
	if (k->set == softpt_set_format && !strcmp(value, "port"))
		return softpt_refuse(why, len,
				     "format=port: softpt sim only, a unit makes packets");
	if (!set_key(cfg, k, value))
		return softpt_refuse(why, len, "%s=%s: range is %s", item, value, k->doc.values);
	return 0;
}

int softpt_config_parse(struct softpt_config *cfg, const char *text, char *why, size_t len)
{
	struct softpt_config next = *cfg;
	char item[SOFTPT_VALUE_MAX];

	while (*text) {
		size_t n = strcspn(text, ",");
		int err;

		if (n >= sizeof(item))
			return softpt_refuse(why, len, "%.20s...: too long", text);
		memcpy(item, text, n);
		item[n] = '\0';
		err = set_item(&next, item, why, len);
		if (err)
			return err;
		text += n;
		if (*text && !*++text)
			return softpt_refuse(why, len, "a key=value must follow the last comma");
	}
	*cfg = next;
	return 0;
}

int softpt_config_validate(const struct softpt_config *cfg, char *why, size_t len)
{
	char value[SOFTPT_VALUE_MAX];
	struct softpt_complaint c;
	const struct key *k;

	if (!softpt_config_check(cfg, &c))
		return 0;
	k = find_key(c.key);
	if (!k)
		return softpt_refuse(why, len, "%s: %s", c.key, c.rule);
	print_key(cfg, k, value);
	return softpt_refuse(why, len, "%s=%s: %s", c.key, value, c.rule);
}

int softpt_config_print(char *buf, size_t len, const struct softpt_config *cfg)
{
	char value[SOFTPT_VALUE_MAX];
	unsigned int i;
	int n = 0;

	for (i = 0; i < NR_KEYS; i++) {
		bool room = (size_t)n < len;

		print_key(cfg, &keys[i], value);
		n += snprintf(room ? buf + n : NULL, room ? len - n : 0, "%s%s=%s", i ? "," : "",
			      keys[i].doc.key, value);
	}
	return n;
}
