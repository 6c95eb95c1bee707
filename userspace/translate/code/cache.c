// SPDX-License-Identifier: BSD-2-Clause
/* The code cache, and the map from its addresses to the program's */
#include <linux/mman.h>

#include "../sys.h"
#include "cache.h"
#include "describe.h"

#define RUNS	(4u << 20)
#define ROOM	65536		/* more than a superblock takes of any region */
#define ROOM_STUBS (32u << 20)	/* and more than what is killed at a time takes of stubs */

struct part {
	u32 from, to;
	u8 *at;
	struct run *runs;	/* in the order of their addresses */
	u32 nr;
};

static struct part parts[REGIONS] = {
	[REGION_COLD] = { .from = XL_COLD, .to = XL_HOT },
	[REGION_HOT] = { .from = XL_HOT, .to = XL_STUB },
	[REGION_STUB] = { .from = XL_STUB, .to = XL_CACHE_END },
};

static enum region at_region;
static u32 run_head;
u8 *out;

void cache_init(void)
{
	struct part *p;
	long at;

	at = sys(__NR_mmap, XL_COLD, XL_CACHE_END - XL_COLD, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (at != XL_COLD)
		die("no room for the code cache", XL_COLD);
	for (p = parts; p < parts + REGIONS; p++) {
		p->runs = take_room(RUNS * sizeof(struct run));
		p->at = (u8 *)(uintptr_t)p->from + 16;
	}
}

static enum region region_of(u64 ip)
{
	return ip < XL_HOT ? REGION_COLD : ip < XL_STUB ? REGION_HOT : REGION_STUB;
}

u8 *cache_enter(enum region r)
{
	u8 *before = out;

	if (before)
		parts[at_region].at = before;
	at_region = r;
	out = parts[r].at;
	return before;
}

void cache_leave(u8 *at)
{
	enum region r = region_of((uintptr_t)at);

	if (!at || r == at_region)
		return;
	parts[at_region].at = out;
	at_region = r;
	out = at;
}

bool cache_full(void)
{
	struct part *p;

	for (p = parts; p < parts + REGIONS; p++)
		if (p->at > (u8 *)(uintptr_t)p->to - (p->to == XL_CACHE_END ? ROOM_STUBS : ROOM) ||
		    p->nr > RUNS - ROOM / 4)
			return true;
	return false;
}

void cache_clear(void)
{
	struct part *p;

	out = NULL;
	for (p = parts; p < parts + REGIONS; p++) {
		p->at = (u8 *)(uintptr_t)p->from + 16;
		WRITE_ONCE(p->nr, 0);
	}
}

void run_of(u32 head)
{
	run_head = head;
}

/* A signal handler may look while one is added. */
struct run *run_begin(u32 addr, u32 flags)
{
	struct part *p = &parts[region_of((uintptr_t)out)];
	struct run *run = &p->runs[p->nr];

	*run = (struct run){
		.cache = here(), .addr = addr, .step = describe_step_last(),
		.first = describe_step_first(), .head = run_head, .flags = flags,
	};
	barrier();
	WRITE_ONCE(p->nr, p->nr + 1);
	return run;
}

void run_again(void)
{
	const struct part *p = &parts[region_of((uintptr_t)out)];

	run_begin(p->runs[p->nr - 1].addr, p->runs[p->nr - 1].flags);
}

const struct run *run_find(u64 ip)
{
	const struct part *p = &parts[region_of(ip)];
	u32 low = 0, high = READ_ONCE(p->nr), mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (p->runs[mid].cache <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || ip > p->runs[low - 1].cache + p->runs[low - 1].len)
		return NULL;
	return &p->runs[low - 1];
}
