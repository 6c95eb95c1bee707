// SPDX-License-Identifier: BSD-2-Clause
/* None is ever taken away: a thread that has come to one looks for it without a lock. */
#include "breaks.h"

#define INT3		0xcc
#define BITS		14
#define PLACES		(1u << BITS)

/* A hash table of addresses: 0 is empty */
static u64 breaks[PLACES];
static u8 was[PLACES];
static u32 nr_breaks;

/* Its place, or an empty one: there always is one */
static u32 place_of(u64 addr)
{
	u32 i = (u32)addr * 0x9e3779b1u >> (32 - BITS);

	while (READ_ONCE(breaks[i]) && breaks[i] != addr)
		i = (i + 1) % PLACES;
	return i;
}

void breaks_take(const u64 *said, u32 nr)
{
	const u32 n = min(nr, SOFTPT_XL_BREAKS);
	u64 one, addr;
	u32 i, place;

	for (i = 0; i < n; i++) {
		one = READ_ONCE(said[i]);
		addr = one & ~(0xffull << 56);
		place = place_of(addr);
		if (breaks[place] || !addr || nr_breaks == SOFTPT_XL_BREAKS)
			continue;
		was[place] = (u8)(one >> 56);
		__atomic_store_n(&breaks[place], addr, __ATOMIC_RELEASE);
		nr_breaks++;
	}
}

bool breaks_at(u64 addr)
{
	return nr_breaks && addr && breaks[place_of(addr)] == addr;
}

void breaks_hide(u64 addr, u8 *code, u32 n)
{
	u32 i;

	for (i = 0; nr_breaks && i < n; i++)
		if (code[i] == INT3 && breaks_at(addr + i))
			code[i] = was[place_of(addr + i)];
}
