// SPDX-License-Identifier: BSD-2-Clause
/* What a stream says of itself, and who is believed that says something else of it */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

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
	records_take(d, &all);
	kit_is(softpt_decoder_config(d, NULL)->mtc_freq, mtc_freq, "nor behind another");
	softpt_decoder_free(d);
	free(all.v);
	free(first);
	free(second);
}

/* Who knows best: the stream, then who gave the decoder a configuration, then who guesses */
static void test_config(void)
{
	struct stream told = stream_make(true), silent = stream_make(false);
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
	struct softpt_stream packets;
	struct softpt_packet pkt;
	const uint8_t *mnt;

	softpt_config_default(&s.config);
	s.config.flags |= SOFTPT_F_CYC;
	s.config.mtc_freq = 0;
	s.config.suppress = 255;
	stream_expect(&s, ev, sizeof(ev) / sizeof(ev[0]));
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
	without = records_of(&s, 0);
	with = records_of(&told, 0);
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

int main(void)
{
	test_described();
	test_backwards();
	test_magic();
	test_config();
	test_news();
	return kit_done();
}
