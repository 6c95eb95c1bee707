/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figure 8 of US 5,996,092: the acquisition buffer behind the pins. It begins at an SE, and stops
 * some time after a TE, so that a reader who starts at its first SE has at least so many clocks
 * before the TE. (Documentation/reference/port.rst)
 */
#ifndef SOFTPT_SIM_PORT_BUFFER_H
#define SOFTPT_SIM_PORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT_NEVER	UINT64_MAX

/**
 * struct port_mark - an SE
 * @clock: of it
 * @at: the byte of the stream where its clock begins
 * @sampled: a reader who starts here knows LR and CTR, whatever happens until they are sent
 * @dated: its offset counter had not run over when it was sent
 */
struct port_mark {
	uint64_t clock;
	uint64_t at;
	bool sampled;
	bool dated;
};

/**
 * struct port_fragment - what the buffer holds as it stops
 * @bytes: symbols
 * @len: bytes of them
 * @clock: of the first
 * @te: the clock of the TE; without @has_te the trace ended before one
 * @end: the clock behind the last
 * @has_te: @te is the clock of a TE
 * @whole: the history is there
 */
struct port_fragment {
	const uint8_t *bytes;
	size_t len;
	uint64_t clock;
	uint64_t te;
	uint64_t end;
	bool has_te;
	bool whole;
};

/**
 * struct port_buffer - the acquisition buffer
 * @history: clocks before the TE
 * @depth: clocks in all, at least
 * @after: clocks behind the one in which the TE is sent, at least
 * @nth: it stops for the TE of this number
 * @te: clock of the TE
 * @left: TEs until the one it stops for
 * @end: the clock in which it stops; PORT_NEVER: no TE yet
 * @entered: entries of the FIFO that are to be sent
 * @first: clock of the trace
 * @buf: bytes of the stream
 * @len: bytes of @buf that are used
 * @alloc: bytes of @buf
 * @base: where in the stream @buf begins
 * @mark: SEs
 * @marks: how many
 * @room: entries of @mark
 * @from: the clock that the fragment begins with
 * @at: and the byte of the stream
 * @whole: the history is there
 */
struct port_buffer {
	uint64_t history;
	uint64_t depth;
	uint64_t after;
	uint64_t nth;

	uint64_t te;
	uint64_t left;		/* TEs */
	uint64_t end;
	uint64_t entered;	/* of the FIFO, that is to be sent */
	uint64_t first;		/* clock of the trace */
	uint8_t *buf;
	size_t len, alloc;
	uint64_t base;		/* where in the stream @buf begins */
	struct port_mark *mark;
	size_t marks, room;
	uint64_t from;		/* the clock that the fragment begins with */
	uint64_t at;		/* and the byte of the stream */
	bool whole;
};

/* @history, @depth, @after and @nth are set; the trace begins. */
void port_buffer_begin(struct port_buffer *b, uint64_t clock);
void port_buffer_free(struct port_buffer *b);

/* The stream goes on. Return: 0 or -ENOMEM */
int port_buffer_put(struct port_buffer *b, const void *bytes, size_t len);

/* SE IAR enters in @clock, which begins with the next byte. Return: 0 or -ENOMEM */
int port_buffer_se(struct port_buffer *b, uint64_t clock);

/* The newest SE, or NULL */
struct port_mark *port_buffer_newest(struct port_buffer *b);

/**
 * port_buffer_te() - a TE in @clock
 * @b: the buffer
 * @clock: when it is
 * @entered: entries that the FIFO has had so far
 *
 * Return: whether the buffer will stop for it.
 */
bool port_buffer_te(struct port_buffer *b, uint64_t clock, uint64_t entered);

/* @clock begins, and so many entries have been sent: is it time to stop? */
static inline bool port_buffer_due(const struct port_buffer *b, uint64_t clock, uint64_t sent)
{
	return clock >= b->end && sent >= b->entered;
}

/* What it holds up to @clock, where it stops; valid until the next call */
struct port_fragment port_buffer_take(struct port_buffer *b, uint64_t clock);

/* It was taken: wait for the next TEs. */
void port_buffer_rearm(struct port_buffer *b);

#endif /* SOFTPT_SIM_PORT_BUFFER_H */
