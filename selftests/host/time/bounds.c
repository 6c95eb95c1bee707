// SPDX-License-Identifier: BSD-2-Clause
/*
 * Property test: random configurations and events through the engine and the library,
 * in one process. For every record the true time lies within its bounds; the
 * bounds are one MTC period wide at most, of the last ones, too: the stream ends on
 * purpose; and the records come out as they went in.
 *
 *	bounds [EVENTS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene.h"

struct check {
	struct scene scene;
	uint64_t period;	/* TSC ticks, rounded up */
	uint64_t rows;
	uint64_t counted;	/* of them with their cycles */
	uint64_t last_tsc;
	uint64_t bad;
};

static void complain(struct check *c, const char *what, const struct truth_row *row,
		     const struct softpt_record *rec)
{
	if (c->bad++ > 3)
		return;
	printf("# seed %" PRIu64 ": %s: event %" PRIu64 " %s offset 0x%" PRIx64 " true %" PRIu64
	       " estimate %" PRIu64 " bounds %" PRIu64 "..%" PRIu64 " flags %x period %" PRIu64
	       "\n", c->scene.seed, what, row->event, softpt_record_kind_name(row->kind),
	       rec->offset, row->tsc, rec->tsc, rec->tsc_min, rec->tsc_max, rec->flags, c->period);
}

/* A reset, a hole and what may wrap unseen in a healed gap leave cycles untold. */
static void check_cycles(struct check *c, const struct truth_row *row,
			 const struct softpt_record *rec)
{
	if (!(rec->flags & SOFTPT_REC_HAS_TOTAL))
		return;
	c->counted++;
	if (rec->cycles_total > row->cycles ||
	    (!c->scene.stops && !c->scene.live && !c->scene.cfg.nr_ranges &&
	     rec->cycles_total != row->cycles))
		complain(c, "cycles in all", row, rec);
	if (rec->flags & SOFTPT_REC_HAS_CYCLES && rec->cycles > rec->cycles_total)
		complain(c, "cycles", row, rec);
}

static int check_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct check *c = ctx;
	bool mtc = (c->scene.cfg.flags & SOFTPT_F_MTC) && (c->scene.cfg.flags & SOFTPT_F_TSC);
	bool both = rec->flags & SOFTPT_REC_HAS_MIN && rec->flags & SOFTPT_REC_HAS_MAX;

	c->rows++;
	if (rec->flags & SOFTPT_REC_HAS_MIN && row->tsc < rec->tsc_min)
		complain(c, "before tsc_min", row, rec);
	if (rec->flags & SOFTPT_REC_HAS_MAX && row->tsc > rec->tsc_max)
		complain(c, "after tsc_max", row, rec);
	if (row->tsc < c->last_tsc)
		complain(c, "truth out of order", row, rec);
	c->last_tsc = row->tsc;
	if (both && (rec->tsc < rec->tsc_min || rec->tsc > rec->tsc_max))
		complain(c, "estimate outside bounds", row, rec);
	check_cycles(c, row, rec);
	if (!mtc)
		return 0;
	if (!both || rec->tsc_max - rec->tsc_min > c->period)
		complain(c, "wide", row, rec);
	return 0;
}

static bool run(struct check *c, uint64_t seed)
{
	struct sim_output out = { .row = check_row, .ctx = c };
	const struct softpt_config *cfg = &c->scene.cfg;

	bool done;

	if (!scene_init(&c->scene, seed, 20, 2000))
		return false;
	c->period = ((((uint64_t)cfg->tsc_ebx << cfg->mtc_freq) - 1) / cfg->tsc_eax) + 1;
	done = scene_run(&c->scene, &out);
	scene_free(&c->scene);
	return done && !c->bad;
}

int main(int argc, char **argv)
{
	uint64_t total = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000, done = 0, rows = 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, failed = 0, files = 0;
	uint64_t counted = 0;
	bool once = argc > 3;

	while (done < total) {
		struct check c = { .scene.verbose = once };

		failed += !run(&c, seed++);
		done += c.scene.events;
		rows += c.rows;
		counted += c.counted;
		files++;
		if (once || failed > 5)
			break;
	}
	printf("# %" PRIu64 " event files, %" PRIu64 " events, %" PRIu64 " records\n", files, done,
	       rows);
	failed |= !once && counted <= rows / 10;
	printf("%s 1 - true times lie within bounds, bounds within an MTC period; %" PRIu64
	       " records know their cycles\n1..1\n", failed ? "not ok" : "ok", counted);
	return failed != 0;
}
