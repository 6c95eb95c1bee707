/* SPDX-License-Identifier: GPL-2.0-only */
/* ../kit/kit.h for a test program that is a KUnit case */
#ifndef SOFTPT_KUNIT_KIT_H
#define SOFTPT_KUNIT_KIT_H

#include <linux/limits.h>
#include <linux/softpt.h>
#include <linux/types.h>

#define UINT64_MAX	U64_MAX

__printf(2, 3) bool kit_ok(bool cond, const char *format, ...);
__printf(3, 4) bool kit_is(long got, long want, const char *format, ...);
__printf(1, 2) void kit_note(const char *format, ...);
__printf(1, 2) __noreturn void kit_bail(const char *format, ...);
int kit_done(void);
uint64_t kit_random(uint64_t *state);
void kit_event(uint64_t *state, uint64_t *tsc, struct softpt_event *ev);

/* Kbuild names the programs, and has their main()s be functions of this kind of name. */
#ifdef main
int main(void);
#endif
#ifdef PROGRAMS
#define X(program) int softpt_kunit_##program(void);
PROGRAMS(X)
#undef X
#endif

#endif
