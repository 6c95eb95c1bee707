// SPDX-License-Identifier: BSD-2-Clause
/*
 * One part or other is full: blocks, links, the code cache, descriptions. Then everything goes,
 * when
 *
 * - no thread is in a translation: each is asked by a signal to leave, and a thread that comes to
 *   the dispatcher waits there (flush_lock());
 * - the recorder has read all records, for they name descriptions that go, too;
 * - no child copies them any more.
 */
#include "code/cache.h"
#include "code/describe.h"
#include "code/link.h"
#include "code/record.h"
#include "code/table.h"
#include "code/translate.h"
#include "flush.h"
#include "sys.h"
#include "threads.h"

static bool flushing;		/* under xl_lock; so is @count */
static u32 count;

void flush_lock(void)
{
	lock(&xl_lock);
	while (flushing) {
		unlock(&xl_lock);
		sys_nap(50);
		lock(&xl_lock);
	}
}

u32 flush_count(void)
{
	return READ_ONCE(count);
}

/* No longer than a second: a child may have been killed while it copied. */
static void wait_for_forks(void)
{
	unsigned int waits = 0;

	while (READ_ONCE(process->forks) && waits++ < 20000)
		sys_nap(50);
}

void flush_if_full(struct thread *t)
{
	if (!cache_full() && !blocks_full() && !links_full() && !describe_full())
		return;
	flushing = true;
	unlock(&xl_lock);
	threads_leave(t);
	record_wait_all_seen();
	wait_for_forks();
	lock(&xl_lock);
	table_clear();
	cache_clear();
	blocks_clear();
	links_clear();
	describe_clear();
	count++;
	flushing = false;
}
