// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/crash.h"

#include <errno.h>
#include <stdlib.h>

int perfcrash_add(struct perfcrashes *c, const struct softpt_perf_crash *crash)
{
	if (!c->v)
		c->v = calloc(PERFCRASH_MAX, sizeof(*c->v));
	if (!c->v)
		return -ENOMEM;
	c->v[c->n++ % PERFCRASH_MAX] = *crash;
	return 0;
}

size_t perfcrash_kept(const struct perfcrashes *c)
{
	return c->n < PERFCRASH_MAX ? c->n : PERFCRASH_MAX;
}

void perfcrash_free(struct perfcrashes *c)
{
	free(c->v);
	*c = (struct perfcrashes){ 0 };
}
