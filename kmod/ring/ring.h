/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring between one producer and one reader, mapped into both.
 *
 *	page 0	struct softpt_reader	the reader's; read once, never trusted
 *	page 1	struct softpt_control	ours, read-only for the reader
 *	page 2	the data, twice in a row: what is written in one piece is never split
 *
 *	producer				reader
 *	tail = load_acquire(tail)   (A)		head = load_acquire(head)   (C)
 *	write the data up to room		read the data
 *	store_release(head)         (B)		store_release(tail)         (D)
 *
 * A pairs with D: what is overwritten has been read. B pairs with C: what is
 * read has been written.
 */
#ifndef _SOFTPT_RING_H
#define _SOFTPT_RING_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/softpt.h>
#include <asm/barrier.h>

/* One call of the producer may not hold the CPU for the bytes of a whole ring. */
#define SOFTPT_RING_WINDOW	(64 * 1024)

struct cred;
struct page;
struct vm_area_struct;

/**
 * struct softpt_ring - memory between one producer and one reader
 * @base: all of it, as mapped
 * @reader: page 0
 * @control: page 1
 * @data: page 2 and on
 * @size: of the data once, a power of two
 * @head: bytes written so far; control->head is what the reader may know of
 * @tail: snapshot mode: oldest byte that is whole
 * @snapshot: overwrites the oldest
 * @frozen: nothing is written
 * @pages: all pages, the data's once
 * @nr_pages: how many
 * @nr_own: how many of them are the ring's own, from the first on: all, or what is not
 *	data
 * @charged: pages that count as a user's and the module's: what is its own of a ring that has
 *	its own data
 * @cred: whose user is charged (not every 6.1 exports free_uid()), or NULL
 */
struct softpt_ring {
	void *base;
	struct softpt_reader *reader;
	struct softpt_control *control;
	u8 *data;
	u64 size;
	u64 head;
	u64 tail;
	bool snapshot;
	bool frozen;
	struct page **pages;
	unsigned long nr_pages;
	unsigned long nr_own;
	unsigned long charged;
	const struct cred *cred;
};

int softpt_ring_init(struct softpt_ring *ring, const struct softpt_config *config, int cpu);
int softpt_ring_init_on(struct softpt_ring *ring, void *const data[], unsigned int nr,
			bool snapshot);
void softpt_ring_free(struct softpt_ring *ring);
int softpt_ring_mmap(struct softpt_ring *ring, struct vm_area_struct *vma, unsigned long first,
		     bool *data);
bool softpt_ring_overtaken(const struct softpt_ring *ring, u64 pos);
void softpt_ring_overwrite(struct softpt_ring *ring, u64 end);
u64 softpt_ring_limit(void);
u64 softpt_ring_memory(void);

/* What follows is inline because each event goes through it. */

/**
 * softpt_ring_unread() - what there is to be read
 * @ring: the ring
 * @pos: set to where it begins
 *
 * Never more than the ring has, even of a snapshot that runs on meanwhile: who copies
 * from one asks softpt_ring_overtaken() afterwards.
 *
 * Return: bytes; none when the reader's tail makes no sense.
 */
static inline u64 softpt_ring_unread(const struct softpt_ring *ring, u64 *pos)
{
	/* Pairs with the producer's release of head (C, B) */
	u64 head = smp_load_acquire(&ring->control->head);
	u64 unread = head - READ_ONCE(ring->reader->tail);

	if (ring->snapshot)
		unread = min3(unread, head - READ_ONCE(ring->tail), ring->size);
	else if (unlikely(unread > min(head, ring->size)))
		unread = 0;
	*pos = head - unread;
	return unread;
}

/*
 * Bytes that may not be written now: what is unread, and what else is left of a running
 * snapshot. All of them where the tail makes no sense.
 */
static inline u64 softpt_ring_used(const struct softpt_ring *ring)
{
	u64 head, used;

	if (unlikely(ring->snapshot)) {
		if (READ_ONCE(ring->frozen))
			return ring->size;
		return ring->size - min_t(u64, ring->size / 4, SOFTPT_RING_WINDOW);
	}
	head = READ_ONCE(ring->head);
	/* Pairs with the reader's release of tail (A, D) */
	used = head - smp_load_acquire(&ring->reader->tail);
	return unlikely(used > min(head, ring->size)) ? ring->size : used;
}

static inline u64 softpt_ring_room(const struct softpt_ring *ring)
{
	return ring->size - softpt_ring_used(ring);
}

/*
 * Unread bytes from which on poll() and read() see any. A watermark that could
 * never be reached, because the producer stops before, counts as half a ring.
 */
static inline u64 softpt_ring_watermark(const struct softpt_ring *ring)
{
	return clamp_t(u64, READ_ONCE(ring->reader->watermark), 1, ring->size / 2);
}

/**
 * softpt_ring_begin() - room to write into
 * @ring: the ring
 * @keep: bytes of the room that must stay free
 * @n: set to the bytes of the rest
 *
 * Return: where the rest begins.
 */
static inline u8 *softpt_ring_begin(struct softpt_ring *ring, u64 keep, u64 *n)
{
	u64 head = ring->head, room = softpt_ring_room(ring);

	if (unlikely(ring->snapshot) && room > keep)
		softpt_ring_overwrite(ring, head + room);
	*n = likely(room > keep) ? min_t(u64, room - keep, SOFTPT_RING_WINDOW) : 0;
	return ring->data + (head & (ring->size - 1));
}

/**
 * softpt_ring_commit() - show the reader what was written
 * @ring: the ring
 * @n: bytes behind where softpt_ring_begin() began
 */
static inline void softpt_ring_commit(struct softpt_ring *ring, u64 n)
{
	u64 head = ring->head + n;

	WRITE_ONCE(ring->head, head);
	/* Pairs with the reader's acquire of head (B, C) */
	smp_store_release(&ring->control->head, head);
}

#endif /* _SOFTPT_RING_H */
