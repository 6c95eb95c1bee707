// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of indirect branches: for each address of code where its translation is. It is
 * sparse; a page that nobody has filled holds zeros, and a jump to 0 is noticed.
 *
 * A process that ran before has its code anywhere. Its table is wide: the index is the low half of
 * an address, an entry has 4 bytes, and leads to a check of the high half.
 */
#include <linux/mman.h>

#include "../guest.h"
#include "../layout.h"
#include "../sys.h"
#include "cache.h"
#include "describe.h"
#include "emit.h"
#include "number.h"
#include "table.h"

#define TABLE	((u64 *)(uintptr_t)XL_TABLE)
#define WIDE	((u32 *)(uintptr_t)XL_TABLE)

static bool wide;

/* Entry @from and those up to @to */
static void map_table(u64 from, u64 to)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	u64 *at = &TABLE[from];

	if (sys(__NR_mmap, at, 8 * (to - from), PROT_READ | PROT_WRITE, flags, -1, 0) != (long)at)
		die("no room for the table of indirect branches", (uintptr_t)at);
}

void table_init(bool is_wide)
{
	wide = is_wide;
	if (wide) {
		map_table(0, XL_TABLE_WIDE / 8);
		return;
	}
	map_table(0, XL_CODE_END);
	map_table(XL_FAR, XL_FAR + XL_FAR_SIZE);
}

bool table_is_wide(void)
{
	return wide;
}

u64 table_miss(void)
{
	return wide ? (uintptr_t)xl_miss_wide : (uintptr_t)xl_miss;
}

void table_clear(void)
{
	if (wide) {
		sys(__NR_madvise, WIDE, XL_TABLE_WIDE, MADV_DONTNEED);
		return;
	}
	sys(__NR_madvise, &TABLE[0], 8ul * XL_CODE_END, MADV_DONTNEED);
	sys(__NR_madvise, &TABLE[XL_FAR], 8 * XL_FAR_SIZE, MADV_DONTNEED);
}

/* ---- entries ---- */

/* Whether the table has one for it */
static bool has(u64 addr)
{
	return wide || addr < XL_CODE_END || (addr >= XL_FAR && addr < XL_FAR + XL_FAR_SIZE);
}

static u64 get(u64 addr)
{
	return wide ? READ_ONCE(WIDE[(u32)addr]) : READ_ONCE(TABLE[addr]);
}

static void set(u64 addr, u64 to)
{
	if (wide)
		WRITE_ONCE(WIDE[(u32)addr], (u32)to);
	else
		WRITE_ONCE(TABLE[addr], to);
}

void put_table_jump(void)
{
	if (!wide) {
		CODE(0xff, 0x24, 0xcd);		/* jmp *XL_TABLE(, %rcx, 8) */
		put4(XL_TABLE);
		return;
	}
	CODE(0x65, 0x48, 0x89, 0x0c, 0x25);	/* mov %rcx, %gs:W_TARGET */
	put4(W_TARGET);
	CODE(0x89, 0xc9);			/* mov %ecx, %ecx */
	CODE(0x8b, 0x0c, 0x8d);			/* mov XL_TABLE(, %rcx, 4), %ecx */
	put4(XL_TABLE);
	CODE(0xff, 0xe1);			/* jmp *%rcx */
}

/* Code that checks the high half of words.target first. Return: where it is */
static u32 put_check(const struct block *b)
{
	const u32 high = (u32)(number_addr(b->addr) >> 32);
	u8 *before = cache_enter(REGION_STUB);
	const u32 at = here();

	CODE(0x65, 0x8b, 0x0c, 0x25);		/* mov %gs:W_TARGET + 4, %ecx */
	put4(W_TARGET + 4);
	CODE(0x8d, 0x89);			/* lea -high(%rcx), %ecx */
	put4(-high);
	CODE(0xe3, 5);				/* jrcxz over the jump */
	put_jump((u32)(uintptr_t)xl_miss_wide);
	put_jump(b->indirect);
	cache_leave(before);
	return at;
}

void table_add(const struct block *b)
{
	const u64 addr = number_addr(b->addr);

	if (has(addr))
		set(addr, wide ? put_check(b) : b->indirect);
}

void table_moved(const struct block *b)
{
	const u64 addr = number_addr(b->addr);

	if (has(addr) && get(addr) && get(addr) != table_miss())
		table_add(b);
}

void table_shut(u64 addr)
{
	if (has(addr) && get(addr))
		set(addr, table_miss());
}

void table_forget(const struct block *b)
{
	table_shut(number_addr(b->addr));
}

/* ---- holes ---- */

/* Other threads may add to it meanwhile. */
#define FILL_SHARED(page) do { \
	u64 _i; \
\
	for (_i = 0; _i < PAGE / sizeof(*(page)); _i++) { \
		__typeof__(*(page)) _empty = 0; \
\
		__atomic_compare_exchange_n(&(page)[_i], &_empty, table_miss(), false, \
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
	} \
} while (0)

/* There is no other thread: plain stores are enough, and several times as fast. */
static void fill(u64 *page)
{
	u64 i;

	for (i = 0; i < PAGE / 8; i++)
		if (!page[i])
			page[i] = (uintptr_t)xl_miss;
}

static void fill_wide(u64 target)
{
	u32 *page = (u32 *)PAGE_DOWN((uintptr_t)&WIDE[(u32)target]);

	FILL_SHARED(page);
}

static void fill_narrow(u64 target)
{
	u64 *page = (u64 *)PAGE_DOWN((uintptr_t)&TABLE[target]);

	if (READ_ONCE(process->slots) > 1)
		FILL_SHARED(page);
	else
		fill(page);
}

bool table_hole(u64 target)
{
	if (!has(target))
		return false;
	if (wide)
		fill_wide(target);
	else
		fill_narrow(target);
	return true;
}
