// SPDX-License-Identifier: BSD-2-Clause
#include <linux/mman.h>

#include "../sys.h"
#include "pages.h"

u8 pages[PAGES];
static bool made[PAGES];

void pages_translated(u32 from, u32 to)
{
	u32 page;

	for (page = from >> 12; page <= (to - 1) >> 12; page++) {
		if (pages[page] != PAGE_OPEN)
			continue;
		sys(__NR_mprotect, (u64)page << 12, PAGE, PROT_READ | PROT_EXEC);
		pages[page] = PAGE_WATCHED;
	}
}

void pages_set(u64 addr, u64 len, long prot)
{
	u8 state = !(prot & PROT_EXEC) ? PAGE_DATA : prot & PROT_WRITE ? PAGE_OPEN : PAGE_PLAIN;
	u64 end, page;

	if (addr >= XL_CODE_END || addr + len < addr)
		return;
	end = min_t(u64, PAGE_UP(addr + len), XL_CODE_END);
	for (page = addr >> 12; page < end >> 12; page++)
		pages[page] = state;
}

long pages_prot(u64 addr)
{
	const u8 state = addr < XL_CODE_END ? pages[addr >> 12] : PAGE_DATA;

	return state == PAGE_DATA ? 0 : state == PAGE_PLAIN ? PROT_EXEC : PROT_WRITE | PROT_EXEC;
}

void pages_set_made(u64 addr, u64 len, bool is_made)
{
	u64 end = min_t(u64, PAGE_UP(addr + len), XL_CODE_END), page;

	for (page = addr >> 12; page < end >> 12; page++)
		made[page] = is_made;
}

bool pages_made(u32 from, u32 to)
{
	return made[from >> 12] || made[(to - 1) >> 12];
}
