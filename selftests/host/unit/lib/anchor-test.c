// SPDX-License-Identifier: BSD-2-Clause
/* Times at anchors that are wrong, foreign, or missing at the end */
#include <stdlib.h>
#include <string.h>

#include "stream.h"

/* Without a word about itself: each MTC ends what is known of those before it */
static void test_foreign(void)
{
	struct stream s = stream_make(false);
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const uint64_t span = (uint64_t)s.config.tsc_ebx << s.config.mtc_freq;
	struct records all = { 0 };
	size_t i, n = 0, narrow = 0;

	softpt_decoder_set_foreign(d, &s.config);
	softpt_decoder_set_buffer(d, s.bytes, s.len);
	records_take(d, &all);
	for (i = 0; i < all.n; i++) {
		const struct softpt_record *rec = &all.v[i];

		if (!(rec->flags & SOFTPT_REC_HAS_MIN) || !(rec->flags & SOFTPT_REC_HAS_MAX))
			continue;
		n++;
		narrow += rec->tsc_max - rec->tsc_min <= span / s.config.tsc_eax + 4;
	}
	kit_ok(n > 100 && narrow * 100 > n * 95, "foreign: %zu of %zu within a period", narrow, n);
	softpt_decoder_free(d);
	free(all.v);
	free(s.bytes);
}

/* PSB, TSC, PSBEND, then @more, read as another unit's */
static struct records foreign(uint64_t tsc, const void *more, size_t len)
{
	uint8_t bytes[128] = {
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
		0x19, tsc, tsc >> 8, tsc >> 16, tsc >> 24, tsc >> 32, tsc >> 40, tsc >> 48,
		2, 0x23,
	};
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	struct records all = { 0 };
	struct softpt_config c;

	softpt_config_default(&c);
	memcpy(bytes + 26, more, len);
	softpt_decoder_set_foreign(d, &c);
	softpt_decoder_set_buffer(d, bytes, 26 + len);
	records_take(d, &all);
	softpt_decoder_free(d);
	return all;
}

/* The record of its kind that is the last */
static struct softpt_record last_of(struct records *all, uint16_t kind)
{
	struct softpt_record rec = { .kind = SOFTPT_REC_NR };
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->v[i].kind == kind)
			rec = all->v[i];
	free(all->v);
	return rec;
}

/* A TSC behind a branch is later, even where it is less: by so much that its 56 bits wrapped */
static void test_wrap(void)
{
	static const uint8_t later[] = { 6, 0x19, 10, 0, 0, 0, 0, 0, 0 };	/* TNT, TSC */
	static const uint8_t before[] = { 6, 0x19, 11, 0, 0, 0, 0, 0, 0 };
	const uint64_t tsc = (1ull << 55) + 11;
	struct records all = foreign(tsc, later, sizeof(later));
	struct softpt_record rec = last_of(&all, SOFTPT_REC_TAKEN);

	kit_ok(rec.flags & SOFTPT_REC_HAS_MAX && rec.tsc_max == (1ull << 56) + 10,
	       "2^55 + 1 ticks less: the TSC wrapped");
	all = foreign(tsc, before, sizeof(before));
	rec = last_of(&all, SOFTPT_REC_TAKEN);
	kit_ok(rec.kind == SOFTPT_REC_TAKEN && !(rec.flags & SOFTPT_REC_HAS_MAX),
	       "2^55: it is before what it comes behind, and says nothing");
}

/* Two TSCs of the same time, bit 55 of the first is wrong, and no TMA tells which TSC is right. */
static void test_wrong_bit(void)
{
	const uint64_t at = 2000;
	const struct softpt_event ev[] = {
		{ .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 },
		{ .tsc = at, .kind = SOFTPT_EV_SLEEP },
		{ .tsc = at, .kind = SOFTPT_EV_SLEEP },
		{ .tsc = at, .kind = SOFTPT_EV_JCC, .ip = 0x401000 },
	};
	struct records good, bad;
	size_t i, wrong = 0;
	struct stream s;
	uint8_t *tsc;

	softpt_config_default(&s.config);
	s.config.flags &= ~SOFTPT_F_MTC;
	stream_expect(&s, ev, sizeof(ev) / sizeof(ev[0]));
	good = records_of(&s, 0);
	tsc = memmem(s.bytes, s.len, "\x19\xd0\x07", 3);
	kit_ok(tsc && !good.errors && last_of(&good, SOFTPT_REC_CBR).tsc_max == at,
	       "two restarts at one time");
	if (!tsc)
		kit_bail("no TSC");
	tsc[7] ^= 1 << 7;
	bad = records_of(&s, 0);
	for (i = 0; i < bad.n; i++)
		wrong += bad.v[i].offset > (size_t)(tsc - s.bytes) + 2 * SOFTPT_SIZE_TSC &&
			 bad.v[i].flags & SOFTPT_REC_HAS_MIN && bad.v[i].tsc_min > at;
	kit_ok(bad.errors == 1 && !wrong,
	       "the first has a wrong bit 55: %zu errors, %zu records behind the second are too late",
	       bad.errors, wrong);
	free(bad.v);
	free(s.bytes);
}

/* More ticks of the TSC since one of the CTC than there have been at all */
static void test_tma(void)
{
	static const uint8_t good[] = {
		2, 0x73, 0, 0, 0, 50, 0, 6, 0x59, 1,		/* TMA, TNT, MTC */
	};
	static const uint8_t bad[] = {
		2, 0x73, 0, 0, 0, 51, 0, 6, 0x59, 1,
	};
	struct records all = foreign(50, good, sizeof(good));
	struct softpt_record rec = last_of(&all, SOFTPT_REC_TAKEN);

	kit_ok(rec.flags & SOFTPT_REC_HAS_MAX, "TMA: as many ticks as the TSC has");
	all = foreign(50, bad, sizeof(bad));
	rec = last_of(&all, SOFTPT_REC_TAKEN);
	kit_ok(rec.kind == SOFTPT_REC_TAKEN && !(rec.flags & SOFTPT_REC_HAS_MAX),
	       "one more: it is not believed");
}

/* Where tracing goes on behind an overflow, whatever is between */
static void test_overflow(void)
{
	static const uint8_t more[] = {
		2, 0xf3, 0x19, 100, 0, 0, 0, 0, 0, 0,		/* OVF, TSC */
		0, 3, 0x7d, 0x34, 0x12, 0x40, 0, 0, 0,		/* PAD, CYC, FUP */
	};
	struct records all = foreign(50, more, sizeof(more));
	struct softpt_record rec = last_of(&all, SOFTPT_REC_OVF);

	kit_ok(rec.flags & SOFTPT_REC_HAS_IP && rec.ip == 0x401234,
	       "an overflow has the address of the FUP behind PAD and CYC");
}

/*
 * The data end behind the Nth MTC. Of a whole trace the closing anchor tells that no tick is
 * missing. Where it was cut off the bounds are wide.
 */
static void test_end(void)
{
	const struct softpt_event ev[] = {
		{ .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 },
		{ .tsc = 2600, .kind = SOFTPT_EV_JMP, .ip = 0x401004, .target = 0x402000 },
		{ .tsc = 2610, .kind = SOFTPT_EV_IJMP, .ip = 0x402004, .target = 0x401000 },
	};
	const struct softpt_record *last;
	struct records all;
	uint64_t period;
	struct stream s;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_MTC;
	s.config.suppress = 2;
	stream_expect(&s, ev, sizeof(ev) / sizeof(ev[0]));
	all = records_of(&s, 0);
	last = &all.v[all.n - 1];
	period = ((uint64_t)s.config.tsc_ebx << s.config.mtc_freq) / s.config.tsc_eax + 1;
	kit_ok(last->tsc_min <= 2610 && last->tsc_max == 2610 && 2610 - last->tsc_min < period,
	       "at the end: %llu to %llu for 2610", (unsigned long long)last->tsc_min,
	       (unsigned long long)last->tsc_max);
	free(all.v);
	s.len -= SOFTPT_SIZE_TSC + SOFTPT_SIZE_TMA;
	all = records_of(&s, 0);
	last = &all.v[all.n - 1];
	kit_ok(last->flags & SOFTPT_REC_HAS_MAX && last->tsc_max - last->tsc > 100 * period &&
	       last->tsc + period >= 2610 && last->tsc <= 2610 + period,
	       "where the data ends: %llu for 2610, no later than %llu",
	       (unsigned long long)last->tsc, (unsigned long long)last->tsc_max);
	free(all.v);
	free(s.bytes);
}

/*
 * With resume=tsc a CBR has the time of the TSC before it, and its CYC, of fewer cycles than the
 * threshold, stands between them. No closing anchor follows.
 */
static void test_cbr(void)
{
	const struct softpt_event ev[] = {
		{ .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 },
		{ .tsc = 1003, .kind = SOFTPT_EV_CBR, .arg = 50 },
	};
	struct softpt_record last;
	struct records all;
	struct stream s;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_CYC;
	s.config.cyc_thresh = 7;
	s.config.tsc_ebx = 1;
	s.config.tsc_eax = 1;
	s.config.mtc_freq = 0;
	s.config.suppress = 1;
	s.config.resume = SOFTPT_RESUME_TSC;
	s.config.resume_value = 0;
	stream_expect(&s, ev, sizeof(ev) / sizeof(ev[0]));
	kit_ok(s.len > 6 && s.bytes[s.len - 5] == (3 << 3 | 3), "3 cycles before the last CBR");
	all = records_of(&s, 0);
	last = last_of(&all, SOFTPT_REC_CBR);
	kit_ok(last.tsc_min == 1003 && last.flags & SOFTPT_REC_HAS_MAX && last.tsc_max == 1003,
	       "it has the time of the TSC before them: %llu to %llu",
	       (unsigned long long)last.tsc_min, (unsigned long long)last.tsc_max);
	free(s.bytes);
}

int main(void)
{
	test_foreign();
	test_wrap();
	test_wrong_bit();
	test_tma();
	test_overflow();
	test_end();
	test_cbr();
	return kit_done();
}
