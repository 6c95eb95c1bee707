/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * TSC, CTC and MTC ticks, exactly: P = EBX / EAX TSC ticks per CTC tick, both
 * counting from the same zero, so CTC = floor(TSC * EAX / EBX). All in 64-bit
 * integers without rounding error, for any TSC. (SDM, "MTC Timing", "TMA")
 */
#ifndef _SOFTPT_CTC_H
#define _SOFTPT_CTC_H

#include <linux/types.h>

struct softpt_ratio {
	__u32 ebx;
	__u32 eax;
};

/* floor(tsc * EAX / EBX); EBX >= EAX, so nothing overflows */
static inline __u64 softpt_ctc_of_tsc(struct softpt_ratio p, __u64 tsc)
{
	return tsc / p.ebx * p.eax + tsc % p.ebx * p.eax / p.ebx;
}

/* The first TSC of a CTC value: ceil(ctc * EBX / EAX) */
static inline __u64 softpt_tsc_of_ctc(struct softpt_ratio p, __u64 ctc)
{
	return ctc / p.eax * p.ebx + (ctc % p.eax * p.ebx + p.eax - 1) / p.eax;
}

/* Index of the last MTC tick at or before a TSC: CTC >> N; the payload is its low byte */
static inline __u64 softpt_tick_of_tsc(struct softpt_ratio p, unsigned int mtc_freq, __u64 tsc)
{
	return softpt_ctc_of_tsc(p, tsc) >> mtc_freq;
}

/* The TSC of an MTC tick */
static inline __u64 softpt_tsc_of_tick(struct softpt_ratio p, unsigned int mtc_freq, __u64 tick)
{
	return softpt_tsc_of_ctc(p, tick << mtc_freq);
}

#endif /* _SOFTPT_CTC_H */
