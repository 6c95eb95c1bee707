// SPDX-License-Identifier: BSD-2-Clause
#include <linux/mman.h>

#include "../maps.h"
#include "../sys.h"
#include "number.h"
#include "pages.h"

u8 pages[PAGES];
static bool made[PAGES];

void pages_translated(u32 from, u32 to)
{
	u32 page;

	for (page = from >> 12; page <= (to - 1) >> 12; page++) {
		if (pages[page] != PAGE_OPEN)
			continue;
		sys(__NR_mprotect, number_addr(page << 12), PAGE, PROT_READ | PROT_EXEC);
		pages[page] = PAGE_WATCHED;
	}
}

static void set_state(u64 from, u64 to, long state)
{
	u64 page;

	for (page = from >> 12; page < to >> 12; page++)
		pages[page] = (u8)state;
}

void pages_set(u64 addr, u64 len, long prot)
{
	u8 state = !(prot & PROT_EXEC) ? PAGE_DATA : prot & PROT_WRITE ? PAGE_OPEN : PAGE_PLAIN;

	number_each(addr, PAGE_UP(addr + len), set_state, state);
}

long pages_prot(u64 addr)
{
	const u8 state = pages[number_of(addr) >> 12];

	return state == PAGE_DATA ? 0 : state == PAGE_PLAIN ? PROT_EXEC : PROT_WRITE | PROT_EXEC;
}

static void set_made(u64 from, u64 to, long is_made)
{
	u64 page;

	for (page = from >> 12; page < to >> 12; page++)
		made[page] = is_made;
}

void pages_set_made(u64 addr, u64 len, bool is_made)
{
	number_each(addr, PAGE_UP(addr + len), set_made, is_made);
}

/* Those of a new window */
struct span {
	u64 from, to;
};

static void take_mapping(const struct mapping *m, void *arg)
{
	const struct span *new = arg;
	u64 from = max(m->from, new->from), to = min(m->to, new->to);

	pages_set(from, to - from, m->prot);
	pages_set_made(from, to - from, !m->has_file || m->prot & PROT_WRITE);
}

void pages_look(u64 from, u64 to)
{
	struct span all = { from, to };

	maps_each(from, to, take_mapping, &all);
}

u32 pages_number(u64 addr, bool force)
{
	u32 number = number_of(addr);
	struct span new;

	if (number)
		return number;
	number = number_open(addr, force, &new.from, &new.to);
	if (number)
		maps_each(new.from, new.to, take_mapping, &new);
	return number;
}

bool pages_made(u32 from, u32 to)
{
	return made[from >> 12] || made[(to - 1) >> 12];
}
