/* SPDX-License-Identifier: BSD-2-Clause */
/* What the guest tests share: TAP lines, and the calls of the device. */
#ifndef SOFTPT_KIT_H
#define SOFTPT_KIT_H

#ifdef __KERNEL__
#include "selftests/guest/kunit/kit.h"
#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/softpt.h>

/* ---- TAP ---- */

/* One line, and @cond; the format is the test's name. */
bool kit_ok(bool cond, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line that says why */
void kit_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Nothing can be tested: a failed line, and exit */
void kit_bail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The plan; what main() returns */
int kit_done(void);

/*
 * A call is tested by what it returns: -errno, a number of bytes, or with 0 any success. So what
 * is no call, and is to be 0, is for kit_ok().
 */
bool kit_is(long got, long want, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- the device: each returns what the call did, or -errno ---- */

int kit_open(void);
long kit_ioctl(int fd, unsigned long cmd, const void *arg);
int kit_session(int dev);
int kit_unit(int session, unsigned int cpu);
long kit_configure(int session, const struct softpt_config *config);
long kit_source(int session, unsigned int kind, const struct softpt_synth *synth);
long kit_enable(int session);
/* Configure and enable it. Return: its unit, of CPU 0 */
int kit_begin(int session, const struct softpt_config *config);
long kit_disable(int session);
struct softpt_status kit_status(int unit);
struct softpt_config kit_config(void);
ssize_t kit_read(int fd, void *to, size_t n);
ssize_t kit_write(int fd, const void *from, size_t n);

/* ---- a mapped unit ---- */

struct kit_map {
	struct softpt_reader *reader;
	const volatile struct softpt_control *control;
	const uint8_t *data;
	size_t size;
};

int kit_map(int unit, size_t ring, struct kit_map *map);
/* Another ring of it, whose page 0 is at @at */
int kit_map_at(int unit, off_t at, size_t ring, struct kit_map *map);
void kit_unmap(struct kit_map *map);
/* Bytes that are there, contiguous at *bytes */
size_t kit_peek(const struct kit_map *map, const uint8_t **bytes);
void kit_consume(struct kit_map *map, size_t n);

/* ---- a child in poll() ---- */

struct kit_sleeper {
	pid_t pid;
	int from;
	short got;		/* 0: a minute has passed */
	long slept;		/* times: once, and again after each wake-up for nothing */
};

void kit_sleep(struct kit_sleeper *s, int fd, short events);
/* Wait until it has returned. */
void kit_woken(struct kit_sleeper *s);

/* ---- memory that does not come ---- */

/* Return: what the pages below are watched by, or -errno: this kernel has none. */
int kit_userfault(void);
/* A page that whoever touches it waits for; NULL: there is none */
void *kit_missing(int userfault);
/* A page that holds @n bytes, and that whoever writes to it waits for; NULL: there is none */
void *kit_unwritable(int userfault, const void *bytes, size_t n);
/* The system call that a task sleeps in; -1: none */
long kit_sleeps_in(pid_t tid);
/* Until it sleeps in that. Return: false after a minute */
bool kit_waits(pid_t tid, long nr);

/* ---- events ---- */

/* splitmix64 */
uint64_t kit_random(uint64_t *state);
/* The next of an endless row of valid events of every kind, each later than the last */
void kit_event(uint64_t *state, uint64_t *tsc, struct softpt_event *ev);
/* What the engine makes of @n events, finished: malloc'ed, and its counts */
uint8_t *kit_expect(const struct softpt_config *config, const struct softpt_event *ev, size_t n,
		    struct softpt_counts *counts);
/* @n events from @seed, enabled by the first: malloc'ed */
struct softpt_event *kit_events(uint64_t seed, size_t n);

unsigned int kit_cpus(void);
/* Let a CPU come, or go. Return: whether it did */
bool kit_online(unsigned int cpu, bool on);

#endif /* __KERNEL__ */
#endif
