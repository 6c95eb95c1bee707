// SPDX-License-Identifier: BSD-2-Clause
/* The processes of a translated program: in which order their records are taken */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftests/kit/kit.h"
#include "userspace/tool/record/members.h"

#define MAP	0x100000000ull	/* where each process says that it sees the file */

static uint32_t taken[8];	/* areas, in the order in which records of them came */
static unsigned int nr_taken;

static const uint32_t *take(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
			    const uint32_t *to)
{
	(void)ctx;
	(void)s;
	if (nr_taken < 8 && to - from == 1)
		taken[nr_taken++] = m->area;
	return to;
}

/* One record at a time */
static const uint32_t *take_one(void *ctx, struct member *m, struct slot *s, const uint32_t *from,
				const uint32_t *to)
{
	struct members *all = ctx;

	(void)s;
	(void)to;
	taken[nr_taken++] = m->area;
	all->stop = true;
	return from + 1;
}

static void end(void *ctx, struct slot *s)
{
	(void)ctx;
	(void)s;
}

/* The process number @order, with one record */
static void begin(struct members *all, uint32_t area, uint32_t order, uint32_t state)
{
	struct softpt_xl_shared *shared = all->share.map;
	struct softpt_xl_process *p = xl_process(&all->share, area);
	struct softpt_xl_words *w = (void *)((char *)p + softpt_xl_words_at(0));

	p->pid = getpid();
	p->map = MAP;
	p->order = order;
	p->slots = 1;
	w->cursor = MAP + softpt_xl_area(area) + softpt_xl_chunk_at(0, 0) + 4;
	p->state = state;
	if (shared->taken <= area)
		shared->taken = area + 1;
}

static bool are(const uint32_t *areas, unsigned int n)
{
	bool same = nr_taken == n && (!n || !memcmp(taken, areas, n * sizeof(*areas)));

	nr_taken = 0;
	return same;
}

/* An area that is free again is before those that were taken meanwhile. */
static void test_order(struct members *all)
{
	const uint32_t first[] = { 0, 5, 2 }, then[] = { 1 }, last[] = { 3, 4 };

	begin(all, 5, 1, SOFTPT_XL_ENDED);
	begin(all, 2, 2, SOFTPT_XL_LIVE);
	begin(all, 0, 0, SOFTPT_XL_LIVE);
	members_look(all);
	kit_ok(are(first, 3), "processes that are found at once: as they began");
	kit_ok(all->nr == 2, "the one that has ended is gone");
	begin(all, 1, 3, SOFTPT_XL_LIVE);
	members_look(all);
	kit_ok(are(then, 1), "one that is found later");
	begin(all, 3, UINT32_MAX, SOFTPT_XL_LIVE);
	begin(all, 4, 0, SOFTPT_XL_LIVE);
	members_look(all);
	kit_ok(are(last, 2), "when the order begins anew");
	begin(all, 6, 9, SOFTPT_XL_STARTING);
	members_look(all);
	kit_ok(are(NULL, 0) && all->nr == 5, "one that is still starting");
}

/* What was left is there at the next look, also of a process that has ended. */
static void test_stop(struct members *all)
{
	const uint32_t one[] = { 6 };
	struct softpt_xl_process *p = xl_process(&all->share, 6);
	struct softpt_xl_words *w = (void *)((char *)p + softpt_xl_words_at(0));

	w->cursor += 4;
	p->state = SOFTPT_XL_ENDED;
	all->take = take_one;
	members_look(all);
	kit_ok(all->nr == 6 && are(one, 1), "the first of two records of a process that has ended");
	all->stop = false;
	members_look(all);
	all->stop = false;
	members_look(all);
	kit_ok(all->nr == 5 && are(one, 1), "then the other, and it is gone");
}

/* The look ends at the chunk where it has begun. */
static void test_full(struct members *all)
{
	struct softpt_xl_process *p = xl_process(&all->share, 7);
	struct softpt_xl_words *w = (void *)((char *)p + softpt_xl_words_at(0));
	unsigned int i;

	begin(all, 7, 1, SOFTPT_XL_LIVE);
	w->cursor -= 4;
	all->take = take;
	for (i = 0; i < SOFTPT_XL_CHUNKS; i++)
		w->filled[i] = 4 + 1;
	kit_ok(members_look(all), "all chunks of a thread are full: there was something new");
	for (i = 0; i < SOFTPT_XL_CHUNKS && !w->filled[i]; i++)
		;
	kit_ok(i == SOFTPT_XL_CHUNKS, "and all of them are given back");
	kit_ok(!members_look(all), "then there is nothing");
}

int main(void)
{
	const struct softpt_config cfg = { .flags = SOFTPT_F_RETC };
	struct members *all = calloc(1, sizeof(*all));

	if (!all || xl_share_open(&all->share)) {
		kit_ok(0, "a shared file");
		return kit_done();
	}
	all->cfg = &cfg;
	all->take = take;
	all->end = end;
	test_order(all);
	all->ctx = all;
	test_stop(all);
	test_full(all);
	members_free(all);
	xl_share_close(&all->share);
	free(all);
	return kit_done();
}
