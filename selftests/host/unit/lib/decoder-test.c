// SPDX-License-Identifier: BSD-2-Clause
/*
 * The decoder's doors: a stream that is fed in pieces has the records of the whole, with damage in
 * it as without; a stream of nothing is one; what is out of order is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "userspace/include/softpt-decoder.h"
#include "selftests/kit/kit.h"

#define EVENTS	3000

struct stream {
	uint8_t *bytes;
	size_t len;
	struct softpt_config config;
};

/* What the engine makes of random events; @describe: it says of itself what it is */
static struct stream make(bool describe)
{
	struct softpt_event *ev = kit_events(5, EVENTS);
	struct softpt_counts counts;
	struct stream s;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_CYC | SOFTPT_F_PWR;
	if (!describe)
		s.config.flags &= ~SOFTPT_F_DESCRIBE;
	s.config.psb_freq = 0;
	s.bytes = kit_expect(&s.config, ev, EVENTS, &counts);
	s.len = counts.bytes;
	free(ev);
	return s;
}

/* All that comes out, one behind the other */
struct records {
	struct softpt_record *v;
	size_t n, alloc;
	size_t errors;
};

static void take_all(struct softpt_decoder *d, struct records *to)
{
	const struct softpt_record *rec;
	int ret;

	while ((ret = softpt_decoder_next(d, &rec))) {
		if (ret < 0) {
			to->errors++;
			continue;
		}
		if (to->n == to->alloc) {
			to->alloc = 2 * to->alloc + 256;
			to->v = reallocarray(to->v, to->alloc, sizeof(*to->v));
			if (!to->v)
				kit_bail("memory for %zu records", to->alloc);
		}
		to->v[to->n++] = *rec;
	}
}

/* @piece: 0: whole */
static struct records decode(const struct stream *s, size_t piece)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	struct records all = { 0 };
	size_t i, n;

	if (!piece)
		softpt_decoder_set_buffer(d, s->bytes, s->len);
	for (i = 0; piece && i < s->len; i += n) {
		n = piece < s->len - i ? piece : s->len - i;
		if (softpt_decoder_feed(d, s->bytes + i, n))
			kit_bail("feeding %zu bytes", n);
		take_all(d, &all);
	}
	softpt_decoder_end(d);
	take_all(d, &all);
	softpt_decoder_free(d);
	return all;
}

/* Flags say which fields are known: the others hold anything. */
static bool same_record(const struct softpt_record *a, const struct softpt_record *b)
{
	if (a->offset != b->offset || a->kind != b->kind || a->packet != b->packet ||
	    a->flags != b->flags)
		return false;
	if ((a->flags & SOFTPT_REC_HAS_IP && a->ip != b->ip) ||
	    (a->flags & SOFTPT_REC_HAS_VALUE && a->value != b->value))
		return false;
	if (a->flags & SOFTPT_REC_HAS_MIN && (a->tsc != b->tsc || a->tsc_min != b->tsc_min))
		return false;
	return !(a->flags & SOFTPT_REC_HAS_MAX) || a->tsc_max == b->tsc_max;
}

static bool same(const struct records *a, const struct records *b)
{
	size_t i;

	if (a->n != b->n || a->errors != b->errors)
		return false;
	for (i = 0; i < a->n; i++)
		if (!same_record(&a->v[i], &b->v[i]))
			return false;
	return true;
}

static void test_pieces(void)
{
	static const size_t pieces[] = { 1, 2, 7, 15, 16, 64, 1000 };
	struct stream s = make(true);
	struct records whole, fed;
	size_t i, k;

	for (k = 0; k < 2; k++) {
		whole = decode(&s, 0);
		kit_ok(whole.n > EVENTS / 4 && !whole.errors == !k, "%s: %zu records, %zu errors",
		       k ? "damaged" : "sound", whole.n, whole.errors);
		for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			fed = decode(&s, pieces[i]);
			kit_ok(same(&whole, &fed), "the same from pieces of %zu", pieces[i]);
			free(fed.v);
		}
		free(whole.v);
		/* Opcodes that no packet has, amid it */
		for (i = 1000; i < s.len; i += 5000)
			memset(s.bytes + i, 0xa5, 20);
	}
	free(s.bytes);
}

static void test_nothing(void)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec;
	struct softpt_config c;
	struct softpt_stream s;
	struct softpt_packet p;
	static const uint8_t junk[100] = { 0x02 };

	softpt_stream_init(&s, NULL, 0);
	kit_is(softpt_stream_next(&s, &p), -SOFTPT_ERR_END, "a stream of nothing ends");
	kit_is(softpt_sync_forward(&s, 0, NULL), -SOFTPT_ERR_NO_SYNC, "and has no PSB");
	softpt_decoder_set_buffer(d, NULL, 0);
	kit_ok(softpt_decoder_next(d, &rec) == 0, "nothing has no records");
	softpt_decoder_free(d);
	kit_is(softpt_config_of_stream(&c, NULL, 0), -ENODATA, "nor a configuration");
	kit_is(softpt_config_of_stream(&c, junk, sizeof(junk)), -ENODATA, "junk neither");
	d = softpt_decoder_new(NULL);
	softpt_decoder_set_buffer(d, junk, sizeof(junk));
	kit_ok(softpt_decoder_next(d, &rec) == 0 &&
	       softpt_decoder_resync(d)->skipped == sizeof(junk), "junk is skipped");
	softpt_decoder_free(d);
	softpt_decoder_free(NULL);
}

static void test_order(void)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	static const uint8_t pad[4];

	kit_is(softpt_decoder_feed(d, pad, 4), 0, "pieces are taken");
	kit_is(softpt_decoder_feed(d, NULL, 0), 0, "one of nothing, too");
	softpt_decoder_end(d);
	kit_is(softpt_decoder_feed(d, pad, 4), -EINVAL, "none behind the end");
	softpt_decoder_free(d);
	d = softpt_decoder_new(NULL);
	softpt_decoder_set_buffer(d, pad, 4);
	kit_is(softpt_decoder_feed(d, pad, 4), -EINVAL, "none beside a buffer");
	softpt_decoder_free(d);
}

static bool is_described(const struct softpt_config *a, const struct softpt_config *b)
{
	return a->flags == b->flags && a->tsc_ebx == b->tsc_ebx && a->tsc_eax == b->tsc_eax &&
	       a->mtc_freq == b->mtc_freq && a->cyc_thresh == b->cyc_thresh &&
	       a->psb_freq == b->psb_freq && a->cyc_bits == b->cyc_bits && a->p1 == b->p1 &&
	       a->min_ratio == b->min_ratio && a->max_ratio == b->max_ratio &&
	       a->suppress == b->suppress && a->burst == b->burst && a->resume == b->resume &&
	       a->resume_value == b->resume_value && a->preroll == b->preroll && a->cr3 == b->cr3 &&
	       a->nr_ranges == b->nr_ranges && !memcmp(a->range, b->range, sizeof(a->range));
}

/* Every field that the description of a stream has, and each range */
static void test_described(void)
{
	static const struct softpt_range ranges[SOFTPT_RANGES] = {
		{ .kind = SOFTPT_RANGE_FILTER, .from = 0x401000, .to = 0x402fff },
		{ .kind = SOFTPT_RANGE_STOP, .from = 0x403000, .to = 0x403000 },
		{ .kind = SOFTPT_RANGE_STOP, .from = 0xffffffff81000000, .to = 0xffffffffffffffff },
		{ .kind = SOFTPT_RANGE_STOP, .from = 0x7fff00000001, .to = 0x7fff0000ffff },
	};
	struct softpt_event ev = { .tsc = 1ull << 60, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 };
	struct softpt_config c, got;
	struct softpt_counts counts;
	uint8_t *stream;
	unsigned int n;

	for (n = 0; n <= SOFTPT_RANGES; n++) {
		softpt_config_default(&c);
		c.flags |= SOFTPT_F_CYC | SOFTPT_F_OS | (n % 2 ? SOFTPT_F_CR3 : 0);
		c.cr3 = n % 2 ? 0x123456789000 : 0;
		c.tsc_ebx = 432;
		c.tsc_eax = 4;
		c.mtc_freq = 15 - n;
		c.cyc_thresh = 3 + n;
		c.psb_freq = n;
		c.cyc_bits = 20 + n;
		c.p1 = 30;
		c.min_ratio = 7;
		c.max_ratio = 61;
		c.suppress = 5 + n;
		c.burst = 3;
		c.resume = n % 3;
		c.resume_value = n % 3 == SOFTPT_RESUME_TSC ? 0 : 200 + n;
		c.preroll = c.resume == SOFTPT_RESUME_TSC ? 0 : 4 - n;
		c.nr_ranges = n;
		memcpy(c.range, ranges, n * sizeof(ranges[0]));
		stream = kit_expect(&c, &ev, 1, &counts);
		kit_ok(!softpt_config_of_stream(&got, stream, counts.bytes) &&
		       is_described(&c, &got), "a stream describes what made it: %u ranges", n);
		free(stream);
	}
}

/* A description whose range ends before it begins: none */
static void test_backwards(void)
{
	const struct softpt_event ev = { .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 };
	struct softpt_config c, got;
	struct softpt_counts counts;
	struct softpt_stream packets;
	struct softpt_packet pkt;
	uint8_t *stream;
	unsigned int changed = 0;

	softpt_config_default(&c);
	c.nr_ranges = 1;
	c.range[0] = (struct softpt_range){
		.kind = SOFTPT_RANGE_FILTER, .from = 0x401000, .to = 0x402000,
	};
	stream = kit_expect(&c, &ev, 1, &counts);
	softpt_stream_init(&packets, stream, counts.bytes);
	while (softpt_stream_next(&packets, &pkt) > 0) {
		if (pkt.type != SOFTPT_PKT_MNT || pkt.payload >> 56 != SOFTPT_MNT_FROM)
			continue;
		stream[packets.pos - pkt.size - stream + 4] = 0x30;	/* 0x403000 */
		changed++;
	}
	kit_ok(changed == 1 && !softpt_config_of_stream(&got, stream, counts.bytes) &&
	       !got.nr_ranges, "a range that ends before it begins is none");
	free(stream);
}

/* Two streams, one behind the other; the second has another magic, and another frequency. */
static void test_magic(void)
{
	const struct softpt_event ev = { .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 };
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	struct softpt_config c, got;
	struct softpt_counts counts;
	struct records all = { 0 };
	uint8_t *first, *second, *magic;
	unsigned int mtc_freq;

	softpt_config_default(&c);
	mtc_freq = c.mtc_freq;
	first = kit_expect(&c, &ev, 1, &counts);
	softpt_decoder_feed(d, first, counts.bytes);
	c.mtc_freq = mtc_freq + 1;
	second = kit_expect(&c, &ev, 1, &counts);
	magic = memmem(second, counts.bytes, "\x02\xc3\x88", 3);
	if (!magic || magic[10] != SOFTPT_MNT_MAGIC)
		kit_bail("no description");
	magic[9] ^= 1;
	kit_is(softpt_config_of_stream(&got, second, counts.bytes), -ENODATA,
	       "a description with another magic is none");
	softpt_decoder_feed(d, second, counts.bytes);
	softpt_decoder_end(d);
	take_all(d, &all);
	kit_is(softpt_decoder_config(d, NULL)->mtc_freq, mtc_freq, "nor behind another");
	softpt_decoder_free(d);
	free(all.v);
	free(first);
	free(second);
}

/* Who knows best: the stream, then who gave the decoder a configuration, then who guesses */
static void test_config(void)
{
	struct stream told = make(true), silent = make(false);
	struct softpt_config other = told.config;
	const struct softpt_record *rec;
	struct softpt_decoder *d;
	struct softpt_config c;
	bool own;

	other.mtc_freq = 9;
	kit_ok(!softpt_config_of_stream(&c, told.bytes, told.len) &&
	       c.mtc_freq == told.config.mtc_freq && c.flags == told.config.flags,
	       "a stream says what made it");
	kit_is(softpt_config_of_stream(&c, silent.bytes, silent.len), -ENODATA, "or does not");
	d = softpt_decoder_new(NULL);
	softpt_decoder_set_foreign(d, &other);
	softpt_decoder_set_buffer(d, told.bytes, told.len);
	softpt_decoder_next(d, &rec);
	kit_ok(softpt_decoder_config(d, &own)->mtc_freq == told.config.mtc_freq && own,
	       "it knows better than another program's file");
	softpt_decoder_free(d);
	d = softpt_decoder_new(&other);
	softpt_decoder_set_foreign(d, &told.config);
	softpt_decoder_set_buffer(d, silent.bytes, silent.len);
	softpt_decoder_next(d, &rec);
	kit_ok(softpt_decoder_config(d, NULL)->mtc_freq == 9, "what is given is not taken back");
	softpt_decoder_free(d);
	free(told.bytes);
	free(silent.bytes);
}

static void test_counts(void)
{
	struct stream s = make(true);
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_decoder_counts *counts = softpt_decoder_counts(d);
	uint64_t seen[SOFTPT_PKT_NR] = { 0 };
	struct records all = { 0 };
	struct softpt_stream packets;
	struct softpt_packet pkt;

	softpt_stream_init(&packets, s.bytes, s.len);
	while (softpt_stream_next(&packets, &pkt) > 0)
		seen[pkt.type]++;
	softpt_decoder_set_buffer(d, s.bytes, s.len);
	take_all(d, &all);
	kit_ok(seen[SOFTPT_PKT_CYC] > 100 && counts->cyc == seen[SOFTPT_PKT_CYC],
	       "CYCs are counted");
	kit_ok(seen[SOFTPT_PKT_MTC] > 100 && counts->mtc == seen[SOFTPT_PKT_MTC],
	       "MTCs are counted");
	kit_ok(seen[SOFTPT_PKT_TSC] && counts->tsc == seen[SOFTPT_PKT_TSC], "TSCs are counted");
	softpt_decoder_free(d);
	free(all.v);
	free(s.bytes);
}

/* Without a word about itself: each MTC ends what is known of those before it */
static void test_foreign(void)
{
	struct stream s = make(false);
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const uint64_t span = (uint64_t)s.config.tsc_ebx << s.config.mtc_freq;
	struct records all = { 0 };
	size_t i, n = 0, narrow = 0;

	softpt_decoder_set_foreign(d, &s.config);
	softpt_decoder_set_buffer(d, s.bytes, s.len);
	take_all(d, &all);
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
	take_all(d, &all);
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
	struct softpt_counts counts;
	struct records good, bad;
	size_t i, wrong = 0;
	struct stream s;
	uint8_t *tsc;

	softpt_config_default(&s.config);
	s.config.flags &= ~SOFTPT_F_MTC;
	s.bytes = kit_expect(&s.config, ev, sizeof(ev) / sizeof(ev[0]), &counts);
	s.len = counts.bytes;
	good = decode(&s, 0);
	tsc = memmem(s.bytes, s.len, "\x19\xd0\x07", 3);
	kit_ok(tsc && !good.errors && last_of(&good, SOFTPT_REC_CBR).tsc_max == at,
	       "two restarts at one time");
	if (!tsc)
		kit_bail("no TSC");
	tsc[7] ^= 1 << 7;
	bad = decode(&s, 0);
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

/* One PAD at a time says nothing, however many there are. */
static void test_pads(void)
{
	struct stream s = make(true), padded = s;
	struct records without = decode(&s, 0), with;
	struct softpt_stream packets;
	struct softpt_packet pkt;
	size_t i, bad = 0, pads = 0;
	bool behind = false;

	padded.bytes = calloc(3, s.len);
	padded.len = 0;
	softpt_stream_init(&packets, s.bytes, s.len);
	while (padded.bytes && softpt_stream_next(&packets, &pkt) > 0) {
		bool is_mtc = pkt.type == SOFTPT_PKT_MTC;

		padded.len += is_mtc && !behind;
		memcpy(padded.bytes + padded.len, packets.pos - pkt.size, pkt.size);
		padded.len += pkt.size + is_mtc;
		pads += is_mtc;
		behind = is_mtc;
	}
	with = decode(&padded, 0);
	for (i = 0; i < with.n && i < without.n; i++) {
		with.v[i].offset = without.v[i].offset;
		bad += !same_record(&with.v[i], &without.v[i]);
	}
	kit_ok(pads > 100 && with.n == without.n && !bad,
	       "a PAD before and behind each of %zu MTCs changes no record", pads);
	free(with.v);
	free(without.v);
	free(padded.bytes);
	free(s.bytes);
}

/* Bits of MODE.TSX: in a transaction, and aborted */
static void test_tsx(void)
{
	const struct softpt_event ev[] = {
		{ .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 },
		{ .tsc = 1010, .kind = SOFTPT_EV_TSX, .ip = 0x401004, .arg = SOFTPT_TSX_BEGIN },
		{ .tsc = 1020, .kind = SOFTPT_EV_TSX, .ip = 0x401008, .arg = SOFTPT_TSX_COMMIT },
		{ .tsc = 1030, .kind = SOFTPT_EV_TSX, .ip = 0x40100c, .arg = SOFTPT_TSX_BEGIN },
		{ .tsc = 1040, .kind = SOFTPT_EV_TSX, .ip = 0x401010, .target = 0x401020,
		  .arg = SOFTPT_TSX_ABORT },
	};
	static const uint64_t want[] = { 1, 0, 1, 2 };
	struct records all;
	struct softpt_counts counts;
	struct stream s;
	size_t i, n = 0, good = 0;

	softpt_config_default(&s.config);
	s.bytes = kit_expect(&s.config, ev, sizeof(ev) / sizeof(ev[0]), &counts);
	s.len = counts.bytes;
	all = decode(&s, 0);
	for (i = 0; i < all.n; i++)
		if (all.v[i].kind == SOFTPT_REC_TSX && n < 4)
			good += all.v[i].value == want[n++];
	kit_ok(n == 4 && good == 4, "transactions begin, commit, begin and abort");
	free(all.v);
	free(s.bytes);
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
	struct softpt_counts counts;
	struct records all;
	uint64_t period;
	struct stream s;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_MTC;
	s.config.suppress = 2;
	s.bytes = kit_expect(&s.config, ev, sizeof(ev) / sizeof(ev[0]), &counts);
	s.len = counts.bytes;
	all = decode(&s, 0);
	last = &all.v[all.n - 1];
	period = ((uint64_t)s.config.tsc_ebx << s.config.mtc_freq) / s.config.tsc_eax + 1;
	kit_ok(last->tsc_min <= 2610 && last->tsc_max == 2610 && 2610 - last->tsc_min < period,
	       "at the end: %llu to %llu for 2610", (unsigned long long)last->tsc_min,
	       (unsigned long long)last->tsc_max);
	free(all.v);
	s.len -= SOFTPT_SIZE_TSC + SOFTPT_SIZE_TMA;
	all = decode(&s, 0);
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
	struct softpt_counts counts;
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
	s.bytes = kit_expect(&s.config, ev, sizeof(ev) / sizeof(ev[0]), &counts);
	s.len = counts.bytes;
	kit_ok(s.len > 6 && s.bytes[s.len - 5] == (3 << 3 | 3), "3 cycles before the last CBR");
	all = decode(&s, 0);
	last = last_of(&all, SOFTPT_REC_CBR);
	kit_ok(last.tsc_min == 1003 && last.flags & SOFTPT_REC_HAS_MAX && last.tsc_max == 1003,
	       "it has the time of the TSC before them: %llu to %llu",
	       (unsigned long long)last.tsc_min, (unsigned long long)last.tsc_max);
	free(s.bytes);
}

/* More records than may wait for an anchor: those that are there come out without one. */
static void test_crowd(void)
{
	static const uint8_t begin[] = {
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
		0x19, 0, 0x10, 0, 0, 0, 0, 0, 2, 0x23,
	};
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec = NULL;
	uint8_t taken[1 << 16];		/* 6 branches a byte */
	unsigned int i, n;

	memset(taken, 0xfe, sizeof(taken));
	softpt_decoder_feed(d, begin, sizeof(begin));
	for (i = 0, n = 0; i < 4 && n < 2; i++) {
		softpt_decoder_feed(d, taken, sizeof(taken));
		while (n < 2 && softpt_decoder_next(d, &rec) == 1)
			n++;
	}
	kit_ok(i == 3 && rec->kind == SOFTPT_REC_TAKEN && rec->flags & SOFTPT_REC_HAS_MIN &&
	       rec->tsc_min == 0x1000 && !(rec->flags & SOFTPT_REC_HAS_MAX),
	       "a million branches come out without the anchor behind them");
	softpt_decoder_free(d);
}

static void test_names(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < SOFTPT_REC_NR; i++)
		bad += !strcmp(softpt_record_kind_name(i), "?");
	kit_ok(!bad && !strcmp(softpt_record_kind_name(SOFTPT_REC_NR), "?"), "kinds have names");
	for (i = 0, bad = 0; i < SOFTPT_PKT_NR; i++)
		bad += !strcmp(softpt_packet_name(i), "?");
	kit_ok(!bad && !strcmp(softpt_packet_name(SOFTPT_PKT_NR), "?"), "packets, too");
	for (i = SOFTPT_ERR_END, bad = 0; i <= SOFTPT_ERR_NO_SYNC; i++)
		bad += !strcmp(softpt_strerror(-i), softpt_strerror(-1 - i));
	kit_ok(!bad && !strcmp(softpt_strerror(-ENOMEM), strerror(ENOMEM)), "errors have texts");
	kit_ok(!strcmp(softpt_version(), SOFTPT_VERSION), "the version is %s", softpt_version());
}

/* The description of a stream: where it is, and its bytes */
static const uint8_t *description(const struct stream *s, size_t *len)
{
	const uint8_t *mnt = memmem(s->bytes, s->len, "\x02\xc3\x88", 3);

	for (*len = 0; mnt && !memcmp(mnt + *len, "\x02\xc3\x88", 3); *len += 11)
		;
	return mnt;
}

/*
 * A description that is news comes between the cycles of an MTC and that MTC: what comes behind
 * the MTC has the bounds that it has without.
 */
static void test_news(void)
{
	const struct softpt_event ev[] = {
		{ .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000 },
		{ .tsc = 9100, .kind = SOFTPT_EV_IJMP, .ip = 0x401004, .target = 0x402000 },
		{ .tsc = 9800, .kind = SOFTPT_EV_IJMP, .ip = 0x402004, .target = 0x401000 },
	};
	struct records without, with;
	struct stream s, told;
	unsigned int last[2] = { SOFTPT_PKT_PAD, SOFTPT_PKT_PAD };
	size_t i, len, at = 0, bad = 0;
	struct softpt_counts counts;
	struct softpt_stream packets;
	struct softpt_packet pkt;
	const uint8_t *mnt;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_CYC;
	s.config.mtc_freq = 0;
	s.config.suppress = 255;
	s.bytes = kit_expect(&s.config, ev, sizeof(ev) / sizeof(ev[0]), &counts);
	s.len = counts.bytes;
	mnt = description(&s, &len);
	softpt_stream_init(&packets, s.bytes, s.len);
	while (!at && softpt_stream_next(&packets, &pkt) > 0) {
		if (pkt.type == SOFTPT_PKT_MTC && last[0] == SOFTPT_PKT_CYC &&
		    last[1] == SOFTPT_PKT_MTC)
			at = packets.pos - pkt.size - s.bytes;
		last[1] = last[0];
		last[0] = pkt.type;
	}
	told.bytes = malloc(s.len + len);
	if (!mnt || !at || !told.bytes)
		kit_bail("a description, and a gap with MTCs");
	memcpy(told.bytes, s.bytes, at);
	memcpy(told.bytes + at, mnt, len);
	told.bytes[at + 11 + 3 + 4] ^= 0x10;	/* the second of its packets: another psb_freq */
	memcpy(told.bytes + at + len, s.bytes + at, s.len - at);
	told.len = s.len + len;
	without = decode(&s, 0);
	with = decode(&told, 0);
	for (i = 0; i < with.n && i < without.n; i++) {
		with.v[i].offset = without.v[i].offset;
		bad += !same_record(&with.v[i], &without.v[i]);
	}
	kit_ok(with.n == without.n && !bad, "what a new description says holds from there on");
	free(with.v);
	free(without.v);
	free(told.bytes);
	free(s.bytes);
}

static size_t find_psb(const struct stream *s, size_t from)
{
	struct softpt_stream in;

	softpt_stream_init(&in, s->bytes, s->len);
	in.pos += from;
	return softpt_sync_forward(&in, 0, NULL) ? s->len : softpt_stream_offset(&in);
}

/* Whether all from the PSB at @from on is what @whole has from that at @of on */
static bool goes_on(const struct records *all, size_t from, const struct records *whole, size_t of)
{
	size_t i = 0, k = 0, n;

	while (i < all->n && (all->v[i].offset != from || all->v[i].kind != SOFTPT_REC_PSB))
		i++;
	while (k < whole->n && whole->v[k].offset != of)
		k++;
	for (n = whole->n - k; i < all->n && k < whole->n; i++, k++) {
		all->v[i].offset += of - from;
		all->v[i].flags |= whole->v[k].flags & SOFTPT_REC_HAS_TOTAL;
		if (!same_record(&all->v[i], &whole->v[k]))
			return false;
	}
	return n > 100 && i == all->n && k == whole->n;
}

/* A packet is cut short, and takes the begin of the PSB behind it: the stream goes on there. */
static void test_torn(void)
{
	static const uint8_t torn[][11] = {
		{ 2, 0xc3, 0x88, 1, 1, 1, 1, 1, 1, 1, 1 },	/* MNT */
		{ 2, 0x53, 0, 1, 1, 1, 1, 1, 1, 1, 1 },		/* EVD */
		{ 2, 0x32, 1, 1, 1, 1, 1, 1, 1, 1 },		/* PTW */
		{ 0x19, 1, 1, 1, 1, 1, 1, 1 },			/* TSC */
	};
	static const size_t sizes[] = { 11, 11, 10, 8 };
	static const size_t pieces[] = { 0, 1, 7, 64 };
	struct stream s = make(true), cut;
	size_t psb = find_psb(&s, 1), good = 0, tries = 0, i, k, n;
	struct records whole = decode(&s, 0);

	cut.bytes = malloc(s.len + sizeof(torn[0]));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (n = 2; n < sizes[i]; n++)
			for (k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++, tries++) {
				struct records all;

				memcpy(cut.bytes, s.bytes, psb);
				memcpy(cut.bytes + psb, torn[i], n);
				memcpy(cut.bytes + psb + n, s.bytes + psb, s.len - psb);
				cut.len = s.len + n;
				all = decode(&cut, pieces[k]);
				good += all.errors && goes_on(&all, psb + n, &whole, psb);
				free(all.v);
			}
	kit_ok(tries > 100 && good == tries, "%zu of %zu streams go on at the PSB inside of a torn packet",
	       good, tries);
	free(whole.v);
	free(cut.bytes);
	free(s.bytes);
}

int main(void)
{
	test_pieces();
	test_torn();
	test_nothing();
	test_order();
	test_described();
	test_backwards();
	test_magic();
	test_config();
	test_counts();
	test_foreign();
	test_wrap();
	test_wrong_bit();
	test_tma();
	test_overflow();
	test_pads();
	test_news();
	test_tsx();
	test_end();
	test_cbr();
	test_crowd();
	test_names();
	return kit_done();
}
