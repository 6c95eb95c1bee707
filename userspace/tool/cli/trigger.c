// SPDX-License-Identifier: BSD-2-Clause
/* --trigger, --before and --after */
#include "trigger.h"

#include <inttypes.h>

#include <softpt/params.h>

#include "tool.h"

int trigger_option(const struct command *cmd, struct triggers *t, const char *text)
{
	char why[320];

	if (t->nr == SOFTPT_TRIGGERS)
		return misuse(cmd, "--trigger: there are %d", SOFTPT_TRIGGERS);
	if (trigger_parse(&t->trigger[t->nr], text, why, sizeof(why)))
		return misuse(cmd, "--trigger %s: %s", text, why);
	t->trigger[t->nr].index = t->nr;
	t->text[t->nr++] = text;
	return 0;
}

int before_option(const struct command *cmd, struct triggers *t, const char *text)
{
	char why[320];

	if (amount_parse(&t->before, text, why, sizeof(why)))
		return misuse(cmd, "--before %s", why);
	t->before_text = text;
	return 0;
}

int after_option(const struct command *cmd, struct triggers *t, const char *text)
{
	char why[320];

	return amount_parse(&t->after, text, why, sizeof(why)) ?
	       misuse(cmd, "--after %s", why) : 0;
}

int triggers_are_of_packets(const struct command *cmd, const struct triggers *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->trigger[i].source == TRIGGER_ON_INSN)
			return misuse(cmd, "--trigger %s: insn is of the trace port (sim -c format=port)",
				      t->text[i]);
	if (t->before.unit == SOFTPT_AFTER_TICKS)
		return misuse(cmd, "--before %s: a ring holds bytes, or intervals (Npsb)",
			      t->before_text);
	return 0;
}

int triggers_done(const struct command *cmd, struct triggers *t, const struct softpt_config *cfg,
		  uint64_t *ring)
{
	uint64_t interval = softpt_psb_interval(cfg), after;

	*ring = cfg->ring;
	if (triggers_are_of_packets(cmd, t))
		return EXIT_USAGE;
	if (!t->nr && triggers_freeze(t))
		return misuse(cmd, "--before and --after are of a --trigger");
	if (!triggers_freeze(t))
		return 0;
	*ring = triggers_ring(t, cfg, &after);
	if (*ring < interval + after)
		return misuse(cmd,
			      "a ring of %" PRIu64 " bytes has no history: a PSB every %" PRIu64
			      " (-c psb_freq=), and %" PRIu64 " after",
			      *ring, interval, after);
	triggers_set_freeze(t);
	return 0;
}
