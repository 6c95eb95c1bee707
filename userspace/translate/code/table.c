// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of indirect branches: for each address of code where its translation is. It is
 * sparse; a page that nobody has filled holds zeros, and a jump to 0 is noticed.
 */
#include <linux/mman.h>

#include "../guest.h"
#include "../layout.h"
#include "../sys.h"
#include "describe.h"
#include "number.h"
#include "table.h"

#define TABLE	((u64 *)(uintptr_t)XL_TABLE)

static void map_table(u64 from, u64 to)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	u64 *at = &TABLE[from];

	if (sys(__NR_mmap, at, 8 * (to - from), PROT_READ | PROT_WRITE, flags, -1, 0) != (long)at)
		die("no room for the table of indirect branches", (uintptr_t)at);
}

/* Whether the table has it */
static bool has(u64 addr)
{
	return addr < XL_CODE_END || (addr >= XL_FAR && addr < XL_FAR + XL_FAR_SIZE);
}

void table_init(void)
{
	map_table(0, XL_CODE_END);
	map_table(XL_FAR, XL_FAR + XL_FAR_SIZE);
}

void table_clear(void)
{
	sys(__NR_madvise, &TABLE[0], 8ul * XL_CODE_END, MADV_DONTNEED);
	sys(__NR_madvise, &TABLE[XL_FAR], 8 * XL_FAR_SIZE, MADV_DONTNEED);
}

void table_add(const struct block *b)
{
	u64 addr = number_addr(b->addr);

	if (has(addr))
		WRITE_ONCE(TABLE[addr], (u64)b->indirect);
}

void table_moved(const struct block *b)
{
	u64 addr = number_addr(b->addr);

	if (has(addr) && TABLE[addr] && TABLE[addr] != (uintptr_t)xl_miss)
		table_add(b);
}

void table_shut(u64 addr)
{
	if (has(addr) && TABLE[addr])
		WRITE_ONCE(TABLE[addr], (uintptr_t)xl_miss);
}

void table_forget(const struct block *b)
{
	table_shut(number_addr(b->addr));
}

/* Other threads may add to it meanwhile. */
static void fill_shared(u64 *page)
{
	u64 i, empty;

	for (i = 0; i < PAGE / 8; i++) {
		empty = 0;
		__atomic_compare_exchange_n(&page[i], &empty, (uintptr_t)xl_miss, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* There is no other thread: plain stores are enough, and several times as fast. */
static void fill(u64 *page)
{
	u64 i;

	for (i = 0; i < PAGE / 8; i++)
		if (!page[i])
			page[i] = (uintptr_t)xl_miss;
}

bool table_hole(u64 target)
{
	u64 *page;

	if (!has(target))
		return false;
	page = (u64 *)PAGE_DOWN((uintptr_t)&TABLE[target]);
	if (READ_ONCE(process->slots) > 1)
		fill_shared(page);
	else
		fill(page);
	return true;
}
