/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event counters qualified by hardware thread and privilege (US 7,448,025).
 *
 *	event -> class select -> subclass mask -> thread and privilege -> counter
 *	         `---------------- ESCR ------------------------------'
 *
 * The counters by themselves, without an engine. (Documentation/reference/counters.rst)
 */
#ifndef _SOFTPT_ENGINE_COUNTER_H
#define _SOFTPT_ENGINE_COUNTER_H

#include <softpt/counters.h>
#include "../parts.h"

/* Counter @k counts @n more; the value has 40 bits. */
void softpt_counter_add(struct softpt_counters *c, unsigned int k, u64 n);

/**
 * softpt_set_escr() - write an event select control register
 * @c: the counters
 * @escr: number and content; @escr->size is not checked
 * @why: set to the reason of an error
 *
 * Return: 0; -EINVAL for a number out of range or a reserved field; -EXDEV when the
 * class belongs to another sub-area; -EBUSY while a counter that uses it is not both
 * stopped and cleared.
 */
int softpt_set_escr(struct softpt_counters *c, const struct softpt_escr *escr, const char **why);

/**
 * softpt_set_counter() - couple a counter to an ESCR, and preset it
 * @c: the counters
 * @counter: number, ESCR and preset; @counter->size is not checked
 * @why: set to the reason of an error
 *
 * Overflows and what threads have counted are cleared.
 *
 * Return: 0; -EINVAL for a number, a preset or a flag out of range; -EXDEV for an
 * ESCR of another area; -EBUSY while it runs, and for another ESCR until it was
 * cleared.
 */
int softpt_set_counter(struct softpt_counters *c, const struct softpt_counter *counter,
		       const char **why);

/**
 * softpt_counter_preset() - give a counter a value to count on from
 * @c: the counters
 * @k: a counter that is set
 * @preset: the value, below 2^40
 *
 * Overflows and what threads have counted are cleared.
 */
void softpt_counter_preset(struct softpt_counters *c, unsigned int k, u64 preset);

/**
 * softpt_count_check() - check the arguments of softpt_count_control()
 * @c: the counters
 * @args: @args->size is not checked
 * @why: set to the reason of an error
 *
 * Return: 0; -EINVAL for a bit that is no counter's, a counter to start that was
 * never set, an unknown flag, flags that contradict each other, a reserved field.
 */
int softpt_count_check(const struct softpt_counters *c, const struct softpt_count_args *args,
		       const char **why);

/**
 * softpt_counters_control() - softpt_count_control() of counters without an engine
 * @c: the counters
 * @tsc: the instant
 * @args: accepted by softpt_count_check()
 */
void softpt_counters_control(struct softpt_counters *c, u64 tsc,
			     const struct softpt_count_args *args);

/**
 * softpt_counters_stamp() - the time-stamp counter
 * @c: the counters
 * @tsc: now
 *
 * Return: its value.
 */
u64 softpt_counters_stamp(const struct softpt_counters *c, u64 tsc);

/**
 * softpt_counters_read() - read all counters; nothing is cleared
 * @c: the counters
 * @tsc: now
 * @v: flags and thread are read, all else but the size is written
 */
void softpt_counters_read(const struct softpt_counters *c, u64 tsc,
			  struct softpt_counter_values *v);

#endif /* _SOFTPT_ENGINE_COUNTER_H */
