// SPDX-License-Identifier: BSD-2-Clause
/*
 * Property test: random configurations and events through the engine and the library,
 * in one process. For every record the true time lies within its bounds; the
 * bounds are one MTC period wide at most wherever an anchor or a stop follows; and
 * the records come out as they went in.
 *
 *	bounds [EVENTS [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "../../userspace/tool/truth.h"

static uint64_t state;

static uint64_t rnd(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return rnd() % n;
}

static bool chance(unsigned int percent)
{
	return below(100) < percent;
}

struct check {
	struct softpt_config cfg;
	struct sim *sim;
	uint64_t seed;
	uint64_t period;	/* TSC ticks, rounded up */
	uint64_t rows;
	uint64_t wide;		/* interval that had a row wider than a period */
	uint64_t last_tsc;
	uint64_t bad;
	bool live;
	bool verbose;
};

static void complain(struct check *c, const char *what, const struct truth_row *row,
		     const struct softpt_record *rec)
{
	if (c->bad++ > 3)
		return;
	printf("# seed %" PRIu64 ": %s: event %" PRIu64 " %s offset 0x%" PRIx64 " true %" PRIu64
	       " estimate %" PRIu64 " bounds %" PRIu64 "..%" PRIu64 " flags %x period %" PRIu64 "\n",
	       c->seed, what, row->event, softpt_record_kind_name(row->kind), rec->offset, row->tsc,
	       rec->tsc, rec->tsc_min, rec->tsc_max, rec->flags, c->period);
}

static int check_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct check *c = ctx;
	bool mtc = (c->cfg.flags & SOFTPT_F_MTC) && (c->cfg.flags & SOFTPT_F_TSC);
	bool both = rec->flags & SOFTPT_REC_HAS_MIN && rec->flags & SOFTPT_REC_HAS_MAX;

	const struct softpt_decoder_counts *counts;
	uint64_t interval;

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
	if (!mtc)
		return 0;
	/* Records of one interval come out together: only the last may be wide. */
	counts = softpt_decoder_counts(sim_decoder(c->sim));
	interval = counts->mtc + counts->tsc;
	if (!both || rec->tsc_max - rec->tsc_min > c->period) {
		c->wide = interval;
		if (c->verbose)
			complain(c, "wide", row, rec);
	} else {
		if (c->wide && c->wide != interval)
			complain(c, "wide, and an anchor followed", row, rec);
	}
	return 0;
}

static void random_config(struct softpt_config *c)
{
	static const uint32_t terms[][2] = {
		{ 216, 2 }, { 325, 3 }, { 84, 2 }, { 1, 1 }, { 7, 3 }, { 512, 1 }, { 1000, 7 },
	};
	unsigned int i = below(7);

	softpt_config_default(c);
	c->tsc_ebx = terms[i][0];
	c->tsc_eax = terms[i][1];
	c->mtc_freq = chance(70) ? below(6) : below(16);
	c->psb_freq = chance(70) ? 0 : below(4);
	if (chance(50))
		c->flags |= SOFTPT_F_CYC;
	if (chance(30))
		c->cyc_thresh = below(13);
	if (chance(30))
		c->cyc_bits = 16 + below(6);
	if (chance(20))
		c->flags |= SOFTPT_F_TNT64;
	if (chance(20))
		c->flags &= ~SOFTPT_F_CBR;
	if (chance(30))
		c->flags |= SOFTPT_F_PWR;
	if (chance(20))
		c->flags |= SOFTPT_F_PGE_TSC;
	if (chance(20))
		c->flags &= ~SOFTPT_F_DESCRIBE;
	if (chance(10))
		c->flags &= ~SOFTPT_F_RETC;
	if (chance(20))
		c->flags &= ~SOFTPT_F_OS;
	if (chance(5))
		c->flags &= ~SOFTPT_F_MTC;
	if (chance(3))
		c->flags &= ~SOFTPT_F_BRANCH;
	if (chance(80) && c->flags & SOFTPT_F_MTC) {
		c->suppress = chance(80) ? 1 + below(4) : 1 + below(255);
		c->resume = below(3);
		c->resume_value = c->resume == SOFTPT_RESUME_COUNT ? 1 + below(255) :
				  c->resume == SOFTPT_RESUME_PAYLOAD ? below(256) : 0;
		c->burst = chance(50) ? 0 : 1 + below(c->suppress);
		c->preroll = chance(50) ? 0 : below(5);
	}
	if (chance(20)) {
		c->nr_ranges = 1 + below(3);
		for (i = 0; i < c->nr_ranges; i++) {
			c->range[i].kind = chance(80) ? SOFTPT_RANGE_FILTER : SOFTPT_RANGE_STOP;
			c->range[i].from = 0x400000 + below(16) * 0x100;
			c->range[i].to = c->range[i].from + below(0x800);
		}
	}
}

static uint64_t random_ip(void)
{
	if (chance(5))
		return rnd();
	return (chance(80) ? 0x400000 : 0x7f0000000000ull) + below(0x1000);
}

/* Time to the next event: dense runs, gaps of every size, and ticks hit exactly */
static uint64_t random_gap(const struct softpt_config *c, uint64_t tsc)
{
	struct softpt_ratio p = { c->tsc_ebx, c->tsc_eax };
	uint64_t period = ((uint64_t)c->tsc_ebx << c->mtc_freq) / c->tsc_eax + 1;
	uint64_t next = softpt_tsc_of_tick(p, c->mtc_freq,
					   softpt_tick_of_tsc(p, c->mtc_freq, tsc) + 1 + below(4));

	switch (below(10)) {
	case 0:
		return 0;
	case 1:
		return next - tsc + below(3) - (next > tsc + 1 ? 1 : 0);
	case 2:
		return below(period * 4);
	case 3:
		return c->mtc_freq < 10 ? below(period * 300) : below(period * 8);
	case 4:
		return c->mtc_freq < 6 && chance(10) ? below(period * 3000) : below(period);
	default:
		return below(period / 8 + 2);
	}
}

static void random_event(const struct softpt_config *c, struct softpt_event *ev, uint64_t *tsc)
{
	static const uint8_t common[] = {
		SOFTPT_EV_JCC, SOFTPT_EV_JCC, SOFTPT_EV_JCC, SOFTPT_EV_JCC, SOFTPT_EV_CALL,
		SOFTPT_EV_ICALL, SOFTPT_EV_RET, SOFTPT_EV_RET, SOFTPT_EV_IJMP, SOFTPT_EV_PTW,
		SOFTPT_EV_IDLE, SOFTPT_EV_JMP,
	};

	memset(ev, 0, sizeof(*ev));
	*tsc += random_gap(c, *tsc);
	ev->tsc = *tsc;
	ev->kind = chance(85) ? common[below(sizeof(common))] : below(SOFTPT_EV_NR);
	ev->ip = random_ip();
	ev->target = random_ip();
	ev->len = ev->kind == SOFTPT_EV_ICALL ? 2 : 5;
	ev->cpl = 3;
	switch (ev->kind) {
	case SOFTPT_EV_JCC:
		ev->flags = below(SOFTPT_EVF_ALL + 1);
		break;
	case SOFTPT_EV_DISABLE: case SOFTPT_EV_CR3: case SOFTPT_EV_CFE:
		ev->flags = chance(50) ? SOFTPT_EVF_IP : 0;
		ev->arg = below(32);
		break;
	case SOFTPT_EV_FAR: case SOFTPT_EV_INTR: case SOFTPT_EV_CPL:
		ev->cpl = chance(50) ? 0 : 3;
		if (ev->kind == SOFTPT_EV_CPL && chance(50))
			ev->flags = SOFTPT_EVF_IP;
		break;
	case SOFTPT_EV_SIGNAL:
		ev->arg = 1 + below(64);
		break;
	case SOFTPT_EV_CBR: case SOFTPT_EV_CLOCK:
		ev->arg = c->min_ratio + below(c->max_ratio - c->min_ratio + 1);
		break;
	case SOFTPT_EV_MODE:
		ev->arg = 16 << below(3);
		break;
	case SOFTPT_EV_SLEEP: case SOFTPT_EV_OVF:
		ev->arg = random_gap(c, *tsc);
		break;
	case SOFTPT_EV_PWRE: case SOFTPT_EV_PWRX:
		ev->arg = below(16);
		ev->target = below(16);
		break;
	case SOFTPT_EV_PTW:
		ev->arg = chance(50) ? below(1ull << 32) : rnd();
		ev->flags = chance(50) ? SOFTPT_EVF_IP : 0;
		break;
	case SOFTPT_EV_TSX:
		ev->arg = below(3);
		ev->flags = below(2) * SOFTPT_EVF_IP + below(2) * SOFTPT_EVF_TARGET;
		break;
	default:
		ev->arg = below(32);
		break;
	}
}

static int run(struct check *c, uint64_t events)
{
	struct sim_output out = { .row = check_row, .ctx = c };
	struct softpt_complaint why;
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .ip = 0x400000 };
	uint64_t tsc, i;
	const char *what = "";
	struct sim *s;
	int ret;

	random_config(&c->cfg);
	if (softpt_config_check(&c->cfg, &why)) {
		printf("# seed %" PRIu64 ": config: %s: %s\n", c->seed, why.key, why.rule);
		return -1;
	}
	if (c->verbose)
		printf("# flags 0x%x ratio %u/%u mtc_freq %u thresh %u bits %u suppress %u resume %u:%u burst %u preroll %u psb %u ranges %u\n",
		       c->cfg.flags, c->cfg.tsc_ebx, c->cfg.tsc_eax, c->cfg.mtc_freq,
		       c->cfg.cyc_thresh, c->cfg.cyc_bits, c->cfg.suppress, c->cfg.resume,
		       c->cfg.resume_value, c->cfg.burst, c->cfg.preroll, c->cfg.psb_freq,
		       c->cfg.nr_ranges);
	c->period = ((((uint64_t)c->cfg.tsc_ebx << c->cfg.mtc_freq) - 1) / c->cfg.tsc_eax) + 1;
	/* TSC packets hold 56 bits; the description has the rest */
	tsc = below(1ull << (10 + below(c->cfg.flags & SOFTPT_F_DESCRIBE ? 52 : 45)));
	ev.tsc = tsc;
	s = sim_new(&c->cfg, &out);
	c->sim = s;
	ret = s ? 0 : -1;
	c->live = chance(25);
	if (s && c->live)
		sim_live(s);
	for (i = 0; !ret && i < events; i++) {
		ret = sim_event(s, &ev, &what);
		if (c->verbose)
			printf("# %llu: tsc %llu kind %u flags %x arg %llu bytes %llu missing %llu\n",
			       (unsigned long long)i, ev.tsc, ev.kind, ev.flags, ev.arg,
			       sim_engine(s)->counts.bytes, sim_engine(s)->missing);
		if (ret)
			printf("# seed %" PRIu64 ": event %" PRIu64 " kind %u refused: %s (%d)\n",
			       c->seed, i, ev.kind, what, ret);
		/* Only a live unit can pay for gaps of any length. */
		if (c->live && chance(3))
			tsc += below(1ull << (20 + below(20)));
		random_event(&c->cfg, &ev, &tsc);
	}
	if (!ret)
		ret = sim_finish(s);
	if (ret)
		printf("# seed %" PRIu64 ": error %d\n", c->seed, ret);
	sim_free(s);
	return ret || c->bad ? -1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t total = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000, done = 0, rows = 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, failed = 0, files = 0;
	bool once = argc > 3;

	while (done < total) {
		struct check c = { .seed = seed, .verbose = once };
		uint64_t n;

		state = seed++;
		n = 20 + below(2000);
		if (run(&c, n))
			failed++;
		done += n;
		rows += c.rows;
		files++;
		if (once || failed > 5)
			break;
	}
	printf("# %" PRIu64 " event files, %" PRIu64 " events, %" PRIu64 " records\n", files, done,
	       rows);
	printf("%s 1 - true times lie within bounds, bounds within an MTC period\n1..1\n",
	       failed || !rows ? "not ok" : "ok");
	return failed || !rows;
}
