// SPDX-License-Identifier: BSD-2-Clause
/* The trace port's triggers */
#include "sim/port-trigger.h"

#include <errno.h>

#include <softpt/params.h>

#include "sim/counters.h"

/* Return: whether there are enough of them for the trigger to fire; the last @n of them are now */
static bool hit(struct port_triggers *t, unsigned int k, uint64_t n)
{
	const struct softpt_trigger *set = &t->set->trigger[k];

	t->hits[k] += n;
	if (!t->left[k] || n < t->left[k]) {
		t->left[k] -= t->left[k] ? n : 0;
		return false;
	}
	n -= t->left[k];
	t->left[k] = set->flags & SOFTPT_TRIGGER_REARM ? set->nth - n % set->nth : 0;
	t->fired = k;
	t->psb |= set->flags & SOFTPT_TRIGGER_PSB;
	return true;
}

static bool inside(const struct softpt_trigger *set, uint32_t addr)
{
	return addr >= set->value && addr <= set->mask;
}

/* A straight run that touches the range is one occurrence: where it does first. */
bool port_triggers_execute(struct port_triggers *t, bool known, uint32_t addr, bool taken)
{
	bool te = false;
	unsigned int k;

	for (k = 0; k < t->set->nr; k++) {
		const struct softpt_trigger *set = &t->set->trigger[k];

		if (set->source == TRIGGER_ON_INSN)
			te |= hit(t, k, 1);
		else if (set->source == SOFTPT_ON_IP && known && inside(set, addr) &&
			 !(t->runs && inside(set, t->last)))
			te |= hit(t, k, 1);
	}
	t->runs = known && !taken;
	t->last = addr;
	return te;
}

static bool is_counted(const struct softpt_trigger *set)
{
	return set->source != SOFTPT_ON_IP && set->source != TRIGGER_ON_INSN;
}

int port_triggers_event(struct port_triggers *t, const struct softpt_event *ev, bool *te,
			const char **why)
{
	const struct softpt_engine *e;
	unsigned int k;
	int err;

	*te = false;
	if (!t->unit)
		return 0;
	err = sim_event(t->unit, ev, why);
	e = sim_engine(t->unit);
	for (k = 0; k < t->set->nr && !err; k++) {
		uint64_t n = is_counted(&t->set->trigger[k]) ?
			     e->triggers.slot[k].hits - t->seen[k] : 0;

		t->seen[k] += n;
		*te |= n && hit(t, k, n);
	}
	return err == -ERANGE || err == -EFBIG ? -EINVAL : err;
}

/* Nobody reads its packets: there need not be any of time, which a long gap would be full of. */
static int make_unit(struct port_triggers *t, const struct softpt_plan *plan)
{
	static const struct sim_output nowhere = { 0 };
	struct softpt_trigger counted[SOFTPT_TRIGGERS];
	struct softpt_config cfg;
	unsigned int k, n = 0;
	char text[80];

	softpt_config_default(&cfg);
	if (softpt_config_parse(&cfg, "mtc=0,cyc=0", text, sizeof(text)))
		return -EINVAL;
	t->unit = sim_new(&cfg, &nowhere);
	if (!t->unit)
		return -ENOMEM;
	for (k = 0; k < t->set->nr; k++) {
		struct softpt_trigger one = t->set->trigger[k];

		one.nth = 1;
		one.flags = (one.flags & SOFTPT_TRIGGER_FATAL) | SOFTPT_TRIGGER_REARM;
		one.after = 0;
		one.after_unit = 0;
		if (is_counted(&one))
			counted[n++] = one;
	}
	counters_start(t->unit, plan, plan->counters);
	return sim_arm(t->unit, counted, n);
}

int port_triggers_init(struct port_triggers *t, const struct triggers *set,
		       const struct softpt_plan *plan)
{
	bool counted = false;
	unsigned int k;

	*t = (struct port_triggers){ .set = set };
	for (k = 0; k < set->nr; k++) {
		t->left[k] = set->trigger[k].nth;
		counted |= is_counted(&set->trigger[k]);
	}
	return counted ? make_unit(t, plan) : 0;
}

void port_triggers_free(struct port_triggers *t)
{
	sim_free(t->unit);
	t->unit = NULL;
}
