// SPDX-License-Identifier: BSD-2-Clause
#include "flow/ahead/ahead.h"

#include <stdlib.h>

#include <softpt/perf.h>

#include "flow/ahead/cut.h"
#include "flow/ahead/piece.h"

#define TSC_MASK	((1ull << 56) - 1)
#define PIECE_BYTES	(192 << 10)	/* of a piece, at least */

/**
 * struct flow_ahead - a stream
 * @crew: who walks its pieces
 * @in: the recording
 * @stream: the stream
 * @process: whose code and names pieces are walked with; NULL: none are
 * @image: the code of the lane's walk
 * @until: pieces end there
 * @now: the piece that steps come from; NULL: the lane walks by itself
 * @chunk: steps of it; NULL: none at hand
 * @at: how many of @chunk were taken
 * @skip: steps of @now that the walk before has made
 * @begun: flow_walk_begun() of the one walk that there would be
 * @next: pieces that lie ahead
 * @last: of those
 * @n: how many
 * @cut: where the next one begins; its offset is 0: to be looked for
 * @tsc: of the newest step that was looked at
 */
struct flow_ahead {
	struct flow_crew *crew;
	const struct input *in;
	const struct input_stream *stream;
	struct flow_process *process;
	struct code_image *image;
	uint64_t until;
	struct flow_piece *now;
	struct flow_chunk *chunk;
	unsigned int at;
	size_t skip;
	bool begun;
	struct flow_piece *next;
	struct flow_piece *last;
	unsigned int n;
	struct flow_cut cut;
	uint64_t tsc;
};

struct flow_ahead *flow_ahead_new(struct flow_crew *crew, const struct input *in,
				  const struct input_stream *stream)
{
	struct flow_ahead *a = calloc(1, sizeof(*a));

	if (a)
		*a = (struct flow_ahead){ .crew = crew, .in = in, .stream = stream };
	return a;
}

/* ---- pieces ---- */

static struct flow_piece *make(struct flow_ahead *a)
{
	struct flow_piece *piece = calloc(1, sizeof(*piece));

	if (!piece)
		return NULL;
	*piece = (struct flow_piece){
		.crew = a->crew, .in = a->in, .stream = a->stream, .begin = a->cut.offset,
		.until = a->until, .image = a->process->code,
		.symbols = symbols_clone(a->process->symbols),
	};
	if (!piece->symbols) {
		free(piece);
		return NULL;
	}
	flow_cut_find(a->stream, a->cut.offset + PIECE_BYTES, &a->cut);
	piece->end = a->cut.offset;
	return piece;
}

static void put(struct flow_ahead *a, struct flow_piece *piece)
{
	if (a->n++)
		a->last->next = piece;
	else
		a->next = piece;
	a->last = piece;
	a->crew->room--;
	flow_crew_put(a->crew, piece);
}

/* Whether the next one begins while code and names are known. Of its time 56 bits are told. */
static bool is_near(const struct flow_ahead *a)
{
	const uint64_t tsc = (a->tsc & ~TSC_MASK) | a->cut.tsc;

	return a->cut.offset < a->stream->len && softpt_perf_time(a->in->perf, tsc) < a->until;
}

/* Each thread has one to walk, and the lane finds the next one begun. */
static void put_pieces(struct flow_ahead *a, const struct flow_walk *walk)
{
	struct flow_piece *piece;

	if (!a->process)
		return;
	if (!a->cut.offset)
		flow_cut_find(a->stream, flow_walk_past(walk), &a->cut);
	while (a->n <= a->crew->limit && a->crew->room && is_near(a)) {
		piece = make(a);
		if (!piece)
			return;
		put(a, piece);
	}
}

static struct flow_piece *take_first(struct flow_ahead *a)
{
	struct flow_piece *piece = a->next;

	a->next = piece->next;
	a->n--;
	return piece;
}

static void drop_first(struct flow_ahead *a)
{
	struct flow_piece *piece = take_first(a);

	flow_crew_stop(a->crew, piece);
	flow_walk_free(piece->walk);
	flow_piece_free(piece);
	a->crew->room++;
}

void flow_ahead_settle(struct flow_ahead *a)
{
	while (a->n)
		drop_first(a);
	if (a->now)
		flow_crew_stop(a->crew, a->now);
	a->process = NULL;
	a->cut.offset = 0;
}

void flow_ahead_set(struct flow_ahead *a, struct flow_walk *walk, struct flow_process *process,
		    uint64_t until)
{
	a->process = process;
	a->until = until;
	if (!process || a->image == process->code)
		return;
	a->image = process->code;
	if (!a->now)
		flow_walk_set_code(walk, a->image);
}

void flow_ahead_go_on(struct flow_ahead *a, struct flow_process *process, uint64_t until)
{
	a->process = process->code == a->image ? process : NULL;
	a->until = until;
}

/* ---- from walk to walk ---- */

/* The walk before has come to the piece. */
static void join(struct flow_ahead *a, struct flow_walk **walk, const struct flow_meeting *meeting)
{
	a->now = take_first(a);
	a->skip = meeting->steps;
	a->begun = flow_walk_begun(*walk);
	flow_walk_free(*walk);
	*walk = a->now->walk;
}

/* Behind a step of the lane's own walk: whether a piece goes on from here */
static void look_for_piece(struct flow_ahead *a, struct flow_walk **walk)
{
	struct flow_meeting meeting;
	uint64_t past;

	while (a->n) {
		past = flow_walk_past(*walk);
		if (past <= a->next->begin + 1)
			return;
		if (flow_piece_meeting(a->next, &meeting) && past < meeting.past)
			return;
		if (meeting.known && past == meeting.past &&
		    flow_walk_digest(*walk) == meeting.digest) {
			join(a, walk, &meeting);
			return;
		}
		drop_first(a);
	}
}

/* All steps of the piece were taken. */
static void end_piece(struct flow_ahead *a, struct flow_walk *walk)
{
	flow_piece_free(a->now);
	a->now = NULL;
	a->crew->room++;
	flow_walk_set_code(walk, a->image);
	flow_walk_set_begun(walk, a->begun);
}

static struct flow_step *piece_step(struct flow_ahead *a)
{
	while (!a->chunk || a->at == a->chunk->n) {
		flow_chunk_free(a->crew, a->chunk);
		a->at = 0;
		a->chunk = flow_piece_take(a->now);
		if (!a->chunk)
			return NULL;
	}
	return &a->chunk->step[a->at++];
}

static bool next_of_piece(struct flow_ahead *a, struct flow_step *step)
{
	const struct flow_step *from = piece_step(a);

	for (; from && a->skip; a->skip--)
		from = piece_step(a);
	if (!from)
		return false;
	*step = *from;
	if (from->resumed) {
		step->resumed = a->begun;
		a->begun = true;
	}
	return true;
}

/* Behind a step: pieces are wanted, and the next one may go on from here. */
static void look_ahead(struct flow_ahead *a, struct flow_walk **walk, const struct flow_step *step)
{
	a->tsc = step->when.tsc;
	if (!flow_step_meets(step))
		return;
	put_pieces(a, *walk);
	look_for_piece(a, walk);
}

/* The step before, the last one of a piece, may be one that the next piece has as well. */
static bool next_of_pieces(struct flow_ahead *a, struct flow_walk **walk, struct flow_step *step)
{
	while (a->now) {
		if (next_of_piece(a, step))
			return true;
		end_piece(a, *walk);
		look_ahead(a, walk, step);
	}
	return false;
}

bool flow_ahead_next(struct flow_ahead *a, struct flow_walk **walk, struct flow_step *step)
{
	if (next_of_pieces(a, walk, step)) {
		if (a->at == 1)
			put_pieces(a, *walk);
		return true;
	}
	if (!flow_walk_next(*walk, step))
		return false;
	look_ahead(a, walk, step);
	return true;
}

void flow_ahead_free(struct flow_ahead *a)
{
	if (!a)
		return;
	flow_ahead_settle(a);
	if (a->now)
		flow_piece_free(a->now);
	flow_chunk_free(a->crew, a->chunk);
	free(a);
}
