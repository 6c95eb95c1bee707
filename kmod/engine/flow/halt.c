// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../time/cycles.h"
#include "../time/ticks.h"
#include "filter.h"
#include "halt.h"

void softpt_clocks_start(struct softpt_engine *e, u64 tsc)
{
	softpt_cycles_start(e, tsc);
	softpt_ticks_start(e, tsc);
	e->mtc.missing = 0;
	softpt_suppressor_ntp(&e->mtc.sup);
}

void softpt_halt(struct softpt_engine *e)
{
	e->trigger_en = false;
	softpt_cycles_stop(e, e->now);
	e->cycles.n = 0;
	e->cycles.rem = 0;
	softpt_ticks_stop(e);
	e->shadow.n = 0;
	e->mtc.missing = 0;
	softpt_context_update(e);
}
