// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records. The translation stores them one by one, and has no check for room: the guard page
 * behind a chunk does that. The recorder looks at the cursor; what lies before it is complete.
 */
#include <linux/mman.h>

#include "../sys.h"
#include "describe.h"
#include "number.h"
#include "record.h"

static u8 *chunk_at(const struct thread *t, u32 chunk)
{
	return area_at(softpt_xl_chunk_at(t->slot, chunk));
}

void record_guard(const struct thread *t)
{
	u32 i;

	for (i = 0; i < SOFTPT_XL_CHUNKS; i++)
		sys(__NR_mprotect, chunk_at(t, i) + SOFTPT_XL_CHUNK, PAGE, PROT_NONE);
}

bool recorder_gone(unsigned int waits)
{
	struct softpt_xl_shared *s = (void *)(uintptr_t)process->map;
	u32 recorder = READ_ONCE(s->recorder);

	if (recorder && waits % 1000 == 999 && sys(__NR_kill, recorder, 0) == -ESRCH)
		WRITE_ONCE(s->recorder, 0);
	return !READ_ONCE(s->recorder);
}

/* Until the recorder has read a chunk */
static void wait_for(const struct thread *t, u32 chunk)
{
	unsigned int waits = 0;

	while (__atomic_load_n(&t->words->filled[chunk], __ATOMIC_ACQUIRE) &&
	       !recorder_gone(waits++))
		sys_nap(50);
}

void record_wait_seen(const struct softpt_xl_words *w)
{
	unsigned int waits = 0;

	while (__atomic_load_n(&w->seen, __ATOMIC_ACQUIRE) != READ_ONCE(w->cursor) &&
	       !recorder_gone(waits++))
		sys_nap(50);
}

/* Threads that are gone have slots, too: what they have written counts. */
void record_wait_all_seen(void)
{
	u32 i;

	for (i = 0; i < READ_ONCE(process->slots); i++)
		record_wait_seen(area_at(softpt_xl_words_at(i)));
}

/* A slot that had a thread before: the recorder may not have read this chunk yet. */
void record_begin(struct thread *t)
{
	wait_for(t, t->words->chunk);
	WRITE_ONCE(t->words->cursor, (uintptr_t)chunk_at(t, t->words->chunk));
}

bool record_is_guard(const struct thread *t, u64 addr)
{
	u64 end = (uintptr_t)chunk_at(t, t->words->chunk) + SOFTPT_XL_CHUNK;

	return addr >= end && addr < end + PAGE;
}

static void hand_over(struct thread *t)
{
	struct softpt_xl_words *w = t->words;
	u32 used = (u32)(w->cursor - (uintptr_t)chunk_at(t, w->chunk));

	__atomic_store_n(&w->filled[w->chunk], used + 1, __ATOMIC_RELEASE);
}

void record_drain(struct thread *t)
{
	struct softpt_xl_words *w = t->words;
	u32 next = (w->chunk + 1) % SOFTPT_XL_CHUNKS;

	hand_over(t);
	wait_for(t, next);
	WRITE_ONCE(w->cursor, (uintptr_t)chunk_at(t, next));
	WRITE_ONCE(w->chunk, next);
}

/* The escape at the cursor, for which there is room: what lies before the cursor is complete. */
static void put_escape(struct thread *t, const struct softpt_xl_escape *e)
{
	struct softpt_xl_words *w = t->words;

	if (w->cursor + sizeof(*e) > (uintptr_t)chunk_at(t, w->chunk) + SOFTPT_XL_CHUNK)
		record_drain(t);
	memcpy((void *)w->cursor, e, sizeof(*e));
	__atomic_store_n(&w->cursor, w->cursor + sizeof(*e), __ATOMIC_RELEASE);
}

void record_bytes(struct thread *t, const struct block *b, const u8 *code)
{
	const u32 at = process->code, len = b->end - b->addr;
	const struct softpt_xl_escape e = {
		.mark = SOFTPT_XL_ESCAPE, .what = SOFTPT_XL_BYTES, .first = at,
		.steps = (u16)len, .from = number_addr(b->addr), .tsc = rdtsc(),
	};

	if (at > SOFTPT_XL_CODE - SOFTPT_XL_BLOCK)
		return;
	memcpy((u8 *)area_at(SOFTPT_XL_CODE_AT) + at, code, len);
	process->code = at + len;
	put_escape(t, &e);
}

void record_escape(struct thread *t, u32 what, u32 flags, const struct run *run, u64 from, u64 to)
{
	struct softpt_xl_escape e = {
		.mark = SOFTPT_XL_ESCAPE, .what = (u16)what, .flags = (u16)flags,
		.from = from, .to = to, .tsc = rdtsc(),
	};
	if (run && !(flags & SOFTPT_XL_UNDONE)) {
		e.first = run->first;
		e.steps = (u16)(run->step - run->first);
		e.insns = (u16)describe_insns_before(run->step, from);
	}
	put_escape(t, &e);
}
