// SPDX-License-Identifier: BSD-2-Clause
/*
 * How wide the bounds of an event behind a gap are. A cell of the table is a configuration
 * (CYC, a way to resume, mtc_freq), a class of gaps, and what the core clock does in
 * them; each is a simulated program of rounds: a gap, the event behind it, three more.
 * Of each first event the true time lies within the bounds, and these are an MTC period
 * wide at most.
 *
 *	widths [EVENTS [all]]	EVENTS in all cells together; all: a line for each cell
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/lib/sim/sim.h"
#include "selftests/kit/kit.h"
#include <softpt/params.h>

#define ROUND	5	/* events: in the gap, behind it, three more */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	uint8_t suppress, resume, value;
} resumes[] = {
	{ "off", 0, SOFTPT_RESUME_COUNT, 254 },
	{ "count:254", 2, SOFTPT_RESUME_COUNT, 254 },
	{ "payload:0", 2, SOFTPT_RESUME_PAYLOAD, 0 },
	{ "tsc", 2, SOFTPT_RESUME_TSC, 0 },
};

/* In MTC periods; more is added up to a whole one */
static const struct {
	const char *name;
	uint16_t from, to;
} gaps[] = {
	{ "0", 0, 0 }, { "1-16", 1, 16 }, { "17-254", 17, 254 }, { "255-1023", 255, 1023 },
};

static const struct {
	const char *name;
	uint16_t kind;
} clocks[] = {
	{ "same", SOFTPT_EV_IDLE }, { "announced", SOFTPT_EV_CBR }, { "silent", SOFTPT_EV_CLOCK },
};

static const uint8_t freqs[] = { 0, 3, 6, 9 };

#define CELLS	(2 * COUNT(clocks) * COUNT(gaps) * COUNT(resumes) * COUNT(freqs))

struct cell {
	bool cyc;
	unsigned int clock, gap, resume, freq;
	uint64_t period;
	uint64_t n, sum, worst;		/* of widths, in ticks */
	uint64_t outside, wide;
};

static int note(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct cell *c = ctx;
	bool both = rec->flags & SOFTPT_REC_HAS_MIN && rec->flags & SOFTPT_REC_HAS_MAX;
	uint64_t width = both ? rec->tsc_max - rec->tsc_min : UINT64_MAX;

	if (rec->kind == SOFTPT_REC_PSB || row->event % ROUND != 2)
		return 0;
	if (row->tsc < rec->tsc_min || (both && row->tsc > rec->tsc_max))
		c->outside++;
	if (width > c->period)
		c->wide++;
	if (both) {
		c->n++;
		c->sum += width;
		c->worst = width > c->worst ? width : c->worst;
	}
	return 0;
}

/* The i-th event of a round, @tsc ago from the one before */
static struct softpt_event event(const struct cell *c, const struct softpt_config *cfg,
				 unsigned int i, uint64_t *state)
{
	static const uint8_t kinds[] = { SOFTPT_EV_JCC, SOFTPT_EV_IJMP, SOFTPT_EV_PTW };
	struct softpt_event ev = { .ip = 0x400000, .target = 0x401000, .cpl = 3, .len = 2 };

	ev.kind = i ? kinds[kit_random(state) % COUNT(kinds)] : clocks[c->clock].kind;
	ev.arg = cfg->min_ratio + kit_random(state) % (cfg->max_ratio - cfg->min_ratio + 1);
	return ev;
}

static int rounds(struct cell *c, struct sim *s, const struct softpt_config *cfg, uint64_t n)
{
	uint64_t state = n ^ c->period, gap, tsc = 1000, before;
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .ip = 0x400000, .tsc = tsc };
	const char *why = "";
	unsigned int i;
	int err = sim_event(s, &ev, &why);

	while (!err && n--) {
		gap = gaps[c->gap].from + kit_random(&state) %
		      (gaps[c->gap].to - gaps[c->gap].from + 1);
		gap = gap * c->period + kit_random(&state) % c->period;
		before = kit_random(&state) % (gap + 1);
		for (i = 0; !err && i < ROUND; i++) {
			tsc += i == 0 ? before : i == 1 ? gap - before :
			       kit_random(&state) % (c->period / 8 + 1);
			ev = event(c, cfg, i, &state);
			ev.tsc = tsc;
			err = sim_event(s, &ev, &why);
		}
	}
	/* An anchor follows the last */
	ev = (struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = tsc + c->period };
	return err ? err : sim_event(s, &ev, &why);
}

static int run(struct cell *c, uint64_t n)
{
	struct sim_output out = { .row = note, .ctx = c };
	struct softpt_config cfg;
	struct sim *s;
	int err;

	softpt_config_default(&cfg);
	cfg.flags |= c->cyc ? SOFTPT_F_CYC : 0;
	cfg.mtc_freq = freqs[c->freq];
	cfg.suppress = resumes[c->resume].suppress;
	cfg.resume = resumes[c->resume].resume;
	cfg.resume_value = resumes[c->resume].value;
	c->period = ((uint64_t)cfg.tsc_ebx << cfg.mtc_freq) / cfg.tsc_eax;
	s = sim_new(&cfg, &out);
	err = s ? rounds(c, s, &cfg, n) : -1;
	if (!err)
		err = sim_finish(s);
	sim_free(s);
	return err;
}

/* The worst, and the mean of all freqs, in hundredths of a period */
static void print_width(const struct cell *c)
{
	double worst = 0, mean = 0;
	unsigned int f;

	for (f = 0; f < COUNT(freqs); f++) {
		double w = 100.0 * c[f].worst / c[f].period;

		worst = w > worst ? w : worst;
		mean += c[f].n ? 100.0 * c[f].sum / c[f].n / c[f].period / COUNT(freqs) : 0;
	}
	printf(" %8.2f %6.2f", mean, worst);
}

static void print_table(const struct cell *c, bool all)
{
	unsigned int i;

	printf("# width of the bounds in %% of an MTC period: mean, worst\n#\n# cyc clock     gap     ");
	for (i = 0; i < COUNT(resumes); i++)
		printf("%16s", resumes[i].name);
	for (i = 0; i < CELLS; i += COUNT(freqs)) {
		if (i % (COUNT(resumes) * COUNT(freqs)) == 0)
			printf("\n# %3u %-9s %-9s", c[i].cyc, clocks[c[i].clock].name,
			       gaps[c[i].gap].name);
		print_width(&c[i]);
	}
	printf("\n");
	for (i = 0; all && i < CELLS; i++)
		printf("# cyc=%u %s gap %s %s mtc_freq=%u: %" PRIu64 " gaps, width %.1f, at most %"
		       PRIu64 " of %" PRIu64 "\n", c[i].cyc, clocks[c[i].clock].name,
		       gaps[c[i].gap].name, resumes[c[i].resume].name, freqs[c[i].freq], c[i].n,
		       c[i].n ? (double)c[i].sum / c[i].n : 0, c[i].worst, c[i].period);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	uint64_t n = events / (CELLS * ROUND) + 1, fewest = UINT64_MAX, outside = 0, wide = 0;
	static struct cell cells[CELLS];
	unsigned int i, failed = 0;

	for (i = 0; i < CELLS; i++) {
		struct cell *c = &cells[i];
		unsigned int k = i;

		c->freq = k % COUNT(freqs), k /= COUNT(freqs);
		c->resume = k % COUNT(resumes), k /= COUNT(resumes);
		c->gap = k % COUNT(gaps), k /= COUNT(gaps);
		c->clock = k % COUNT(clocks), k /= COUNT(clocks);
		c->cyc = k;
		failed += run(c, n) != 0;
		fewest = c->n < fewest ? c->n : fewest;
		outside += c->outside;
		wide += c->wide;
	}
	print_table(cells, argc > 2);
	printf("# %zu cells, each of %" PRIu64 " gaps; %" PRIu64 " outside, %" PRIu64 " too wide\n",
	       (size_t)CELLS, fewest, outside, wide);
	kit_ok(!failed && fewest == n, "each gap of each cell ended in an event with bounds");
	kit_ok(!outside, "true times behind gaps lie within the bounds");
	kit_ok(!wide, "bounds behind gaps are an MTC period wide at most");
	return kit_done();
}
