// SPDX-License-Identifier: BSD-2-Clause
/*
 * The decoder's doors: a stream that is fed in pieces has the records of the whole, with damage in
 * it as without; a stream of nothing is one; what is out of order is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

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
	struct stream s = stream_make(true);
	struct records whole, fed;
	size_t i, k;

	for (k = 0; k < 2; k++) {
		whole = records_of(&s, 0);
		kit_ok(whole.n > STREAM_EVENTS / 4 && !whole.errors == !k, "%s: %zu records, %zu errors",
		       k ? "damaged" : "sound", whole.n, whole.errors);
		for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			fed = records_of(&s, pieces[i]);
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

static size_t put(uint8_t *at, const void *packet, size_t size)
{
	memcpy(at, packet, size);
	return size;
}

/* TNT packets, most in a row and full, and what comes between them */
static struct stream make_branches(uint64_t seed, bool cycles)
{
	static const uint8_t psb[] = {
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
		0x19, 0, 0x10, 0, 0, 0, 0, 0, 2, 0x23,
	};
	static const uint8_t tip[] = { 0x2d, 0x34, 0x12 }, ovf[] = { 2, 0xf3 }, cyc[] = { 0x2b };
	struct stream s = { .bytes = malloc(16 << 16) };
	uint8_t tnt64[] = { 2, 0xa3, 0x5a, 0x96, 0x01, 0, 0, 0 };
	uint8_t tsc[] = { 0x19, 0, 0x10, 0, 0, 0, 0, 0 };
	unsigned int i, what;

	s.len = put(s.bytes, psb, sizeof(psb));
	for (i = 0; i < 1 << 16; i++) {
		what = kit_random(&seed) % 256;
		tsc[3] = i >> 8;
		if (what < 4)
			s.len += put(s.bytes + s.len, tip, sizeof(tip));
		else if (what < 6)
			s.len += put(s.bytes + s.len, tnt64, sizeof(tnt64));
		else if (what == 6)
			s.len += put(s.bytes + s.len, tsc, sizeof(tsc));
		else if (what == 7)
			s.len += put(s.bytes + s.len, ovf, sizeof(ovf));
		else if (what == 8 || (cycles && what < 60))
			s.len += put(s.bytes + s.len, cyc, cycles);
		else
			s.bytes[s.len++] = (what < 20 ? 4 : 128) | (kit_random(&seed) & 0x7e);
	}
	return s;
}

static struct records branches_of(const struct stream *s, const struct softpt_config *cfg,
				  void (*take)(struct softpt_decoder *, struct records *))
{
	struct softpt_decoder *d = softpt_decoder_new(cfg);
	struct records all = { 0 };

	softpt_decoder_set_buffer(d, s->bytes, s->len);
	take(d, &all);
	softpt_decoder_free(d);
	return all;
}

/* Bits that are handed out together are those that come one by one, at the same times. */
static void test_runs(void)
{
	struct softpt_config cfg;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		const bool cycles = i & 1, own = i & 2;
		struct stream s = make_branches(i, cycles);
		struct records one, runs;

		softpt_config_init(&cfg);
		cfg.flags &= ~SOFTPT_F_MTC;
		cfg.flags |= cycles ? SOFTPT_F_CYC : 0;
		one = branches_of(&s, own ? &cfg : NULL, records_take);
		runs = branches_of(&s, own ? &cfg : NULL, records_take_runs);
		kit_ok(one.n > 300000 && runs.runs > 5000 && runs.runs < 60000 && same(&one, &runs),
		       "%zu records, %s, %s: the same in %zu runs", one.n,
		       cycles ? "with CYC" : "without CYC", own ? "of ours" : "of anybody",
		       runs.runs);
		free(one.v);
		free(runs.v);
		free(s.bytes);
	}
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
	struct stream s = stream_make(true), cut;
	size_t psb = find_psb(&s, 1), good = 0, tries = 0, i, k, n;
	struct records whole = records_of(&s, 0);

	cut.bytes = malloc(s.len + sizeof(torn[0]));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (n = 2; n < sizes[i]; n++)
			for (k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++, tries++) {
				struct records all;

				memcpy(cut.bytes, s.bytes, psb);
				memcpy(cut.bytes + psb, torn[i], n);
				memcpy(cut.bytes + psb + n, s.bytes + psb, s.len - psb);
				cut.len = s.len + n;
				all = records_of(&cut, pieces[k]);
				good += all.errors && goes_on(&all, psb + n, &whole, psb);
				free(all.v);
			}
	kit_ok(tries > 100 && good == tries, "%zu of %zu streams go on at the PSB inside of a torn packet",
	       good, tries);
	free(whole.v);
	free(cut.bytes);
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

static void test_counts(void)
{
	struct stream s = stream_make(true);
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
	records_take(d, &all);
	kit_ok(seen[SOFTPT_PKT_CYC] > 100 && counts->cyc == seen[SOFTPT_PKT_CYC],
	       "CYCs are counted");
	kit_ok(seen[SOFTPT_PKT_MTC] > 100 && counts->mtc == seen[SOFTPT_PKT_MTC],
	       "MTCs are counted");
	kit_ok(seen[SOFTPT_PKT_TSC] && counts->tsc == seen[SOFTPT_PKT_TSC], "TSCs are counted");
	softpt_decoder_free(d);
	free(all.v);
	free(s.bytes);
}

/* One PAD at a time says nothing, however many there are. */
static void test_pads(void)
{
	struct stream s = stream_make(true), padded = s;
	struct records without = records_of(&s, 0), with;
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
	with = records_of(&padded, 0);
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
	struct stream s;
	size_t i, n = 0, good = 0;

	softpt_config_default(&s.config);
	stream_expect(&s, ev, sizeof(ev) / sizeof(ev[0]));
	all = records_of(&s, 0);
	for (i = 0; i < all.n; i++)
		if (all.v[i].kind == SOFTPT_REC_TSX && n < 4)
			good += all.v[i].value == want[n++];
	kit_ok(n == 4 && good == 4, "transactions begin, commit, begin and abort");
	free(all.v);
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

int main(void)
{
	test_pieces();
	test_runs();
	test_torn();
	test_nothing();
	test_order();
	test_counts();
	test_pads();
	test_tsx();
	test_crowd();
	test_names();
	return kit_done();
}
