// SPDX-License-Identifier: BSD-2-Clause
/*
 * Damage to the packets of random scenes: of what is read before and behind it the true time lies
 * within its bounds all the same.
 *  - bytes that cannot be read, from the begin of some packet on;
 *  - a stream that ends at any byte;
 *  - a TSC with a wrong bit, any of them.
 *
 *	lost [SCENES [SEED]]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/include/softpt/softpt.h"
#include "scene.h"

#define CUTS	8	/* of each scene's packets */
#define FEW	20	/* one scene of so many ends anywhere, and has wrong bits */

struct told {
	uint64_t offset;
	uint64_t tsc;
	uint8_t kind;
};

struct stream {
	struct scene scene;
	uint8_t *bytes, *copy;
	size_t n, room;
	struct told *told;
	size_t rows, row_room;
	size_t *packet;		/* where each begins */
	size_t packets;
};

struct tally {
	const char *what;
	uint64_t traces, errors, checked, outside;
	uint64_t from;		/* records before this offset may be wrong */
};

static void *grown(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		kit_bail("no memory for %zu bytes", size);
	return p;
}

static int add_bytes(void *ctx, const void *buf, size_t n)
{
	struct stream *s = ctx;

	if (s->n + n > s->room) {
		s->room = 2 * (s->n + n);
		s->bytes = grown(s->bytes, s->room);
	}
	memcpy(s->bytes + s->n, buf, n);
	s->n += n;
	return 0;
}

static int add_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct stream *s = ctx;

	if (s->rows == s->row_room) {
		s->row_room = 2 * s->row_room + 256;
		s->told = grown(s->told, s->row_room * sizeof(*s->told));
	}
	s->told[s->rows++] = (struct told){ rec->offset, row->tsc, rec->kind };
	return 0;
}

/* In order; what a resynchronization makes of a PSB+ has no row. Return: NULL: none */
static const struct told *find(const struct stream *s, const struct softpt_record *rec, size_t *at)
{
	while (*at < s->rows && s->told[*at].offset < rec->offset)
		(*at)++;
	if (*at == s->rows || s->told[*at].offset != rec->offset || s->told[*at].kind != rec->kind)
		return NULL;
	return &s->told[(*at)++];
}

static void check(const struct stream *s, struct tally *t, const struct softpt_record *rec,
		  size_t *at)
{
	const struct told *told = find(s, rec, at);

	if (!told || rec->offset < t->from)
		return;
	t->checked++;
	if ((!(rec->flags & SOFTPT_REC_HAS_MIN) || rec->tsc_min <= told->tsc) &&
	    (!(rec->flags & SOFTPT_REC_HAS_MAX) || rec->tsc_max >= told->tsc))
		return;
	if (t->outside++ < 5)
		kit_note("seed %" PRIu64 ": %s: offset 0x%" PRIx64 " %s: true %" PRIu64 ", %" PRIu64
			 " to %" PRIu64, s->scene.seed, t->what, rec->offset,
			 softpt_record_kind_name(rec->kind), told->tsc, rec->tsc_min, rec->tsc_max);
}

static void find_packets(struct stream *s)
{
	struct softpt_packet pkt;
	struct softpt_stream in;

	s->packet = grown(NULL, (s->n + 1) * sizeof(*s->packet));
	softpt_stream_init(&in, s->bytes, s->n);
	do {
		s->packet[s->packets++] = softpt_stream_offset(&in);
	} while (softpt_stream_next(&in, &pkt) > 0);
	s->packets--;
}

/* 02 00 is no packet, and 00 is PAD: no payload but those of the cut packets is another. */
static void cut(struct stream *s)
{
	size_t from = s->packet[scene_random() % s->packets], n = 2 + scene_random() % 3000, i;

	memcpy(s->copy, s->bytes, s->n);
	for (i = 0; i < n && from + i < s->n; i++)
		s->copy[from + i] = i % 2 ? 0 : 2;
}

/* The first @n bytes of the copy */
static void decode(const struct stream *s, size_t n, struct tally *t)
{
	struct softpt_decoder *d = softpt_decoder_new(&s->scene.cfg);
	const struct softpt_record *rec;
	size_t at = 0;
	int ret;

	if (!d)
		kit_bail("no memory");
	t->traces++;
	softpt_decoder_set_buffer(d, s->copy, n);
	while ((ret = softpt_decoder_next(d, &rec))) {
		if (ret == -ENOMEM)
			kit_bail("no memory");
		if (ret < 0)
			t->errors++;
		else
			check(s, t, rec, &at);
	}
	softpt_decoder_free(d);
}

static void make(struct stream *s, uint64_t seed, uint64_t least, uint64_t more)
{
	const struct sim_output out = { .bytes = add_bytes, .row = add_row, .ctx = s };

	*s = (struct stream){ .n = 0 };
	if (!scene_init(&s->scene, seed, least, more) || !scene_run(&s->scene, &out))
		kit_bail("seed %" PRIu64, seed);
	scene_free(&s->scene);
	s->copy = grown(NULL, s->n + 1);
	find_packets(s);
}

static void drop(struct stream *s)
{
	free(s->bytes);
	free(s->copy);
	free(s->packet);
	free(s->told);
}

static void run_holes(uint64_t seed, struct tally *t)
{
	struct stream s;
	unsigned int i;

	make(&s, seed, 200, 4000);
	for (i = 0; i < CUTS && s.packets; i++) {
		cut(&s);
		decode(&s, s.n, t);
	}
	drop(&s);
}

static void run_ends(uint64_t seed, struct tally *t)
{
	struct stream s;
	size_t n;

	make(&s, seed, 20, 300);
	memcpy(s.copy, s.bytes, s.n);
	for (n = 0; n < s.n; n++)
		decode(&s, n, t);
	drop(&s);
}

/* With a power of two of TSC ticks in CTC's 16 bits, or without MTC, a TMA has not all bits. */
static bool tma_vouches(const struct softpt_config *c)
{
	const uint32_t both = SOFTPT_F_TSC | SOFTPT_F_MTC;

	return (c->flags & both) == both && c->tsc_eax % (c->tsc_ebx >> __builtin_ctz(c->tsc_ebx));
}

/* Where the next TSC begins: behind it what is wrong has been noticed */
static size_t next_tsc(const struct stream *s, size_t packet)
{
	while (++packet < s->packets)
		if (s->bytes[s->packet[packet]] == SOFTPT_OPC_TSC)
			return s->packet[packet];
	return s->n;
}

/* Without a description, and alone, it may as well lack bits above 55. */
static bool is_known(const struct stream *s, size_t packet)
{
	return tma_vouches(&s->scene.cfg) &&
	       (s->scene.cfg.flags & SOFTPT_F_DESCRIBE || next_tsc(s, packet) < s->n);
}

static void run_bits(uint64_t seed, struct tally *t)
{
	struct stream s;
	size_t i, bit;

	make(&s, seed, 20, 300);
	memcpy(s.copy, s.bytes, s.n);
	for (i = 0; i < s.packets; i++) {
		uint8_t *at = s.copy + s.packet[i];

		if (*at != SOFTPT_OPC_TSC)
			continue;
		t->from = is_known(&s, i) ? 0 : next_tsc(&s, i);
		for (bit = 8; bit < 8 * SOFTPT_SIZE_TSC; bit++) {
			at[bit / 8] ^= 1u << bit % 8;
			decode(&s, s.n, t);
			at[bit / 8] ^= 1u << bit % 8;
		}
	}
	drop(&s);
}

static void judge(const struct tally *t, bool told)
{
	kit_ok(told && t->checked > 100 * t->traces / CUTS && !t->outside,
	       "%" PRIu64 " traces with %s, %" PRIu64 " errors: %" PRIu64 " records, %" PRIu64
	       " of them outside of their bounds", t->traces, t->what, t->errors, t->checked,
	       t->outside);
}

int main(int argc, char **argv)
{
	uint64_t scenes = argc > 1 ? strtoull(argv[1], NULL, 0) : 300;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, i;
	struct tally holes = { .what = "a hole" }, ends = { .what = "an end" };
	struct tally bits = { .what = "a wrong bit" };

	for (i = 0; i < scenes; i++)
		run_holes(seed + i, &holes);
	for (i = 0; i < scenes; i += FEW) {
		run_ends(seed + i, &ends);
		run_bits(seed + i, &bits);
	}
	judge(&holes, holes.errors >= scenes);
	judge(&ends, true);
	judge(&bits, bits.errors > bits.traces / 2);
	return kit_done();
}
