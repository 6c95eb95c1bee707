// SPDX-License-Identifier: BSD-2-Clause
/*
 * Nothing has changed that nobody meant to change: the packets of random scenes and what the
 * library makes of them, as digests, against those of a file that is kept. That they are right
 * is for other tests to say.
 *
 *	reference FILE		compare
 *	reference --make N	print a file of N scenes
 *	reference --show SEED	print what the digests of a scene are made of
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "scene.h"

/* FNV-1a */
#define BASIS	0xcbf29ce484222325ull
#define PRIME	0x100000001b3ull

/*
 * packets	the engine's
 * times	records of them, as the configuration is known
 * foreign	as those of another unit, of which little is known
 * damaged	some bytes are others, and what is known is what is left of the description
 */
enum { PACKETS, TIMES, FOREIGN, DAMAGED, DIGESTS };

static const char *const names[DIGESTS] = { "packets", "times", "foreign", "damaged" };

struct pass {
	struct scene scene;
	uint64_t digest[DIGESTS];
	uint8_t *bytes;
	size_t n, room;
};

static void add(uint64_t *digest, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < 8; i++, value >>= 8)
		*digest = (*digest ^ (value & 0xff)) * PRIME;
}

static int add_bytes(void *ctx, const void *buf, size_t n)
{
	struct pass *p = ctx;

	if (p->n + n > p->room) {
		p->room = 2 * (p->n + n);
		p->bytes = realloc(p->bytes, p->room);
		if (!p->bytes)
			kit_bail("no memory for %zu bytes", p->room);
	}
	memcpy(p->bytes + p->n, buf, n);
	p->n += n;
	return 0;
}

static void add_record(struct pass *p, unsigned int which, const struct softpt_record *rec)
{
	const uint64_t fields[] = {
		rec->offset, rec->ip, rec->value, rec->tsc, rec->tsc_min, rec->tsc_max, rec->kind,
		rec->packet, rec->flags,
	};
	unsigned int i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		add(&p->digest[which], fields[i]);
	if (p->scene.verbose)
		printf("%s: 0x%" PRIx64 " %s ip 0x%" PRIx64 " value 0x%" PRIx64 " time %" PRIu64
		       " (%" PRIu64 " to %" PRIu64 ") flags %x\n", names[which], rec->offset,
		       softpt_record_kind_name(rec->kind), rec->ip, rec->value, rec->tsc,
		       rec->tsc_min, rec->tsc_max, rec->flags);
}

static int add_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	(void)row;
	add_record(ctx, TIMES, rec);
	return 0;
}

static void add_counts(struct pass *p, unsigned int which, const struct softpt_decoder *d)
{
	const struct softpt_decoder_counts *c = softpt_decoder_counts(d);

	add(&p->digest[which], c->packets);
	add(&p->digest[which], c->mtc);
	add(&p->digest[which], c->mtc_missing);
	add(&p->digest[which], c->cyc);
	add(&p->digest[which], c->tsc);
}

static void decode(struct pass *p, unsigned int which, struct softpt_decoder *d)
{
	const struct softpt_record *rec;
	int ret;

	while ((ret = softpt_decoder_next(d, &rec))) {
		if (ret == -ENOMEM)
			kit_bail("no memory");
		if (ret > 0) {
			add_record(p, which, rec);
			continue;
		}
		add(&p->digest[which], -ret);
		add(&p->digest[which], softpt_decoder_resync(d)->offset);
		if (p->scene.verbose)
			printf("%s: error %d at 0x%" PRIx64 "\n", names[which], -ret,
			       (uint64_t)softpt_decoder_resync(d)->offset);
	}
	add_counts(p, which, d);
	softpt_decoder_free(d);
}

static struct softpt_decoder *decoder(const struct pass *p)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);

	if (!d)
		kit_bail("no memory");
	softpt_decoder_set_buffer(d, p->bytes, p->n);
	return d;
}

static void decode_foreign(struct pass *p)
{
	struct softpt_decoder *d = decoder(p);

	softpt_decoder_set_foreign(d, &p->scene.cfg);
	decode(p, FOREIGN, d);
}

/* One byte in about 500 */
static void decode_damaged(struct pass *p)
{
	size_t i, n = p->n / 500 + 1;

	for (i = 0; i < n && p->n; i++)
		p->bytes[scene_random() % p->n] ^= 1u << scene_random() % 8;
	decode(p, DAMAGED, decoder(p));
}

static void add_engine(struct pass *p, const struct softpt_engine *e)
{
	const struct softpt_counts *c = &e->counts;
	size_t i;

	for (i = 0; i < p->n; i++)
		add(&p->digest[PACKETS], p->bytes[i]);
	add(&p->digest[PACKETS], c->packets);
	add(&p->digest[PACKETS], c->events);
	add(&p->digest[PACKETS], c->mtc);
	add(&p->digest[PACKETS], c->mtc_suppressed);
	add(&p->digest[PACKETS], c->overflows);
	add(&p->digest[PACKETS], c->gaps);
}

static void make_pass(struct pass *p, uint64_t seed)
{
	const struct sim_output out = { .bytes = add_bytes, .row = add_row, .ctx = p };
	unsigned int i;

	for (i = 0; i < DIGESTS; i++)
		p->digest[i] = BASIS;
	if (!scene_init(&p->scene, seed, 20, 400) || !scene_run(&p->scene, &out))
		kit_bail("seed %" PRIu64, seed);
	add_engine(p, sim_engine(p->scene.sim));
	add_counts(p, TIMES, sim_decoder(p->scene.sim));
	scene_free(&p->scene);
	decode_foreign(p);
	decode_damaged(p);
	free(p->bytes);
}

static void print_all(uint64_t n)
{
	uint64_t seed;
	unsigned int i;

	printf("# `build/reference --make`: of each seed's scene the digests of packets, times, foreign, damaged\n");
	for (seed = 1; seed <= n; seed++) {
		struct pass p = { .n = 0 };

		make_pass(&p, seed);
		printf("%" PRIu64, seed);
		for (i = 0; i < DIGESTS; i++)
			printf(" %016" PRIx64, p.digest[i]);
		printf("\n");
	}
}

static void show(uint64_t seed)
{
	struct pass p = { .scene.verbose = true };

	make_pass(&p, seed);
}

/* Return: how many digests are others */
static unsigned int compare_scene(uint64_t seed, const uint64_t want[DIGESTS])
{
	struct pass p = { .n = 0 };
	unsigned int i, others = 0;

	make_pass(&p, seed);
	for (i = 0; i < DIGESTS; i++) {
		if (p.digest[i] == want[i])
			continue;
		others++;
		kit_note("seed %" PRIu64 ": other %s", seed, names[i]);
	}
	return others;
}

static void compare(const char *path)
{
	unsigned int scenes = 0, others = 0;
	uint64_t seed, want[DIGESTS];
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f)
		kit_bail("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f) && others < 20) {
		if (line[0] == '#')
			continue;
		if (sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &seed,
			   &want[PACKETS], &want[TIMES], &want[FOREIGN], &want[DAMAGED]) != 5)
			kit_bail("%s: not a line of digests: %s", path, line);
		scenes++;
		others += compare_scene(seed, want);
	}
	fclose(f);
	if (others)
		kit_note("`reference --show SEED` before the change and after it tells what; a change that was meant: `reference --make`");
	kit_ok(scenes && !others, "%u scenes: packets and records as they were", scenes);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--make"))
		print_all(strtoull(argv[2], NULL, 0));
	else if (argc == 3 && !strcmp(argv[1], "--show"))
		show(strtoull(argv[2], NULL, 0));
	else if (argc == 2)
		compare(argv[1]);
	else
		kit_bail("usage: reference FILE | --make N | --show SEED");
	return argc == 2 ? kit_done() : 0;
}
