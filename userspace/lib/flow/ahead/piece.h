/* SPDX-License-Identifier: BSD-2-Clause */
/* A piece of a stream, between two PSBs about, and the steps of a walk through it */
#ifndef SOFTPT_FLOW_AHEAD_PIECE_H
#define SOFTPT_FLOW_AHEAD_PIECE_H

#include <stdbool.h>
#include <stdint.h>

#include "code/symbols.h"
#include "code/view.h"
#include "flow/ahead/shared.h"
#include "flow/step.h"
#include "flow/walk.h"

#define FLOW_CHUNK_STEPS	512
#define FLOW_PIECE_CHUNKS	96	/* at a time: who walks it waits for who takes the steps */

/* Steps in a row; what is noted of each is no thread's but the reader's any more. */
struct flow_chunk {
	struct flow_chunk *next;
	unsigned int n;
	uint8_t note[FLOW_CHUNK_STEPS];
	struct flow_step step[FLOW_CHUNK_STEPS];
};

/* A place that another walk may come to as well: it goes on with the steps behind it. */
struct flow_meeting {
	bool known;
	uint64_t past;		/* flow_walk_past() */
	uint64_t digest;	/* flow_walk_digest() */
	size_t steps;		/* of the piece, up to there */
};

enum flow_piece_state {
	FLOW_PIECE_QUEUED,
	FLOW_PIECE_WALKED,	/* by a thread */
	FLOW_PIECE_DONE,
};

/**
 * struct flow_piece - what is to be walked, and what came of it
 * @crew: who walks it
 * @in: the recording
 * @stream: the stream
 * @begin: offset of a PSB
 * @end: where the next piece begins
 * @until: as the file counts time: what runs there, and its code, is known up to here
 * @image: its code
 * @symbols: its names, for this piece alone
 * @next: behind it in the stream
 * @queued: behind it in the queue of @crew (this and all below under @crew->lock)
 * @state: who has it. @walk is the thread's until it is FLOW_PIECE_DONE
 * @stop: it is not to be walked on
 * @walk: the walk, behind the last step; NULL: without memory, or it has not begun
 * @first: steps that were not taken yet
 * @last: of those
 * @chunks: how many
 * @meeting: its first, once it has one
 */
struct flow_piece {
	struct flow_crew *crew;
	const struct input *in;
	const struct input_stream *stream;
	uint64_t begin;
	uint64_t end;
	uint64_t until;
	struct code_image *image;
	struct symbols *symbols;
	struct flow_piece *next;
	struct flow_piece *queued;
	enum flow_piece_state state;
	bool stop;
	struct flow_walk *walk;
	struct flow_chunk *first;
	struct flow_chunk *last;
	unsigned int chunks;
	struct flow_meeting meeting;
};

/* With room for steps, but none yet. Return: NULL without memory */
struct flow_chunk *flow_chunk_new(struct flow_crew *crew);
/* They were taken; @chunk may be NULL. */
void flow_chunk_free(struct flow_crew *crew, struct flow_chunk *chunk);

/* Whether walks are compared behind a step: all walks make it, whatever they have noted. */
static inline bool flow_step_meets(const struct flow_step *step)
{
	return step->packet != FLOW_NO_PACKET &&
	       (step->kind == FLOW_CALL || step->kind == FLOW_RETURN || step->kind == FLOW_END);
}

/* By a thread of the crew: all of it, up to @end or @until. */
void flow_piece_walk(struct flow_piece *piece, struct code_view *view);

/*
 * By who takes the steps, and has come to the piece. It waits for no thread to take the piece: all
 * of them may wait for steps of other pieces to be taken.
 *
 * Return: false: there is none, and none is waited for
 */
bool flow_piece_meeting(struct flow_piece *piece, struct flow_meeting *meeting);
/* The next steps, for flow_chunk_free(). NULL: all were taken, and @walk is the caller's */
struct flow_chunk *flow_piece_take(struct flow_piece *piece);
/* It is stopped; its walk is not freed. */
void flow_piece_free(struct flow_piece *piece);

#endif /* SOFTPT_FLOW_AHEAD_PIECE_H */
