// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jumps between translations. Other threads execute them while they are changed: each change is
 * one store that does not cross a cache line.
 */
#include "../guest.h"
#include "cache.h"
#include "emit.h"
#include "link.h"

#define LINKS	(4u << 20)

static struct link *links;
static u32 nr_links = 1;

void link_init(void)
{
	links = take_room(LINKS * sizeof(*links));
}

bool links_full(void)
{
	return nr_links > LINKS - LINKS / 4;	/* what is killed at a time needs some */
}

void links_clear(void)
{
	nr_links = 1;
}

struct link *link_at(u32 number)
{
	return &links[number];
}

static void patch_jump(u32 at, u32 to)
{
	*(volatile u32 *)(uintptr_t)(at + 1) = to - (at + 5);
}

void patch_entry(u32 at, u32 to)
{
	volatile u64 *entry = (volatile u64 *)(uintptr_t)at;

	*entry = (*entry & ~0xffffffffffull) | 0xe9 | (u64)(to - (at + 5)) << 8;
}

static u32 new_link(enum link_kind kind, u32 target)
{
	if (nr_links >= LINKS)
		die("too many jumps", target);
	links[nr_links] = (struct link){ .kind = kind, .target = target };
	return nr_links++;
}

/* words.link = @number, and into the runtime */
static void put_leave(u32 number)
{
	CODE(0x65, 0xc7, 0x04, 0x25);		/* movl $number, %gs:W_LINK */
	put4(W_LINK);
	put4(number);
	put_jump((u32)(uintptr_t)xl_enter);
}

void link_leave(enum link_kind kind, u32 target)
{
	put_leave(new_link(kind, target));
}

void link_leave_from(u32 patch, u32 target)
{
	u32 number = new_link(LINK_DIRECT, target);

	links[number].patch = patch;
	put_leave(number);
}

void link_to(struct link *l, struct block *b)
{
	if (l->linked)		/* another thread came by it, too */
		return;
	l->linked = true;
	l->next = b->links;
	b->links = (u32)(l - links);
	patch_jump(l->patch, b->direct);
}

void link_moved(struct block *b)
{
	u32 i;

	for (i = b->links; i; i = links[i].next)
		patch_jump(links[i].patch, b->direct);
}

/* A jump's displacement may not cross a line: it is changed while others execute it. */
void link_jump(u32 target)
{
	u32 number = new_link(LINK_DIRECT, target);
	struct block *b = block_find(target);
	u8 *before;

	while (((here() + 1) & 63) > 60)
		*out++ = 0x90;
	links[number].patch = here();
	*out++ = 0xe9;
	out += 4;
	if (b && !b->door) {
		link_to(&links[number], b);
		return;
	}
	before = cache_enter(REGION_STUB);
	patch_jump(links[number].patch, here());
	put_leave(number);
	cache_leave(before);
}
