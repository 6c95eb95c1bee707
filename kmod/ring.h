/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring between one producer and one reader, mapped into both.
 *
 *	page 0	struct softpt_reader	the reader's; read once, never trusted
 *	page 1	struct softpt_control	ours, read-only for the reader
 *	page 2	the data, twice in a row: a record is never split
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
#include <linux/types.h>
#include <linux/softpt.h>

struct cred;
struct page;
struct softpt_sink;
struct vm_area_struct;

/**
 * struct softpt_ring - the ring of a unit
 * @base: all of it, as mapped
 * @reader: page 0
 * @control: page 1
 * @data: page 2 and on
 * @size: of the data once, a power of two
 * @head: bytes written so far; control->head is what the reader may know of
 * @tail: snapshot mode: oldest byte that is whole
 * @psb: snapshot mode: no PSB is newer than this position plus what one event writes
 * @snapshot: overwrites the oldest
 * @frozen: nothing is written
 * @pages: all pages, the data's once
 * @nr_pages: how many
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
	u64 psb;
	bool snapshot;
	bool frozen;
	struct page **pages;
	unsigned long nr_pages;
	const struct cred *cred;
};

int softpt_ring_init(struct softpt_ring *ring, const struct softpt_config *config, int cpu);
void softpt_ring_free(struct softpt_ring *ring);
int softpt_ring_mmap(struct softpt_ring *ring, struct vm_area_struct *vma, bool *data);
u64 softpt_ring_unread(const struct softpt_ring *ring, u64 *pos);
bool softpt_ring_overtaken(const struct softpt_ring *ring, u64 pos);
u64 softpt_ring_room(const struct softpt_ring *ring);
u64 softpt_ring_watermark(const struct softpt_ring *ring);
void softpt_ring_begin(struct softpt_ring *ring, u64 keep, struct softpt_sink *sink);
void softpt_ring_commit(struct softpt_ring *ring, const struct softpt_sink *sink);
u64 softpt_ring_limit(void);
u64 softpt_ring_memory(void);

#endif /* _SOFTPT_RING_H */
