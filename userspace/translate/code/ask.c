// SPDX-License-Identifier: BSD-2-Clause
#include "ask.h"

#include "../sys.h"
#include "breaks.h"
#include "describe.h"
#include "door.h"
#include "record.h"
#include "translate.h"

/* Until the recorder has answered question @mine */
static void wait_for(u32 mine)
{
	unsigned int waits = 0;

	while ((s32)(__atomic_load_n(&process->answered, __ATOMIC_ACQUIRE) - mine) < 0 &&
	       !recorder_gone(waits++))
		sys_nap(50);
}

void ask_doors_taken(void)
{
	door_take(area_at(SOFTPT_XL_DOORS_AT), READ_ONCE(process->doors));
	breaks_take(area_at(SOFTPT_XL_BREAKS_AT), READ_ONCE(process->breaks));
}

void ask_doors(void)
{
	const struct softpt_xl_shared *shared = (void *)(uintptr_t)process->map;

	if (!READ_ONCE(shared->asks))
		return;
	wait_for(__atomic_add_fetch(&process->asked, 1, __ATOMIC_SEQ_CST));
	lock(&xl_lock);
	ask_doors_taken();
	unlock(&xl_lock);
}
