// SPDX-License-Identifier: BSD-2-Clause
#include "share.h"

#include <linux/mman.h>

#include "code/describe.h"
#include "layout.h"
#include "sys.h"

/* The area of what this process has executed before is not written to any more. */
static void end_former(u8 *map)
{
	u32 pid = (u32)sys_pid(), i;

	for (i = 0; i < SOFTPT_XL_PROCESSES; i++) {
		struct softpt_xl_process *p = (void *)(map + softpt_xl_area(i));

		if (i >= ((struct softpt_xl_shared *)map)->taken)
			return;
		if (p->pid == pid && p->state == SOFTPT_XL_LIVE)
			__atomic_store_n(&p->state, SOFTPT_XL_ENDED, __ATOMIC_RELEASE);
	}
}

void share_join(int fd)
{
	long at = sys(__NR_mmap, XL_SHARED, SOFTPT_XL_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, fd, 0);
	struct softpt_xl_shared *s = (void *)at;

	if (at < 0 || s->magic != SOFTPT_XL_MAGIC)
		die("no file that a recorder shares", (u64)fd);
	sys(__NR_madvise, at, SOFTPT_XL_SIZE, MADV_DONTDUMP);
	sys(__NR_close, fd);
	end_former((u8 *)at);
	area_take((void *)at, 0);
}
