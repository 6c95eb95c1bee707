/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime has no C library: numbers, and the few functions that the compiler calls. */
#ifndef SOFTPT_XL_TYPES_H
#define SOFTPT_XL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kmod/types.h"

#define PAGE		4096ul
#define PAGE_DOWN(x)	((x) & ~(PAGE - 1))
#define PAGE_UP(x)	(((x) + PAGE - 1) & ~(PAGE - 1))
#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

#define barrier()	asm volatile("" : : : "memory")
#define READ_ONCE(x)	(*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

static inline u64 rdtsc(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (u64)high << 32;
}

/* ---- libc.c ---- */

/* "%s", "%d" (unsigned long) and "%x" on stderr, in one write */
void say(const char *format, ...);
/* The program cannot go on: a line on stderr, exit status 125 */
void die(const char *why, u64 at) __attribute__((noreturn));
/* What dies tells the recorder, and not the program's user. */
void die_gently(bool gently);
/* Memory of the runtime's own, where a recorder finds it. @flags: besides. Return: or -errno */
long map_room(size_t size, long flags);
/* The recorder has reserved its place: nothing else is there. */
void rooms_reserved(void);
/* Zeros, for as long as the program runs */
void *take_room(size_t size);
bool str_equal(const char *a, const char *b);
/* @text begins with @prefix: what is behind it, else NULL */
const char *str_behind(const char *text, const char *prefix);
size_t str_len(const char *s);
u64 str_number(const char *s, const char **end);

struct lock {
	int taken;
};

void lock(struct lock *l);
void unlock(struct lock *l);

#endif /* SOFTPT_XL_TYPES_H */
