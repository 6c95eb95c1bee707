// SPDX-License-Identifier: BSD-2-Clause
#include "semaphore.h"

#include "code/translate.h"
#include "sys.h"

#define SEMAPHORES	1024

static u64 raised[SEMAPHORES];
static u32 nr_raised;

/* By the kernel: it may be mapped no more. Return: whether it was done */
static bool add(u64 addr, u16 what)
{
	u16 value;
	const u64 here[2] = { (uintptr_t)&value, sizeof(value) };
	const u64 there[2] = { addr, sizeof(value) };
	const u32 pid = sys_tid();

	if (sys(__NR_process_vm_readv, pid, here, 1, there, 1, 0) != sizeof(value))
		return false;
	value += what;
	return sys(__NR_process_vm_writev, pid, here, 1, there, 1, 0) == sizeof(value);
}

static bool is_said(const struct softpt_xl_place *said, u32 nr, u64 addr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (READ_ONCE(said[i].addr) == (addr | SOFTPT_XL_PLACE_SEMAPHORE))
			return true;
	return false;
}

static bool is_raised(u64 addr)
{
	u32 i;

	for (i = 0; i < nr_raised; i++)
		if (raised[i] == addr)
			return true;
	return false;
}

static void forget(u32 i)
{
	raised[i] = raised[--nr_raised];
}

/* The recorder says no more what is mapped no more. */
void semaphore_take(const struct softpt_xl_place *said, u32 nr)
{
	u64 addr;
	u32 i;

	for (i = nr_raised; i--;)
		if (!is_said(said, nr, raised[i]))
			forget(i);
	for (i = 0; i < nr && nr_raised < SEMAPHORES; i++) {
		addr = READ_ONCE(said[i].addr);
		if ((addr & SOFTPT_XL_PLACE_KINDS) != SOFTPT_XL_PLACE_SEMAPHORE)
			continue;
		addr &= ~SOFTPT_XL_PLACE_SEMAPHORE;
		if (!is_raised(addr) && add(addr, 1))
			raised[nr_raised++] = addr;
	}
}

void semaphore_leave(u64 from, u64 to)
{
	u32 i;

	if (!READ_ONCE(nr_raised))
		return;
	lock(&xl_lock);
	for (i = nr_raised; i--;)
		if (raised[i] >= from && raised[i] < to)
			forget(i);
	unlock(&xl_lock);
}

void semaphore_end(void)
{
	while (nr_raised)
		add(raised[--nr_raised], (u16)-1);
}
