// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of code addresses. What is changed here is changed under xl_lock. */
#include <linux/mman.h>

#include "../maps.h"
#include "number.h"

#define WINDOWS		512
#define WINDOW_PIECES	32	/* of one window, at most; one more is behind it */
#define ZONE_PIECES	(XL_FAR_SIZE >> SOFTPT_XL_PIECE)

/* Addresses, and the number of the first */
struct window {
	u64 from, to;
	u32 number;
};

static struct window windows[WINDOWS] = {
	{ .from = PAGE, .to = XL_CODE_END, .number = PAGE },
	{ .from = XL_FAR, .to = XL_FAR + XL_FAR_SIZE, .number = SOFTPT_XL_FAR },
};

static u32 nr_windows = 2;
static u32 nr_pieces = ZONE_PIECES;
static u64 *pieces;		/* where each begins */

void number_init(u64 *far)
{
	u32 i;

	pieces = far;
	for (i = 0; i < ZONE_PIECES; i++)
		pieces[i] = XL_FAR + ((u64)i << SOFTPT_XL_PIECE);
}

void number_forked(u64 *far)
{
	memcpy(far, pieces, SOFTPT_XL_PIECES * sizeof(*far));
	pieces = far;
}

static const struct window *window_of(u64 addr)
{
	u32 i, n = __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);
	static u32 recent;		/* most look for one where the last was */
	const struct window *w = &windows[READ_ONCE(recent)];

	/* The last piece may be another window's first. */
	if (addr >= w->from && addr < w->to - (1ull << SOFTPT_XL_PIECE))
		return w;
	for (i = 0; i < n; i++)
		if (addr >= windows[i].from && addr < windows[i].to) {
			WRITE_ONCE(recent, i);
			return &windows[i];
		}
	return NULL;
}

u32 number_of(u64 addr)
{
	const struct window *w = window_of(addr);

	return w ? w->number + (u32)(addr - w->from) : 0;
}

u64 number_addr(u32 number)
{
	return softpt_xl_address(pieces, number);
}

void number_each(u64 from, u64 to, void (*each)(u64 from, u64 to, long arg), long arg)
{
	u32 i, n = __atomic_load_n(&nr_windows, __ATOMIC_ACQUIRE);
	const struct window *w;
	u64 first, last;

	for (i = 0; i < n; i++) {
		w = &windows[i];
		first = max(from, w->from);
		last = min(to, w->to);
		if (first < last)
			each(w->number + (first - w->from), w->number + (last - w->from), arg);
	}
}

static void found(u64 from, u64 to, long arg)
{
	(void)from;
	(void)to;
	*(bool *)arg = true;
}

bool number_any(u64 from, u64 to)
{
	bool any = false;

	number_each(from, to, found, (long)&any);
	return any;
}

/* ---- windows ---- */

static void take_mapping(const struct mapping *m, void *arg)
{
	*(struct mapping *)arg = *m;
}

/* The pieces about @addr that are of mapping @m, and have no number yet */
static struct window span(u64 addr, const struct mapping *m)
{
	const u64 size = 1ull << SOFTPT_XL_PIECE;
	struct window w = { .from = addr & ~(size - 1) };

	w.to = w.from + size;
	while (w.to - w.from < WINDOW_PIECES * size && w.to < m->to && !window_of(w.to))
		w.to += size;
	while (w.to - w.from < WINDOW_PIECES * size && w.from > m->from &&
	       !window_of(w.from - size))
		w.from -= size;
	w.to += size;		/* what begins in a window ends there */
	return w;
}

u32 number_open(u64 addr, bool force, u64 *from, u64 *to)
{
	struct window *w = &windows[nr_windows];
	struct mapping m = { 0 };
	u64 at;

	if ((addr >= XL_COLD && addr < XL_TABLE_END) || addr < PAGE)
		return 0;
	maps_each(addr, addr + 1, take_mapping, &m);
	if (!force && !(m.prot & PROT_EXEC))
		return 0;
	*w = span(addr, &m);
	if (nr_windows == WINDOWS ||
	    nr_pieces + ((w->to - w->from) >> SOFTPT_XL_PIECE) > SOFTPT_XL_PIECES)
		die("too much code above 2 GB", addr);
	w->number = SOFTPT_XL_FAR + (nr_pieces << SOFTPT_XL_PIECE);
	for (at = w->from; at < w->to; at += 1ull << SOFTPT_XL_PIECE)
		pieces[nr_pieces++] = at;
	__atomic_store_n(&nr_windows, nr_windows + 1, __ATOMIC_RELEASE);
	*from = w->from;
	*to = w->to;
	return number_of(addr);
}
