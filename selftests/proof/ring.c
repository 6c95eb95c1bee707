// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring's positions (kmod/ring/ring.h, and softpt_ring_overwrite() of kmod/ring/ring.c, which
 * run-proof takes from there), proved by Frama-C's WP: for all sizes, heads and tails, and
 * for a ring that is written for ever, for each step keeps the invariant.
 *
 * A byte is its position: how many were written before it. Two positions are the same byte
 * of memory when they differ by a multiple of the size. So nothing that is unread from
 * position p on is overwritten as long as no position from p + size on is written.
 *
 * Assumed: fewer than 2^62 bytes are ever written; what one CPU sees of the other's stores
 * is what the barriers in ring.h make it.
 */
#include "proof.h"
#include "types.h"
#include "../../kmod/ring/ring.h"
#include "ring-overwrite.c"

#define LAST	(1ull << 62)

/* x & m for a mask m; the provers are told no more of it. */
/*@ admit lemma mask: \forall integer x, m; 0 <= x && 0 <= m ==> 0 <= (x & m) <= m; */

/*@
  predicate ring(struct softpt_ring *r) =
	\valid(r) && \valid(r->reader) && \valid(r->control) &&
	\separated(r, r->reader, r->control) &&
	0x1000 <= r->size <= LAST && r->head <= LAST && r->control->head == r->head &&
	r->tail <= r->head;

  // What the reader stored can be true
  predicate honest(struct softpt_ring *r) =
	r->reader->tail <= r->head <= r->reader->tail + r->size;

  // Of a snapshot: what is between tail and head is whole
  predicate whole(struct softpt_ring *r) = r->head <= r->tail + r->size;
*/

/*@
  requires ring(r);
  assigns \nothing;
  ensures \result <= r->size;
  ensures unread: r->snapshot == 0 && honest(r) ==> \result == r->head - r->reader->tail;
  ensures refused: r->snapshot == 0 && !honest(r) ==> \result == r->size;
  ensures frozen: r->snapshot != 0 && r->frozen != 0 ==> \result == r->size;
*/
static inline u64 softpt_ring_used(const struct softpt_ring *r);

/*@
  requires ring(r);
  assigns \nothing;
  ensures \result <= r->size;
  ensures unread: r->snapshot == 0 && honest(r) ==>
	r->head + \result == r->reader->tail + r->size;
  ensures refused: r->snapshot == 0 && !honest(r) ==> \result == 0;
  ensures frozen: r->snapshot != 0 && r->frozen != 0 ==> \result == 0;
*/
static inline u64 softpt_ring_room(const struct softpt_ring *r);

/*@
  requires ring(r) && end <= LAST + r->size && r->head <= end <= r->head + r->size;
  requires whole(r);
  assigns r->tail, r->control->tail;
  ensures r->tail >= \old(r->tail) && r->tail <= r->head;
  ensures forgotten: end <= r->tail + r->size;
*/
void softpt_ring_overwrite(struct softpt_ring *r, u64 end);

/*@
  requires ring(r) && \valid(pos) && \separated(pos, r, r->reader, r->control);
  assigns *pos;
  ensures \result <= r->size && *pos + \result == r->head;
  ensures all: r->snapshot == 0 && honest(r) ==> *pos == r->reader->tail;
  ensures refused: r->snapshot == 0 && !honest(r) ==> \result == 0;
  ensures held: r->snapshot != 0 ==> *pos >= r->tail;
*/
static inline u64 softpt_ring_unread(const struct softpt_ring *r, u64 *pos);

/*@
  requires ring(r) && \valid(n) && \separated(n, r, r->reader, r->control);
  requires r->snapshot != 0 ==> whole(r);
  assigns r->tail, r->control->tail, *n;
  ensures ring(r) && (r->snapshot != 0 ==> whole(r));
  ensures room: *n <= r->size && *n <= SOFTPT_RING_WINDOW;
  ensures keep: r->snapshot == 0 && *n != 0 ==>
	r->head + *n + keep <= r->reader->tail + r->size;
  ensures snapshot: r->snapshot != 0 ==> r->head + *n <= r->tail + r->size;
  ensures twice: \result + *n <= r->data + 2 * r->size && r->data <= \result;
*/
static inline u8 *softpt_ring_begin(struct softpt_ring *r, u64 keep, u64 *n);

/*@
  requires ring(r) && r->head + n <= LAST;
  assigns r->head, r->control->head;
  ensures ring(r) && r->head == \old(r->head) + n;
*/
static inline void softpt_ring_commit(struct softpt_ring *r, u64 n);

/*@
  predicate holds(struct softpt_ring *r) = ring(r) && (r->snapshot != 0 ? whole(r) : honest(r));
*/

/* The writer: room, up to @n bytes into it. What is unread, or whole, was not written to. */
/*@
  requires holds(r);
  requires r->head <= LAST - r->size;
  assigns r->head, r->tail, r->control->head, r->control->tail;
  ensures holds(r);
*/
static void write(struct softpt_ring *r, u64 keep, u64 n)
{
	u64 oldest, room;

	softpt_ring_begin(r, keep, &room);
	oldest = r->snapshot ? r->tail : r->reader->tail;
	/*@ assert untouched: r->head + room <= oldest + r->size; */
	if (n <= room)
		softpt_ring_commit(r, n);
}

/* The reader: anywhere in what it was told of; of a snapshot it may say what it likes. */
/*@
  requires holds(r);
  assigns r->reader->tail;
  ensures holds(r);
*/
static void read(struct softpt_ring *r, u64 tail)
{
	if (r->snapshot || (r->reader->tail <= tail && tail <= r->control->head))
		r->reader->tail = tail;
}

/*@ assigns \nothing; */
u64 any(void);

/*@
  requires holds(r);
  assigns r->head, r->tail, r->control->head, r->control->tail, r->reader->tail;
*/
static void for_ever(struct softpt_ring *r)
{
	/*@
	  loop invariant holds(r);
	  loop assigns r->head, r->tail, r->control->head, r->control->tail,
		r->reader->tail;
	*/
	while (r->head <= LAST - r->size) {
		write(r, any(), any());
		read(r, any());
	}
}
