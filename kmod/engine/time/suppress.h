/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Suppression of periodic timing packets in low-density trace (US 12,386,726).
 *
 * A state machine in tick integers, free of everything else, so that it can be
 * proved. @credit is the number of MTCs that may still be sent before suppression
 * starts: the threshold N after every NTP (claim 1), the burst B after a resume on
 * payload (claim 3) or count (claims 4, 5).
 */
#ifndef _SOFTPT_SUPPRESS_H
#define _SOFTPT_SUPPRESS_H

#include <linux/softpt.h>
#include "../../types.h"

struct softpt_suppressor {
	u32 credit;		/* MTCs until suppression starts; 0: suppressing */
	u32 suppressed;		/* MTCs suppressed in a row */
	u32 full;		/* credit after an NTP: N; if off, anything but 0 */
	u8 threshold;		/* N; 0: off */
	u8 burst;		/* B */
	u8 resume;		/* enum softpt_resume */
	u8 value;		/* V or M */
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

/* A non-timing packet, or a TNT bit, really was generated. */
static inline void softpt_suppressor_ntp(struct softpt_suppressor *s)
{
	s->credit = s->full;
	s->suppressed = 0;
}

/* An MTC was sent; never called while credit is 0. */
static inline void softpt_suppressor_sent(struct softpt_suppressor *s)
{
	if (s->threshold && --s->credit == 0)
		s->suppressed = 0;
}

/*
 * While suppressing: how many of the next @owed ticks, @tick being the first, are
 * suppressed. When fewer than @owed are, the tick after them is to be sent.
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
