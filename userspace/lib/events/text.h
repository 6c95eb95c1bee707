/* SPDX-License-Identifier: BSD-2-Clause */
/* The event text: one event per line, TIME KIND ARGS (Documentation/reference/events.rst) */
#ifndef SOFTPT_EVENTS_TEXT_H
#define SOFTPT_EVENTS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <linux/softpt.h>

#include "base/lines.h"

#define EVENT_TEXT_MAX	192	/* bytes that any event fits as text */

/**
 * event_parse() - one line of event text
 * @line: the line, with or without its line feed
 * @now: time of the event before it; moved to this event's
 * @ev: filled in
 * @e: on an error, what is wrong and how to mend it
 *
 * Return: 1; 0 for a line without an event; -EINVAL.
 */
int event_parse(const char *line, uint64_t *now, struct softpt_event *ev, struct error *e);

/**
 * event_print() - an event as a line of event text, without a line feed
 * @buf: filled in
 * @len: bytes of @buf
 * @ev: the event
 *
 * Return: the length of the text, as snprintf() has it; -EINVAL for an unknown kind.
 */
int event_print(char *buf, size_t len, const struct softpt_event *ev);

/* The keyword of a kind of event; NULL: there is none */
const char *event_keyword(unsigned int kind);
/* And the other way. Return: enum softpt_event_kind, or -1 */
int event_keyword_find(const char *name);

/* Events of a file, read one by one; @lines has the error of a call that failed */
struct event_reader {
	struct lines lines;
	uint64_t now;
};

/**
 * event_reader_open() - open event text
 * @r: filled in
 * @path: a file, or "-" for stdin
 *
 * Return: 0, or -errno.
 */
int event_reader_open(struct event_reader *r, const char *path);

/**
 * event_reader_next() - the next event
 * @r: the reader
 * @ev: filled in
 *
 * Return: 1; 0 at the end; -errno.
 */
int event_reader_next(struct event_reader *r, struct softpt_event *ev);

void event_reader_close(struct event_reader *r);

/* All events of a file, and the line of each */
struct event_list {
	struct softpt_event *ev;
	uint64_t *line;
	size_t n;
	size_t alloc;
};

/**
 * event_list_read() - read a whole file
 * @list: all zero; event_list_free() it in any case
 * @path: a file, or "-" for stdin
 * @e: on an error, which line is wrong and why
 *
 * Return: 0, or -errno.
 */
int event_list_read(struct event_list *list, const char *path, struct error *e);

void event_list_free(struct event_list *list);

#endif /* SOFTPT_EVENTS_TEXT_H */
