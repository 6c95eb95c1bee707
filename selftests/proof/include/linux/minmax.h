/* SPDX-License-Identifier: GPL-2.0-only */
/* What kmod/ring/ring.h takes of the kernel's, for Frama-C */
#define min3(a, b, c) min(min(a, b), c)
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
