// SPDX-License-Identifier: BSD-2-Clause
/*
 * The program's mappings. Code goes below 2 GB; pages that are writable and executable are
 * write-protected while something of them is translated; what is mapped, unmapped or protected
 * anew is translated anew.
 */
#include <linux/mman.h>

#include "code/breaks.h"
#include "code/describe.h"
#include "code/number.h"
#include "code/pages.h"
#include "code/translate.h"
#include "guest.h"
#include "memory.h"
#include "sys.h"

#define RESERVE_MAX	(640ul << 20)	/* of address space that may become code */
#define ARENA		(64ul << 20)	/* of malloc(), and its alignment */
#define DATA_MAX	(16ul << 20)	/* of what is written first, and code then */

/* Addresses for what the program lets the kernel place; used round and round */
struct zone {
	u64 from, to;
	u64 next;
	u32 tries;
};

static struct zone code_zone = {
	.from = XL_ZONE, .to = XL_ZONE_END, .next = XL_ZONE, .tries = 32768,
};

/* Where that one is full */
static struct zone far_zone = {
	.from = XL_FAR, .to = XL_FAR + XL_FAR_SIZE, .next = XL_FAR, .tries = 32768,
};

/* Where this one is full, data goes elsewhere. */
static struct zone data_zone = {
	.from = XL_DATA, .to = XL_DATA_END, .next = XL_DATA, .tries = 64,
};

static u64 brk_now = XL_BRK;

void memory_init(void)
{
	long at = sys(__NR_mmap, XL_BRK, XL_BRK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != XL_BRK)
		die("no room for the heap", XL_BRK);
}

/* Return: whether the page with that number is one that may be written to now */
static bool open_page(u32 page)
{
	bool is_open;

	lock(&xl_lock);
	if (pages[page] == PAGE_WATCHED) {
		block_change((u64)page << 12, (page + 1ull) << 12, translate_kill);
		pages[page] = PAGE_OPEN;
		sys(__NR_mprotect, number_addr(page << 12), PAGE,
		    PROT_READ | PROT_WRITE | PROT_EXEC);
	}
	is_open = pages[page] == PAGE_OPEN;
	unlock(&xl_lock);
	return is_open;
}

static void open_each(u64 from, u64 to, long arg)
{
	(void)to;
	*(bool *)arg |= open_page((u32)(from >> 12));
}

bool memory_write_fault(u64 addr)
{
	bool is_open = false;

	number_each(PAGE_DOWN(addr), PAGE_DOWN(addr) + PAGE, open_each, (long)&is_open);
	return is_open;
}

bool memory_open_all(void)
{
	bool any = false;
	u32 page;

	for (page = 0; page < PAGES; page++)
		if (READ_ONCE(pages[page]) == PAGE_WATCHED)
			any |= open_page(page);
	return any;
}

static void kill_each(u64 from, u64 to, long arg)
{
	(void)arg;
	block_change(from, to, translate_kill);
}

static void kill_all(u64 addr, u64 len)
{
	number_each(addr, PAGE_UP(addr + len), kill_each, 0);
}

/* Nothing there is translated, or can be without being looked at first. */
static bool is_free(u64 addr, u64 len)
{
	return !number_any(addr, addr + len);
}

/* What is mapped there is another, or protected otherwise. */
static void changed(u64 addr, u64 len, long prot)
{
	kill_all(addr, len);
	pages_set(addr, len, prot);
}

/*
 * Code, what ld.so maps (a library's first piece has its whole size), and room for either: not
 * the C library's stacks and arenas.
 */
static bool may_be_code(long addr, u64 len, long prot, long flags)
{
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_STACK))
		return false;
	if (prot & PROT_EXEC || flags & MAP_DENYWRITE)
		return true;
	return prot == PROT_NONE && len <= RESERVE_MAX && len != ARENA &&
	       !(len == 2 * ARENA && !addr);
}

/* Private memory of its own: a compiler may write code there, and execute it then. */
static bool may_become_code(long addr, u64 len, long prot, long flags)
{
	const long kind = MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
			  MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_STACK | MAP_HUGETLB;

	return !addr && len <= DATA_MAX && prot & PROT_WRITE &&
	       (flags & kind) == (MAP_PRIVATE | MAP_ANONYMOUS);
}

/* A place that nothing else is at. Return: -ENOMEM: none was found */
static long map_in(struct zone *z, long len, long prot, long flags, long fd, long offset)
{
	const u64 room = (((u64)len + 0xffff) & ~0xffffull) + 0x10000;
	long ret = -EEXIST;
	u32 i;

	for (i = 0; i < z->tries && ret == -EEXIST; i++) {
		if (room < (u64)len || room > z->to - z->from)
			return -ENOMEM;
		if (room > z->to - z->next)
			z->next = z->from;
		ret = guest_call(__NR_mmap, (long)z->next, len, prot,
				 flags | MAP_FIXED_NOREPLACE, fd, offset);
		if (ret >= 0)
			z->next += room;
		else if (ret == -EEXIST)
			z->next += 0x10000;
	}
	return ret == -EEXIST ? -ENOMEM : ret;
}

/* Return: NULL: anywhere */
static struct zone *zone_for(long addr, u64 len, long prot, long flags)
{
	if (may_be_code(addr, len, prot, flags))
		return &code_zone;
	return may_become_code(addr, len, prot, flags) ? &data_zone : NULL;
}

/* What it is mapped over is gone before another thread translates there. */
static long map_at(struct zone *z, long addr, long len, long prot, long flags, long fd,
		   long offset)
{
	const bool is_made = prot & PROT_WRITE || flags & (MAP_ANONYMOUS | MAP_SHARED);
	long ret;

	lock(&xl_lock);
	if (z)
		ret = map_in(z, len, prot, flags, fd, offset);
	else
		ret = guest_call(__NR_mmap, addr, len, prot, flags, fd, offset);
	if (ret >= 0 && !is_free((u64)ret, (u64)len)) {
		changed((u64)ret, (u64)len, prot);
		pages_set_made((u64)ret, (u64)len, is_made);
	}
	unlock(&xl_lock);
	return ret;
}

long memory_mmap(long addr, long len, long prot, long flags, long fd, long offset)
{
	struct zone *zone = zone_for(addr, (u64)len, prot, flags);
	long ret;

	if (zone) {
		ret = map_at(zone, addr, len, prot, flags, fd, offset);
		if (ret == -ENOMEM && zone == &code_zone)
			ret = map_at(&far_zone, addr, len, prot, flags, fd, offset);
		if (ret != -ENOMEM || prot & PROT_EXEC)
			return ret;
	}
	if (!addr && !(flags & MAP_32BIT)) {	/* above all code, but for windows */
		ret = guest_call(__NR_mmap, addr, len, prot, flags, fd, offset);
		if (ret < 0 || is_free((u64)ret, (u64)len))
			return ret;
		lock(&xl_lock);
		changed((u64)ret, (u64)len, prot);
		pages_set_made((u64)ret, (u64)len, true);
		unlock(&xl_lock);
		return ret;
	}
	return map_at(NULL, addr, len, prot, flags, fd, offset);
}

long memory_munmap(long addr, long len)
{
	long ret;

	if (is_free((u64)addr, (u64)len))
		return guest_call(__NR_munmap, addr, len, 0, 0, 0, 0);
	lock(&xl_lock);
	ret = guest_call(__NR_munmap, addr, len, 0, 0, 0, 0);
	if (!ret)
		changed((u64)addr, (u64)len, PROT_NONE);
	unlock(&xl_lock);
	return ret;
}

long memory_mprotect(long nr, long addr, long len, long prot, long key)
{
	long ret;

	if (is_free((u64)addr, (u64)len))
		return guest_call(nr, addr, len, prot, key, 0, 0);
	lock(&xl_lock);
	ret = guest_call(nr, addr, len, prot, key, 0, 0);
	if (!ret)
		changed((u64)addr, (u64)len, prot);
	else if (ret != XL_ABORT)
		kill_all((u64)addr, (u64)len);
	if (!ret && prot & PROT_WRITE)
		pages_set_made((u64)addr, (u64)len, true);
	unlock(&xl_lock);
	return ret;
}

/* What had been translated is where it was no more; code that moves stays below 2 GB. */
long memory_mremap(long addr, long len, long new_len, long flags, long to)
{
	long ret, prot;

	if (READ_ONCE(process->native)) {
		lock(&xl_lock);
		breaks_leave((u64)addr, (u64)addr + (u64)len);
		unlock(&xl_lock);
	}
	if (is_free((u64)addr, (u64)len))
		return guest_call(__NR_mremap, addr, len, new_len, flags, to, 0);
	lock(&xl_lock);
	ret = guest_call(__NR_mremap, addr, len, new_len, flags, to, 0);
	if (ret >= 0) {
		prot = pages_prot((u64)addr);
		changed((u64)addr, (u64)len, PROT_NONE);
		changed((u64)ret, (u64)new_len, prot);
		pages_set_made((u64)ret, (u64)new_len, true);
	}
	unlock(&xl_lock);
	return ret;
}

/* The kernel's would be in the table. What is given back is zero when it comes again. */
long memory_brk(u64 addr)
{
	u64 low, high;

	if (process->attached)
		return guest_call(__NR_brk, (long)addr, 0, 0, 0, 0, 0);
	lock(&xl_lock);
	if (addr >= XL_BRK && addr < XL_BRK + XL_BRK_SIZE) {
		low = PAGE_UP(addr);
		high = PAGE_UP(brk_now);
		if (low < high)
			sys(__NR_madvise, low, high - low, MADV_DONTNEED);
		brk_now = addr;
	}
	low = brk_now;
	unlock(&xl_lock);
	return (long)low;
}
