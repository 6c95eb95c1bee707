// SPDX-License-Identifier: BSD-2-Clause
#include "door.h"

#define BACKS_BITS	16
#define BACKS		(1u << BACKS_BITS)
#define BACKS_MOST	(BACKS / 4 * 3)

/* Not looked up in the shared file, to which the program may write */
static u64 doors[SOFTPT_XL_DOORS];
static u32 nr_doors;

/* Where functions were called: a hash table, 0 is empty */
static u64 backs[BACKS];
static u32 nr_backs;

void door_init(const struct softpt_xl_shared *s, const char *path, u64 base)
{
	const u32 n = min_t(u32, s->doors, SOFTPT_XL_DOORS);
	u32 i;

	if (!str_equal(path, s->program))
		return;
	for (i = 0; i < n; i++)
		doors[i] = s->door[i] + (s->doors_move ? base : 0);
	nr_doors = i;
}

bool door_at(u64 addr)
{
	u32 i;

	for (i = 0; i < nr_doors; i++)
		if (doors[i] == addr)
			return true;
	return false;
}

/* Its place, or an empty one: there always is one */
static u64 *place_of(u64 addr)
{
	u32 i = (u32)addr * 0x9e3779b1u >> (32 - BACKS_BITS);

	while (backs[i] && backs[i] != addr)
		i = (i + 1) % BACKS;
	return &backs[i];
}

bool door_back(u64 addr)
{
	u64 *place = place_of(addr);

	if (*place || !addr || nr_backs == BACKS_MOST)
		return false;
	*place = addr;
	nr_backs++;
	return true;
}

bool door_is_back(u64 addr)
{
	return nr_backs && *place_of(addr) == addr;
}
