/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sequentially: order between CPUs is no part of the proof. What the other side stores is
 * any value there at the moment of the load.
 */
#define READ_ONCE(x)			(x)
#define WRITE_ONCE(x, v)		((x) = (v))
#define smp_load_acquire(p)		(*(p))
#define smp_store_release(p, v)		(*(p) = (v))
#define smp_wmb()			do { } while (0)
