// SPDX-License-Identifier: BSD-2-Clause
#include "door.h"

#define DOORS_BITS	13
#define DOORS		(1u << DOORS_BITS)
#define BACKS_BITS	16
#define BACKS		(1u << BACKS_BITS)
#define BACKS_MOST	(BACKS / 4 * 3)

/*
 * Addresses: hash tables, 0 is empty. They are not looked up in the shared file, to which the
 * program can write.
 */
static u64 doors[DOORS];
static u32 nr_doors;

/* Of a door within a function: its frame (CFA), less a register. 0: it is the entry */
static struct frame {
	s32 cfa;
	bool by_rbp;
	u16 role;
} frames[DOORS];

/* Where functions were called */
static u64 backs[BACKS];
static u32 nr_backs;

/* Its place in a table of 1 << @bits, or an empty one: there always is one */
static u64 *place_of(u64 *table, u32 bits, u64 addr)
{
	u32 i = (u32)addr * 0x9e3779b1u >> (32 - bits);

	while (table[i] && table[i] != addr)
		i = (i + 1) & ((1u << bits) - 1);
	return &table[i];
}

/* What is mapped no more has none. */
void door_take(const struct softpt_xl_place *said, u32 nr)
{
	u64 addr, *place;
	u32 i;

	memset(doors, 0, sizeof(doors));
	memset(frames, 0, sizeof(frames));
	nr_doors = 0;
	for (i = 0; i < nr && nr_doors < SOFTPT_XL_DOORS; i++) {
		addr = READ_ONCE(said[i].addr);
		if (!addr || addr & SOFTPT_XL_PLACE_KINDS)
			continue;
		place = place_of(doors, DOORS_BITS, addr);
		if (*place) {
			frames[place - doors].role |= READ_ONCE(said[i].role);
			continue;
		}
		*place = addr;
		frames[place - doors].cfa = READ_ONCE(said[i].cfa);
		frames[place - doors].by_rbp = READ_ONCE(said[i].by_rbp);
		frames[place - doors].role = READ_ONCE(said[i].role);
		nr_doors++;
	}
}

bool door_any(void)
{
	return READ_ONCE(nr_doors);
}

bool door_at(u64 addr)
{
	return nr_doors && addr && *place_of(doors, DOORS_BITS, addr) == addr;
}

u32 door_role(u64 addr)
{
	return frames[place_of(doors, DOORS_BITS, addr) - doors].role;
}

u64 door_entry(u64 addr, u64 rsp, u64 rbp, bool *within)
{
	const struct frame *f = &frames[place_of(doors, DOORS_BITS, addr) - doors];

	*within = f->cfa;
	return *within ? (f->by_rbp ? rbp : rsp) + (u64)(s64)f->cfa - 8 : rsp;
}

bool door_back(u64 addr)
{
	u64 *place = place_of(backs, BACKS_BITS, addr);

	if (*place || !addr || nr_backs == BACKS_MOST)
		return false;
	*place = addr;
	nr_backs++;
	return true;
}

bool door_is_back(u64 addr)
{
	return nr_backs && *place_of(backs, BACKS_BITS, addr) == addr;
}
