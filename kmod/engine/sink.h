/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where packets go */
#ifndef _SOFTPT_ENGINE_SINK_H
#define _SOFTPT_ENGINE_SINK_H

#include "../types.h"

/* What softpt_engine_event() returns when the sink has no room for the event */
#define SOFTPT_MORE		1

/* Room that one thing that is due needs: a tick, a wrap, or a live gap with both its anchors */
#define SOFTPT_STEP_ROOM	80

/**
 * struct softpt_sink - where the engine writes
 * @cur: the next byte goes here
 * @end: there is room up to here
 */
struct softpt_sink {
	u8 *cur;
	u8 *end;
};

#endif /* _SOFTPT_ENGINE_SINK_H */
