/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Suppression of periodic timing packets in low-density trace (US 12,386,726).
 *
 * A state machine in tick integers. It knows nothing else, so that it can be proved.
 */
#ifndef _SOFTPT_SUPPRESS_H
#define _SOFTPT_SUPPRESS_H

#include <linux/softpt.h>
#include "../../types.h"

/**
 * struct softpt_suppressor - which MTCs are suppressed
 * @credit: MTCs that are sent before suppression starts; 0: MTCs are suppressed. It is N after
 *	each NTP (claim 1), and B after a resume on payload (claim 3) or count (claims 4, 5)
 * @suppressed: MTCs suppressed in a row
 * @full: @credit after an NTP: N; without suppression any value but 0
 * @threshold: N; 0: without suppression
 * @burst: B
 * @resume: enum softpt_resume
 * @value: V of the payload, or M of the count
 */
struct softpt_suppressor {
	u32 credit;
	u32 suppressed;
	u32 full;
	u8 threshold;
	u8 burst;
	u8 resume;
	u8 value;
};

static inline void softpt_suppressor_init(struct softpt_suppressor *s,
					  const struct softpt_config *cfg)
{
	s->threshold = cfg->suppress;
	s->burst = cfg->burst ? cfg->burst : cfg->suppress;
	s->resume = cfg->resume;
	s->value = cfg->resume_value;
	s->full = s->threshold ? s->threshold : 1;
	s->credit = s->full;
	s->suppressed = 0;
}

/* A non-timing packet (NTP) or a TNT bit was generated. */
static inline void softpt_suppressor_ntp(struct softpt_suppressor *s)
{
	s->credit = s->full;
	s->suppressed = 0;
}

/* An MTC was sent. Must not be called while @credit is 0. */
static inline void softpt_suppressor_sent(struct softpt_suppressor *s)
{
	if (s->threshold && --s->credit == 0)
		s->suppressed = 0;
}

/*
 * While @credit is 0: suppress of the next @owed ticks, the first of which is @tick. Return: how
 * many are suppressed. If they are fewer than @owed, the tick after them is sent.
 */
static inline u64 softpt_suppressor_suppress(struct softpt_suppressor *s, u64 tick, u64 owed)
{
	u64 n = owed;

	if (s->resume == SOFTPT_RESUME_COUNT)
		n = s->value - s->suppressed;
	else if (s->resume == SOFTPT_RESUME_PAYLOAD)
		n = (u8)(s->value - tick);
	if (n >= owed) {
		s->suppressed += owed;
		return owed;
	}
	s->suppressed = 0;
	s->credit = s->burst;
	return n;
}

#endif /* _SOFTPT_SUPPRESS_H */
