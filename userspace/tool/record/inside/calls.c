// SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <string.h>

#include "base/number.h"
#include "flow/kernel/names.h"

bool calls_number(const char *name, unsigned int *nr)
{
	uint64_t number;
	const char *known;

	if (softpt_number_within(name, 0, SOFTPT_XL_CALLS - 1, &number)) {
		*nr = (unsigned int)number;
		return true;
	}
	for (*nr = 0; *nr < SOFTPT_XL_CALLS; ++*nr) {
		known = kernel_call_name(*nr);
		if (known && !strcmp(known, name))
			return true;
	}
	return false;
}

bool calls_have(const struct inside *in, uint32_t nr)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->name[i].kind == INSIDE_CALL && in->name[i].call == nr)
			return true;
	return false;
}

void calls_share(const struct inside *in, struct softpt_xl_shared *shared)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++) {
		const struct inside_name *n = &in->name[i];
		uint64_t *set = n->role == SOFTPT_XL_ROLE_START ? (uint64_t *)shared->starts :
								  (uint64_t *)shared->stops;

		if (n->kind == INSIDE_CALL)
			set[n->call / 64] |= 1ull << (n->call % 64);
	}
}
