// SPDX-License-Identifier: BSD-2-Clause
#include "scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <softpt/params.h>

static uint64_t state;

uint64_t scene_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return scene_random() % n;
}

static bool chance(unsigned int percent)
{
	return below(100) < percent;
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
		return scene_random();
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
		ev->flags = below(8);	/* IP, TAKEN, TARGET */
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
		ev->arg = chance(50) ? below(1ull << 32) : scene_random();
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

bool scene_init(struct scene *s, uint64_t seed, uint64_t least, uint64_t more)
{
	struct softpt_complaint why;

	s->seed = seed;
	state = seed;
	s->events = least + below(more);
	random_config(&s->cfg);
	if (!softpt_config_check(&s->cfg, &why))
		return true;
	printf("# seed %" PRIu64 ": config: %s: %s\n", seed, why.key, why.rule);
	return false;
}

static void print_config(const struct softpt_config *c)
{
	printf("# flags 0x%x ratio %u/%u mtc_freq %u thresh %u bits %u suppress %u resume %u:%u burst %u preroll %u psb %u ranges %u\n",
	       c->flags, c->tsc_ebx, c->tsc_eax, c->mtc_freq, c->cyc_thresh, c->cyc_bits,
	       c->suppress, c->resume, c->resume_value, c->burst, c->preroll, c->psb_freq,
	       c->nr_ranges);
}

static int give(struct scene *s, uint64_t i, const struct softpt_event *ev)
{
	const struct softpt_engine *e = sim_engine(s->sim);
	const char *what = "";
	int ret;

	s->stops += ev->kind == SOFTPT_EV_DISABLE || ev->kind == SOFTPT_EV_OVF;
	ret = sim_event(s->sim, ev, &what);
	if (s->verbose)
		printf("# %llu: tsc %llu kind %u flags %x arg %llu bytes %llu missing %llu\n",
		       (unsigned long long)i, ev->tsc, ev->kind, ev->flags, ev->arg,
		       e->counts.bytes, e->mtc.missing);
	if (ret)
		printf("# seed %" PRIu64 ": event %" PRIu64 " kind %u refused: %s (%d)\n", s->seed,
		       i, ev->kind, what, ret);
	return ret;
}

static int give_all(struct scene *s)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .ip = 0x400000 };
	uint64_t tsc, i;
	int ret = 0;

	/* TSC packets hold 56 bits; the description has the rest */
	tsc = below(1ull << (10 + below(s->cfg.flags & SOFTPT_F_DESCRIBE ? 52 : 45)));
	ev.tsc = tsc;
	s->live = chance(25);
	if (s->live)
		sim_live(s->sim);
	for (i = 0; !ret && i < s->events; i++) {
		ret = give(s, i, &ev);
		/* Only a live unit can pay for gaps of any length. */
		if (s->live && chance(3))
			tsc += below(1ull << (20 + below(20)));
		random_event(&s->cfg, &ev, &tsc);
	}
	return ret;
}

bool scene_run(struct scene *s, const struct sim_output *out)
{
	int ret = -1;

	if (s->verbose)
		print_config(&s->cfg);
	s->sim = sim_new(&s->cfg, out);
	if (s->sim)
		ret = give_all(s);
	if (!ret)
		ret = sim_finish(s->sim);
	if (ret)
		printf("# seed %" PRIu64 ": error %d\n", s->seed, ret);
	return !ret;
}

void scene_free(struct scene *s)
{
	sim_free(s->sim);
	s->sim = NULL;
}
