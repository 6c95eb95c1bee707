// SPDX-License-Identifier: BSD-2-Clause
/* softpt sim --trigger */
#include "trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/fragment.h"
#include "../cli/tool.h"

bool sim_trigger_goes_on(const struct sim_trigger *t)
{
	unsigned int i;

	for (i = 0; sim_trigger_freezes(t) && i < t->set.nr; i++)
		if (t->set.trigger[i].flags & SOFTPT_TRIGGER_REARM)
			return true;
	return false;
}

int sim_trigger_done(const struct command *cmd, struct sim_trigger *t,
		     const struct softpt_config *cfg, const char *packets, const char *truth)
{
	if (triggers_done(cmd, &t->set, cfg, &t->size))
		return EXIT_USAGE;
	if (!sim_trigger_freezes(t))
		return 0;
	if (truth)
		return misuse(cmd, "--truth is of a whole trace, not of what --before and --after leave");
	if (!packets)
		return misuse(cmd, "-o FILE says where what freezes goes (- is stdout)");
	if (!strcmp(packets, "-") && sim_trigger_goes_on(t))
		return misuse(cmd, "rearm: what freezes next goes to FILE.1, not to stdout");
	return 0;
}

void sim_trigger_start(struct sim_trigger *t, struct sim *sim)
{
	t->sim = sim;
	sim_arm(sim, t->set.trigger, t->set.nr);
}

int sim_trigger_alloc(struct sim_trigger *t)
{
	return sim_trigger_freezes(t) ? sim_ring_init(&t->ring, t->size) : 0;
}

void sim_trigger_bytes(struct sim_trigger *t, const void *buf, size_t len)
{
	sim_ring_put(&t->ring, buf, len);
}

/* @te: behind the trigger event, in the stream, where there was one */
static int take(struct sim_trigger *t, const char *path, FILE *first, const uint64_t *te)
{
	const struct fragment file = { t->fragments, path, first, t->input };
	const struct softpt_triggers *e = &sim_engine(t->sim)->triggers;
	uint8_t *bytes;
	uint64_t at;
	size_t n;
	int err;

	if (!t->ring.head)
		return 0;
	err = sim_ring_take(&t->ring, &bytes, &n, &at);
	if (err)
		return err;
	err = fragment_write(&file, bytes, n);
	if (!err && te)
		fprintf(stderr, "softpt: trigger: %s at TSC %" PRIu64 ", IP 0x%" PRIx64 ", %" PRIu64
			" bytes before it and %" PRIu64 " after\n", t->set.text[e->freezer],
			(uint64_t)e->tsc, (uint64_t)e->ip, *te - (*te < at ? *te : at),
			at + n - *te);
	t->fragments++;
	free(bytes);
	return err;
}

int sim_trigger_fragment(struct sim_trigger *t, const char *path, FILE *first)
{
	const struct softpt_triggers *e = &sim_engine(t->sim)->triggers;
	uint64_t te = sim_triggered(t->sim);
	int err;

	err = take(t, path, first, &te);
	if (err)
		return err;
	return t->set.trigger[e->freezer].flags & SOFTPT_TRIGGER_REARM ? 0 : SIM_FROZEN;
}

int sim_trigger_end(struct sim_trigger *t, const char *path, FILE *first)
{
	int ret;

	if (sim_engine(t->sim)->triggers.freezing == SOFTPT_FREEZE_ENDS) {
		ret = sim_trigger_fragment(t, path, first);
		return ret == SIM_FROZEN ? 0 : ret;
	}
	if (t->fragments)
		return 0;
	fprintf(stderr, "softpt: trigger: none: %s is the end of the trace\n", path);
	return take(t, path, first, NULL);
}

void sim_trigger_print(const struct sim_trigger *t)
{
	const struct softpt_triggers *e = &sim_engine(t->sim)->triggers;
	unsigned int i;

	for (i = 0; i < t->set.nr; i++)
		fprintf(stderr, "trigger %s: %" PRIu64 " times\n", t->set.text[i],
			(uint64_t)e->slot[i].hits);
}

void sim_trigger_free(struct sim_trigger *t)
{
	sim_ring_free(&t->ring);
}
