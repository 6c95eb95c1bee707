// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bytes that cannot be read, from the begin of some packet on, in the packets of random scenes: of
 * what is read behind them the true time lies within its bounds all the same.
 *
 *	lost [SCENES [SEED]]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../kit/kit.h"
#include "../../userspace/lib/softpt.h"
#include "scene.h"

#define CUTS	8	/* of each scene's packets */

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
	uint64_t errors, checked, outside;
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

	if (!told)
		return;
	t->checked++;
	if ((!(rec->flags & SOFTPT_REC_HAS_MIN) || rec->tsc_min <= told->tsc) &&
	    (!(rec->flags & SOFTPT_REC_HAS_MAX) || rec->tsc_max >= told->tsc))
		return;
	if (t->outside++ < 5)
		kit_note("seed %" PRIu64 ": offset 0x%" PRIx64 " %s: true %" PRIu64 ", %" PRIu64
			 " to %" PRIu64, s->scene.seed, rec->offset,
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

static void decode(const struct stream *s, struct tally *t)
{
	struct softpt_decoder *d = softpt_decoder_new(&s->scene.cfg);
	const struct softpt_record *rec;
	size_t at = 0;
	int ret;

	if (!d)
		kit_bail("no memory");
	softpt_decoder_set_buffer(d, s->copy, s->n);
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

static void run(uint64_t seed, struct tally *t)
{
	struct stream s = { .n = 0 };
	const struct sim_output out = { .bytes = add_bytes, .row = add_row, .ctx = &s };
	unsigned int i;

	if (!scene_init(&s.scene, seed, 200, 4000) || !scene_run(&s.scene, &out))
		kit_bail("seed %" PRIu64, seed);
	scene_free(&s.scene);
	s.copy = grown(NULL, s.n + 1);
	find_packets(&s);
	for (i = 0; i < CUTS && s.packets; i++) {
		cut(&s);
		decode(&s, t);
	}
	free(s.bytes);
	free(s.copy);
	free(s.packet);
	free(s.told);
}

int main(int argc, char **argv)
{
	uint64_t scenes = argc > 1 ? strtoull(argv[1], NULL, 0) : 300;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, i;
	struct tally t = { 0 };

	for (i = 0; i < scenes; i++)
		run(seed + i, &t);
	kit_ok(t.errors >= scenes && t.checked > 100 * scenes && !t.outside,
	       "%" PRIu64 " cuts, %" PRIu64 " errors: %" PRIu64 " records, %" PRIu64
	       " of them outside of their bounds", scenes * CUTS, t.errors, t.checked, t.outside);
	return kit_done();
}
