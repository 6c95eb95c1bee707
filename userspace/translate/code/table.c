// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of indirect branches: for each address of code where its translation is. It is
 * sparse; a page that nobody has filled holds zeros, and a jump to 0 is noticed.
 */
#include <linux/mman.h>

#include "../guest.h"
#include "../layout.h"
#include "../sys.h"
#include "table.h"

#define TABLE	((u64 *)(uintptr_t)XL_TABLE)

void table_init(void)
{
	long at = sys(__NR_mmap, XL_TABLE, 8ul * XL_CODE_END, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != XL_TABLE)
		die("no room for the table of indirect branches", XL_TABLE);
}

void table_add(const struct block *b)
{
	WRITE_ONCE(TABLE[b->addr], (u64)b->indirect);
}

void table_moved(const struct block *b)
{
	if (TABLE[b->addr] && TABLE[b->addr] != (uintptr_t)xl_miss)
		table_add(b);
}

void table_forget(u32 addr)
{
	if (TABLE[addr])
		WRITE_ONCE(TABLE[addr], (uintptr_t)xl_miss);
}

bool table_hole(u64 target)
{
	u64 *page, i;

	if (target >= XL_CODE_END)
		return false;
	page = (u64 *)PAGE_DOWN((uintptr_t)&TABLE[target]);
	for (i = 0; i < PAGE / 8; i++) {
		u64 empty = 0;

		__atomic_compare_exchange_n(&page[i], &empty, (uintptr_t)xl_miss, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
	return true;
}
