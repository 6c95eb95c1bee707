/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters: the classes of events, what is counted as text, and which registers
 * count it. (Documentation/reference/counters.rst)
 */
#ifndef SOFTPT_COUNTERS_H
#define SOFTPT_COUNTERS_H

#include "softpt.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define SOFTPT_CLASS_SUBS	16

/**
 * struct softpt_class - a class of events
 * @name: as a specification has it; ext8 where class 8 is free
 * @what: what its events are, "" where it is free
 * @sub: names of its subclasses by bit, NULL where there is none
 * @sub_what: what they are
 * @clocks: an event's count is clocks of a duration, not occurrences
 * @subarea: 0 to 23
 * @area: 0 to 3
 * @first: the first counter of this area
 * @last: and the last
 */
struct softpt_class {
	char name[24];
	const char *what;
	const char *sub[SOFTPT_CLASS_SUBS];
	const char *sub_what[SOFTPT_CLASS_SUBS];
	bool clocks;
	uint8_t subarea;
	uint8_t area;
	uint8_t first;
	uint8_t last;
};

/**
 * softpt_class_get() - look up a class of events
 * @number: 0 to 63
 * @c: filled in
 *
 * Return: false when there is no such class.
 */
bool softpt_class_get(unsigned int number, struct softpt_class *c);

/**
 * struct softpt_spec - what is counted: the content of an ESCR
 * @usr: bit n: hardware thread n at CPL 1 to 3
 * @os: bit n: hardware thread n at CPL 0
 * @mask: subclasses
 * @event_class: 0 to 63
 */
struct softpt_spec {
	uint32_t usr;
	uint32_t os;
	uint16_t mask;
	uint8_t event_class;
};

/* Bytes that any specification fits as text */
#define SOFTPT_SPEC_MAX	640

/**
 * softpt_spec_parse() - read what is to be counted
 * @spec: filled in, where the text is right
 * @text: CLASS[/SUBMASK][:QUAL...]; class a name or a number; submask a number, or
 *	names and numbers joined by +, all if left out; quals `u`, `k`, `t3`, `t3u`, `t3k`,
 *	with colons or blanks between, all threads and levels if left out
 * @why: one line that says what is wrong
 * @len: bytes at @why
 *
 * Return: 0 or -EINVAL.
 */
int softpt_spec_parse(struct softpt_spec *spec, const char *text, char *why, size_t len);

/**
 * softpt_spec_print() - the shortest text of a specification, with names
 * @buf: where it goes, terminated
 * @len: bytes at @buf; SOFTPT_SPEC_MAX is enough
 * @spec: what is counted
 *
 * Return: bytes of the whole text, without the terminator; -EINVAL for a class above 63.
 */
int softpt_spec_print(char *buf, size_t len, const struct softpt_spec *spec);

/**
 * softpt_spec_quals() - its threads and privilege levels: `t0u t0k`, `u`, `k`; none is ""
 * @buf: where it goes, terminated
 * @len: bytes at @buf; SOFTPT_SPEC_MAX is enough
 * @spec: what is counted
 * @between: what goes between two of them
 *
 * Return: bytes of the whole text, without the terminator.
 */
int softpt_spec_quals(char *buf, size_t len, const struct softpt_spec *spec, char between);

/**
 * struct softpt_plan - which registers count what; all zero is a plan of nothing
 * @escrs: a bit for each ESCR that is set
 * @counters: a bit for each counter that is set
 * @spec: what each of them counts
 * @escr: to be set by SOFTPT_SET_ESCR
 * @counter: to be set by SOFTPT_SET_COUNTER; flags and preset are the caller's
 */
struct softpt_plan {
	uint64_t escrs;
	uint32_t counters;
	struct softpt_spec spec[SOFTPT_COUNTERS];
	struct softpt_escr escr[SOFTPT_ESCRS];
	struct softpt_counter counter[SOFTPT_COUNTERS];
};

#define SOFTPT_ANY_COUNTER	(-1)

/**
 * softpt_plan_add() - find the registers for one more event
 * @plan: what is planned so far
 * @counter: 0 to 17, or SOFTPT_ANY_COUNTER for one that is free
 * @spec: what it is to count; who counts the same shares an ESCR
 * @why: one line that says what cannot be, and what could
 * @len: bytes at @why
 *
 * Return: the counter's number; -EINVAL for a number out of range, -EXDEV for a
 * counter of another area, -EBUSY where all that could count it are taken.
 */
int softpt_plan_add(struct softpt_plan *plan, int counter, const struct softpt_spec *spec,
		    char *why, size_t len);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_COUNTERS_H */
