// SPDX-License-Identifier: BSD-2-Clause
#include "ask.h"

#include "../semaphore.h"
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

/* Answers are written to two places by turns: what was read is right if there is no newer one. */
void ask_answered(void)
{
	const struct softpt_xl_place *said;
	bool native = false;
	u32 edition, nr;

	do {
		edition = __atomic_load_n(&process->edition, __ATOMIC_ACQUIRE);
		nr = READ_ONCE(process->places[edition & 1]);
		said = area_at(softpt_xl_places_at(edition));
		door_take(said, min(nr, SOFTPT_XL_PLACES));
		semaphore_take(said, min(nr, SOFTPT_XL_PLACES));
		if (edition && READ_ONCE(process->known) && !READ_ONCE(process->made))
			native = breaks_set(said, nr);
	} while (__atomic_load_n(&process->edition, __ATOMIC_ACQUIRE) != edition);
	if (edition)
		__atomic_store_n(&process->native, native, __ATOMIC_SEQ_CST);
	if (READ_ONCE(process->made))
		WRITE_ONCE(process->native, 0);
}

void ask_places(void)
{
	const struct softpt_xl_shared *shared = (void *)(uintptr_t)process->map;

	if (!READ_ONCE(shared->asks))
		return;
	wait_for(__atomic_add_fetch(&process->asked, 1, __ATOMIC_SEQ_CST));
	lock(&xl_lock);
	ask_answered();
	unlock(&xl_lock);
}
