// SPDX-License-Identifier: BSD-2-Clause
/* The bytes of each instruction that a log has shown: a hash table that only grows */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/insns.h"

struct import_insn {
	uint64_t ip;
	uint8_t used;	/* bytes and one more; 0: a free slot */
	uint8_t code[SOFTPT_INSN_MAX];
};

/* The slot of @ip, or the free one where it belongs; there always is a free one */
static struct import_insn *slot_of(const struct import_code *c, uint64_t ip)
{
	size_t i = (ip * 0x9e3779b97f4a7c15) >> 32;

	while (c->slot[i & (c->alloc - 1)].used && c->slot[i & (c->alloc - 1)].ip != ip)
		i++;
	return &c->slot[i & (c->alloc - 1)];
}

static int grow(struct import_code *c)
{
	struct import_code more = { .n = c->n, .alloc = c->alloc ? c->alloc * 2 : 4096 };
	size_t i;

	more.slot = calloc(more.alloc, sizeof(*more.slot));
	if (!more.slot)
		return -ENOMEM;
	for (i = 0; i < c->alloc; i++)
		if (c->slot[i].used)
			*slot_of(&more, c->slot[i].ip) = c->slot[i];
	free(c->slot);
	*c = more;
	return 0;
}

int import_code_add(struct import_code *c, const struct import_step *step)
{
	struct import_insn *slot;

	if (c->n >= c->alloc / 2 && grow(c))
		return -ENOMEM;
	slot = slot_of(c, step->ip);
	c->n += !slot->used;
	*slot = (struct import_insn){ .ip = step->ip, .used = step->n + 1 };
	memcpy(slot->code, step->code, step->n);
	return 0;
}

bool import_code_find(const struct import_code *c, struct import_step *step)
{
	const struct import_insn *slot = c->alloc ? slot_of(c, step->ip) : NULL;

	if (!slot || !slot->used)
		return false;
	step->n = slot->used - 1;
	memcpy(step->code, slot->code, step->n);
	return true;
}

void import_code_free(struct import_code *c)
{
	free(c->slot);
	*c = (struct import_code){ 0 };
}
