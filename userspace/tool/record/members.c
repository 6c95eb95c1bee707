// SPDX-License-Identifier: BSD-2-Clause
#include "members.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT	16	/* processes that are gone, and whose records are held */

/* ---- threads ---- */

/* Whatever the process has written there, within the chunk */
static uint32_t whole_records(uint64_t bytes)
{
	return (bytes < SOFTPT_XL_CHUNK ? bytes : SOFTPT_XL_CHUNK) & ~3u;
}

static const char *chunk_of(const struct members *all, const struct member *m, uint32_t number,
			    uint32_t chunk)
{
	return (const char *)xl_process(&all->share, m->area) + softpt_xl_chunk_at(number, chunk);
}

static struct softpt_xl_words *words_of(const struct members *all, const struct member *m,
					uint32_t number)
{
	return (void *)((char *)xl_process(&all->share, m->area) + softpt_xl_words_at(number));
}

/* The program may fill it again. */
static void give_back(struct softpt_xl_words *w, uint32_t chunk)
{
	__atomic_store_n(&w->filled[chunk], 0, __ATOMIC_RELEASE);
}

/* It is full, and held; the oldest is not any more, where there are too many. */
static void hold_chunk(struct slot *s, struct softpt_xl_words *w)
{
	uint32_t held = (s->chunk - s->oldest + SOFTPT_XL_CHUNKS) % SOFTPT_XL_CHUNKS + 1;

	s->begin[(s->chunk + 1) % SOFTPT_XL_CHUNKS] = s->here;
	if (held <= MEMBERS_HELD)
		return;
	give_back(w, s->oldest);
	s->oldest = (s->oldest + 1) % SOFTPT_XL_CHUNKS;
	s->from = 0;
}

/* Return: how many of @bytes were read */
static uint32_t read_records(struct members *all, struct member *m, struct slot *s,
			     const char *from, uint32_t bytes)
{
	members_read *const read = all->what == MEMBERS_HOLD ? all->skim : all->take;

	if (all->what == MEMBERS_DROP)
		return bytes;
	memcpy(all->records, from, bytes);
	return (read(all->ctx, m, s, all->records, all->records + bytes / 4) - all->records) * 4;
}

/* One chunk of a thread. Return: whether it goes on with another */
static bool look_chunk(struct members *all, struct member *m, struct slot *s, uint32_t number)
{
	struct softpt_xl_words *w = words_of(all, m, number);
	const uint64_t base = m->map + softpt_xl_area(m->area) +
			      softpt_xl_chunk_at(number, s->chunk);
	uint32_t filled = __atomic_load_n(&w->filled[s->chunk], __ATOMIC_ACQUIRE);
	uint64_t cursor = __atomic_load_n(&w->cursor, __ATOMIC_ACQUIRE);
	uint32_t end = s->at;

	if (filled)
		end = whole_records(filled - 1);
	else if (cursor >= base && cursor <= base + SOFTPT_XL_CHUNK)
		end = whole_records(cursor - base);
	if (__atomic_load_n(&w->filled[s->chunk], __ATOMIC_ACQUIRE) != filled)
		return true;	/* it was handed over meanwhile */
	if (end > s->at)
		s->at += read_records(all, m, s, chunk_of(all, m, number, s->chunk) + s->at,
				      end - s->at);
	if (!filled || s->at < end || all->stop) {
		/* The record of a trigger event is seen when it is taken: no flush before. */
		if (!all->stop || all->what != MEMBERS_HOLD)
			__atomic_store_n(&w->seen, base + s->at, __ATOMIC_RELEASE);
		return false;
	}
	if (all->what == MEMBERS_HOLD)
		hold_chunk(s, w);
	else
		give_back(w, s->chunk);
	s->chunk = (s->chunk + 1) % SOFTPT_XL_CHUNKS;
	s->at = 0;
	return true;
}

/* Return: whether there was anything new */
static bool look_slot(struct members *all, struct member *m, uint32_t number)
{
	struct slot *s = m->slots[number];
	bool any = false, more;
	int chunks = 0;
	uint32_t at;

	if (!s) {
		s = calloc(1, sizeof(*s));
		m->slots[number] = s;
		if (!s) {
			all->err = -ENOMEM;
			return false;
		}
		s->last = SOFTPT_XL_ESCAPE;
	}
	do {
		at = s->at;
		more = look_chunk(all, m, s, number);
		any |= more || s->at != at;
	} while (more && !all->err && !all->stop && ++chunks < SOFTPT_XL_CHUNKS);
	return any;
}

static uint32_t flushes_of(const struct members *all, const struct member *m)
{
	return __atomic_load_n(&xl_process(&all->share, m->area)->flushes, __ATOMIC_ACQUIRE);
}

/*
 * The descriptions are gone, and what is held means nothing without them. The process has waited
 * until all that it had written was seen: what comes now has descriptions again.
 */
static void forget_flushed(struct members *all, struct member *m)
{
	uint32_t i, flushes = flushes_of(all, m);

	for (i = 0; i < SOFTPT_XL_THREADS && flushes != m->flushes; i++) {
		struct slot *s = m->slots[i];

		for (; s && s->oldest != s->chunk; s->oldest = (s->oldest + 1) % SOFTPT_XL_CHUNKS)
			give_back(words_of(all, m, i), s->oldest);
		if (s) {
			s->from = s->at;
			s->begin[s->chunk] = s->here;
		}
	}
	m->flushes = flushes;
}

static void answer(struct members *all, const struct member *m)
{
	const struct softpt_xl_process *p = xl_process(&all->share, m->area);
	uint32_t asked = __atomic_load_n(&p->asked, __ATOMIC_ACQUIRE);

	if (all->asked && asked != p->answered)
		all->asked(all->ctx, m, asked);
}

static bool look_member(struct members *all, struct member *m)
{
	uint32_t i, slots = __atomic_load_n(&xl_process(&all->share, m->area)->slots,
					    __ATOMIC_ACQUIRE);
	bool any = false;

	answer(all, m);
	if (all->what == MEMBERS_HOLD)
		forget_flushed(all, m);
	for (i = 0; i < slots && i < SOFTPT_XL_THREADS && !all->err && !all->stop; i++)
		any |= look_slot(all, m, i);
	return any;
}

/* ---- processes ---- */

static struct member *member_of(const struct members *all, uint32_t area)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		if (all->member[i]->area == area)
			return all->member[i];
	return NULL;
}

/* In the order in which they began: an exec's two are one thread. */
static void insert_member(struct members *all, struct member *m)
{
	unsigned int i = all->nr++;

	for (; i && (int32_t)(all->member[i - 1]->order - m->order) > 0; i--)
		all->member[i] = all->member[i - 1];
	all->member[i] = m;
}

static void add_member(struct members *all, uint32_t area)
{
	const struct softpt_xl_process *p = xl_process(&all->share, area);
	struct member **more = reallocarray(all->member, all->nr + 1, sizeof(*more));
	struct member *m = more ? calloc(1, sizeof(*m)) : NULL;

	if (more)
		all->member = more;
	if (!m) {
		all->err = -ENOMEM;
		return;
	}
	m->area = area;
	m->order = p->order;
	m->pid = p->pid;
	m->map = p->map;
	all->err = xl_runs_init(&m->runs, p, all->cfg);
	m->gone = syscall(SYS_pidfd_open, m->pid, 0);
	insert_member(all, m);
}

/* Return: whether there are any that have begun since the last look */
static bool find_some(struct members *all)
{
	const struct softpt_xl_shared *shared = all->share.map;
	uint32_t i, taken = __atomic_load_n(&shared->taken, __ATOMIC_ACQUIRE);
	const unsigned int nr = all->nr;

	for (i = 0; i < taken && i < SOFTPT_XL_PROCESSES && !all->err; i++) {
		uint32_t state = __atomic_load_n(&xl_process(&all->share, i)->state,
						 __ATOMIC_ACQUIRE);

		if ((state == SOFTPT_XL_LIVE || state == SOFTPT_XL_ENDED) && !member_of(all, i))
			add_member(all, i);
	}
	return all->nr != nr;
}

/*
 * Areas are taken again. A process that was forked and executes another program may have taken one
 * behind this look, and the next before it: who is found now may have a predecessor that is not.
 */
static void find_members(struct members *all)
{
	while (find_some(all))
		;
}

static bool is_gone(const struct members *all, const struct member *m)
{
	struct pollfd p = { .fd = m->gone, .events = POLLIN };

	return __atomic_load_n(&xl_process(&all->share, m->area)->state, __ATOMIC_ACQUIRE) ==
	       SOFTPT_XL_ENDED || m->gone < 0 || poll(&p, 1, 0) > 0;
}

static void drop_member(struct members *all, unsigned int i)
{
	struct member *m = all->member[i];
	unsigned int k;

	for (k = 0; k < SOFTPT_XL_THREADS; k++) {
		if (m->slots[k])
			all->end(all->ctx, m->slots[k]);
		if (m->slots[k])
			history_free(&m->slots[k]->history);
		free(m->slots[k]);
	}
	if (all->gone)
		all->gone(all->ctx, m);
	if (m->gone >= 0)
		close(m->gone);
	xl_runs_free(&m->runs);
	xl_watch_free(&m->watch);
	free(m);
	memmove(all->member + i, all->member + i + 1, (--all->nr - i) * sizeof(*all->member));
}

/* It has ended; but a child that was forked just before may still need its area. */
static bool needs_area(const struct members *all, const struct member *m)
{
	return __atomic_load_n(&xl_process(&all->share, m->area)->forks, __ATOMIC_ACQUIRE);
}

/* Its records are held as long as there are not too many of its kind. */
static bool is_kept(const struct members *all, const struct member *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < all->nr && all->member[i] != m; i++)
		;
	for (; i < all->nr; i++)
		n += is_gone(all, all->member[i]);
	return all->what == MEMBERS_HOLD && n <= KEPT;
}

/* All threads of all processes. Return: whether there was anything new */
bool members_look(struct members *all)
{
	bool any = false, gone;
	unsigned int i;
	uint32_t area;

	find_members(all);
	for (i = 0; i < all->nr && !all->err && !all->stop;) {
		gone = is_gone(all, all->member[i]);
		any |= look_member(all, all->member[i]);
		if (!gone || all->stop || look_member(all, all->member[i]) ||
		    needs_area(all, all->member[i]) || is_kept(all, all->member[i])) {
			i++;
			continue;
		}
		area = all->member[i]->area;
		drop_member(all, i);
		xl_share_free(&all->share, area);
	}
	return any;
}

/* From the oldest that is held up to what was seen last */
static void release_slot(struct members *all, struct member *m, struct slot *s, uint32_t number)
{
	struct softpt_xl_words *w = words_of(all, m, number);
	const uint32_t chunk = s->chunk;
	uint32_t end, i;

	s->there = s->begin[s->oldest];
	s->joins = true;
	for (i = s->oldest; !all->err; i = (i + 1) % SOFTPT_XL_CHUNKS) {
		end = i == chunk ? s->at : whole_records(w->filled[i] - 1);
		s->ends = i == chunk;
		if (end > s->from)
			read_records(all, m, s, chunk_of(all, m, number, i) + s->from,
				     end - s->from);
		s->from = 0;
		if (i == chunk)
			break;
		give_back(w, i);
	}
}

void members_release(struct members *all)
{
	unsigned int i, k;

	if (all->what != MEMBERS_HOLD)
		return;
	all->what = MEMBERS_TAKE;
	for (i = 0; i < all->nr; i++) {
		forget_flushed(all, all->member[i]);
		for (k = 0; k < SOFTPT_XL_THREADS; k++)
			if (all->member[i]->slots[k])
				release_slot(all, all->member[i], all->member[i]->slots[k], k);
	}
}

static int hold_slot(struct slot *s, void *arg)
{
	(void)arg;
	s->oldest = s->chunk;
	s->from = s->at;
	s->begin[s->chunk] = s->here;
	s->joins = false;
	return 0;
}

void members_hold(struct members *all)
{
	unsigned int i;

	all->what = MEMBERS_HOLD;
	for (i = 0; i < all->nr; i++)
		all->member[i]->flushes = flushes_of(all, all->member[i]);
	members_each_slot(all, hold_slot, NULL);
}

int members_each_slot(struct members *all, int (*each)(struct slot *s, void *arg), void *arg)
{
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < all->nr; i++)
		for (k = 0; k < SOFTPT_XL_THREADS && !ret; k++)
			if (all->member[i]->slots[k])
				ret = each(all->member[i]->slots[k], arg);
	return ret;
}

int members_each(struct members *all, int (*each)(struct xl_unit *u, void *arg), void *arg)
{
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < all->nr; i++)
		for (k = 0; k < SOFTPT_XL_THREADS && !ret; k++)
			if (all->member[i]->slots[k] && all->member[i]->slots[k]->unit.sim)
				ret = each(&all->member[i]->slots[k]->unit, arg);
	return ret;
}

void members_free(struct members *all)
{
	while (all->nr)
		drop_member(all, all->nr - 1);
	free(all->member);
	all->member = NULL;
}
