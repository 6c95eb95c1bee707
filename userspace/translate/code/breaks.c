// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that has come to a breakpoint looks for it without a lock. So the table that it may look
 * at is never changed: another is made, and takes its place. An INT3 is written when it is in the
 * table, and not before.
 */
#include <linux/mman.h>

#include "../sys.h"
#include "breaks.h"

#define INT3		0xcc
#define BITS		14
#define PLACES		(1u << BITS)

/* A hash table of addresses: 0 is empty */
struct table {
	u64 addr[PLACES];
	u8 code[PLACES][8];	/* the program's, from there on */
	u32 nr;
};

static struct table tables[2];
static struct table *table = &tables[0];

/* Its place, or an empty one: there always is one */
static u32 place_of(const struct table *t, u64 addr)
{
	u32 i = (u32)addr * 0x9e3779b1u >> (32 - BITS);

	while (t->addr[i] && t->addr[i] != addr)
		i = (i + 1) % PLACES;
	return i;
}

static bool has(const struct table *t, u64 addr)
{
	return t->nr && addr && t->addr[place_of(t, addr)] == addr;
}

bool breaks_at(u64 addr)
{
	return has(__atomic_load_n(&table, __ATOMIC_ACQUIRE), addr);
}

void breaks_hide(u64 addr, u8 *code, u32 n)
{
	const struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	u32 i;

	for (i = 0; t->nr && i < n; i++)
		if (code[i] == INT3 && has(t, addr + i))
			code[i] = t->code[place_of(t, addr + i)][0];
}

/* By the kernel: where a recorder has called nobody handles a fault. Return: whether it is there */
static bool read_code(u64 addr, u8 *code, u32 n)
{
	const u64 to[2] = { (uintptr_t)code, n }, from[2] = { addr, n };

	return sys(__NR_process_vm_readv, sys_tid(), to, 1, from, 1, 0) == (long)n;
}

static bool is_set(u64 addr)
{
	u8 code;

	return read_code(addr, &code, 1) && code == INT3;
}

/* Code that other threads may be executing. Return: whether it can be written to */
static bool poke(u64 addr, u8 code)
{
	void *page = (void *)(uintptr_t)PAGE_DOWN(addr);

	if (sys(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	__atomic_store_n((u8 *)(uintptr_t)addr, code, __ATOMIC_SEQ_CST);
	return !sys(__NR_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
}

/* Whether memory has @code there, up to the end of the page */
static bool matches(u64 addr, const u8 *code, u32 n)
{
	const u32 len = (u32)min_t(u64, n, PAGE - (addr & (PAGE - 1)));
	u8 here[8];

	if (!read_code(addr, here, len))
		return false;
	breaks_hide(addr, here, len);
	for (n = 0; n < len; n++)
		if (here[n] != code[n])
			return false;
	return true;
}

/* What is to be there. Return: whether all system calls are */
static bool fill(struct table *t, const struct softpt_xl_place *said, u32 nr)
{
	struct softpt_xl_place p;
	bool all = nr <= SOFTPT_XL_PLACES;
	u64 addr;
	u32 i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < nr && i < SOFTPT_XL_PLACES; i++) {
		memcpy(&p, &said[i], sizeof(p));
		addr = p.addr & ~SOFTPT_XL_PLACE_CALL;
		if (!addr || addr & SOFTPT_XL_PLACE_SEMAPHORE || has(t, addr))
			continue;
		if (p.role == SOFTPT_XL_ROLE_STOP)	/* who is native is not recorded */
			continue;
		if (!matches(addr, p.code, sizeof(p.code))) {
			all &= addr == p.addr;
			continue;
		}
		memcpy(t->code[place_of(t, addr)], p.code, sizeof(p.code));
		t->addr[place_of(t, addr)] = addr;
		t->nr++;
	}
	return all;
}

/* A breakpoint goes, unless other code is mapped there by now. Return: whether none is there */
static bool take_out(const struct table *t, u32 i)
{
	return !is_set(t->addr[i]) || !matches(t->addr[i], t->code[i], sizeof(t->code[i])) ||
	       poke(t->addr[i], t->code[i][0]);
}

/* Those of @t that @other has not go. Return: whether they do */
static bool remove(const struct table *t, const struct table *other)
{
	bool all = true;
	u32 i;

	for (i = 0; i < PLACES; i++)
		if (t->addr[i] && !has(other, t->addr[i]))
			all &= take_out(t, i);
	return all;
}

bool breaks_set(const struct softpt_xl_place *said, u32 nr)
{
	const struct table *old = table;
	struct table *new = &tables[old == &tables[0]];
	bool all = fill(new, said, nr);
	u32 i;

	if (!remove(old, new))
		return false;	/* some stay, and with them the table that has them */
	__atomic_store_n(&table, new, __ATOMIC_RELEASE);
	for (i = 0; i < PLACES && all; i++)
		if (new->addr[i] && !is_set(new->addr[i]))
			all = poke(new->addr[i], INT3);
	return all;
}

void breaks_leave(u64 from, u64 to)
{
	u32 i;

	for (i = 0; i < PLACES; i++)
		if (table->addr[i] >= from && table->addr[i] < to)
			take_out(table, i);
}

bool breaks_end(void)
{
	static const struct table none;

	return remove(table, &none);
}
