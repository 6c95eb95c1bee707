// SPDX-License-Identifier: BSD-2-Clause
/* Keys of a configuration that only the trace port has */
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include <softpt/port.h>
#include "config/values.h"

static const struct {
	struct softpt_param doc;
	size_t offset;
	uint32_t min, max;
} keys[] = {
#define NUM(k, f, lo, hi, d, w) \
	{ { #k, #lo ".." #hi, #d, w }, offsetof(struct softpt_port_config, f), lo, hi },
	SOFTPT_PARAM_PORT(NUM)
#undef NUM
};

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

const struct softpt_param *softpt_port_config_param(unsigned int i)
{
	return i < NR_KEYS ? &keys[i].doc : NULL;
}

void softpt_port_config_init(struct softpt_port_config *cfg)
{
	*cfg = (struct softpt_port_config){
#define NUM(k, f, lo, hi, d, w) .f = (d),
		SOFTPT_PARAM_PORT(NUM)
#undef NUM
	};
}

int softpt_port_config_parse(struct softpt_port_config *cfg, const char *item, char *why,
			     size_t len)
{
	size_t i, n = strcspn(item, "=");
	uint64_t v;

	for (i = 0; i < NR_KEYS; i++) {
		const struct softpt_param *doc = &keys[i].doc;

		if (strlen(doc->key) != n || strncmp(doc->key, item, n))
			continue;
		if (!item[n])
			return softpt_refuse(why, len, "%s: needs a value: %s", item, doc->values);
		if (!softpt_number_within(item + n + 1, keys[i].min, keys[i].max, &v))
			return softpt_refuse(why, len, "%s: range is %s", item, doc->values);
		*(uint32_t *)((char *)cfg + keys[i].offset) = v;
		return 1;
	}
	return 0;
}
