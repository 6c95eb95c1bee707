// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where a branch leads whose register no SE has told: every word of the program is tried. What
 * the pins say from there on, how many instructions execute and which branches are taken, what
 * is moved and when, and the address of the next SE, fits one place, or it is not known.
 */
#include "port/search.h"

#include "port/walk.h"

enum verdict {
	NO,
	OPEN,		/* it ends before the next SE, and nothing is wrong up to there */
	YES,
};

static bool is_unknown(int reason)
{
	return reason == SOFTPT_PORT_NO_LR || reason == SOFTPT_PORT_NO_CTR ||
	       reason == SOFTPT_PORT_CTR_COUNTED;
}

static bool is_open(int reason)
{
	return is_unknown(reason) || reason == SOFTPT_PORT_END || reason == SOFTPT_PORT_NOT_SENT ||
	       reason == SOFTPT_PORT_LR_LATE || reason == SOFTPT_PORT_CTR_LATE ||
	       reason == SOFTPT_PORT_NO_TARGET;
}

static enum verdict follow(const struct softpt_port_walk *from, uint32_t target)
{
	struct softpt_port_walk w = *from;

	w.trial = true;
	w.force[w.forced++] = target;
	while (w.confirmed == from->confirmed) {
		if (!*w.steps)
			return OPEN;
		--*w.steps;
		if (!port_walk_find(&w) || !port_walk_symbol(&w))
			return is_open(w.reason) ? OPEN : NO;
		w.rows = 0;
		w.forced = 0;
		w.used = 0;
	}
	return YES;
}

/* Return: whether there is one, and none that is open */
static bool find_in(const struct softpt_port_walk *from, const struct softpt_port_code *code,
		    bool *found, uint32_t *target)
{
	uint64_t at;

	for (at = ((uint64_t)code->from + 3) & ~3ull; at < code->to; at += 4) {
		enum verdict v = follow(from, at);

		if (v == OPEN || (v == YES && *found))
			return false;
		if (v == NO)
			continue;
		*found = true;
		*target = at;
	}
	return true;
}

static bool find(const struct softpt_port_walk *from, uint32_t *target)
{
	bool found = false;
	size_t i;

	for (i = 0; i < from->codes; i++)
		if (!find_in(from, &from->code[i], &found, target))
			return false;
	return found;
}

void port_walk_search(struct softpt_port_walk *w)
{
	struct softpt_port_walk before = *w;
	uint32_t target;

	while (!port_walk_symbol(w) && is_unknown(w->reason) && before.forced < 2 &&
	       find(&before, &target)) {
		before.force[before.forced++] = target;
		*w = before;
	}
	w->forced = 0;
	w->used = 0;
}
