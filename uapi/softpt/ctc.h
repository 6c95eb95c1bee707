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

/* From one MTC tick to the next, without a division */

/**
 * struct softpt_ticks - where MTC ticks lie
 * @p: TSC ticks of a CTC tick
 * @span: TSC ticks of an MTC period, rounded down
 * @rem: what that leaves, in 1/EAX: 2^N * EBX mod EAX
 * @mtc_freq: N
 */
struct softpt_ticks {
	struct softpt_ratio p;
	__u64 span;
	__u32 rem;
	__u32 mtc_freq;
};

/**
 * struct softpt_tick - one of them
 * @index: its number; the payload of its MTC is the low byte
 * @tsc: its TSC
 * @frac: what rounding up added to @tsc, in 1/EAX: @tsc * EAX - @index * 2^N * EBX
 */
struct softpt_tick {
	__u64 index;
	__u64 tsc;
	__u32 frac;
};

static inline void softpt_ticks_set(struct softpt_ticks *t, struct softpt_ratio p,
				    unsigned int mtc_freq)
{
	__u64 span = (__u64)p.ebx << mtc_freq;

	t->p = p;
	t->span = span / p.eax;
	t->rem = span % p.eax;
	t->mtc_freq = mtc_freq;
}

static inline void softpt_tick_seek(const struct softpt_ticks *t, struct softpt_tick *tick,
				    __u64 index)
{
	__u64 part = (__u64)t->rem * (index % t->p.eax) % t->p.eax;

	tick->index = index;
	tick->tsc = softpt_tsc_of_tick(t->p, t->mtc_freq, index);
	tick->frac = part ? t->p.eax - part : 0;
}

static inline void softpt_tick_next(const struct softpt_ticks *t, struct softpt_tick *tick)
{
	__u32 frac = tick->frac;

	tick->index++;
	tick->tsc += t->span;
	if (frac < t->rem) {
		frac += t->p.eax;
		tick->tsc++;
	}
	tick->frac = frac - t->rem;
}

/* @n ticks further: fewer than 2^32, so that nothing overflows */
static inline void softpt_tick_skip(const struct softpt_ticks *t, struct softpt_tick *tick, __u64 n)
{
	__u64 rem = n * t->rem, up = 0;
	__u32 frac = tick->frac;

	if (frac < rem)
		up = (rem - frac + t->p.eax - 1) / t->p.eax;
	tick->index += n;
	tick->tsc += n * t->span + up;
	tick->frac = frac + up * t->p.eax - rem;
}

#endif /* _SOFTPT_CTC_H */
