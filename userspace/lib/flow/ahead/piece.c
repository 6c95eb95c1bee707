// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include <softpt/perf.h>

#include "flow/ahead/piece.h"
#include "flow/land.h"

/* What the thread that walks a piece knows of it */
struct progress {
	struct flow_piece *piece;
	struct flow_walk *walk;
	struct flow_meeting meeting;
	size_t steps;
	bool good;	/* goes on */
};

/* ---- chunks, which are used again ---- */

struct flow_chunk *flow_chunk_new(struct flow_crew *crew)
{
	struct flow_chunk *chunk;

	pthread_mutex_lock(&crew->lock);
	chunk = crew->spare;
	if (chunk)
		crew->spare = chunk->next;
	pthread_mutex_unlock(&crew->lock);
	if (!chunk)
		chunk = malloc(sizeof(*chunk));
	if (!chunk)
		return NULL;
	chunk->next = NULL;
	chunk->n = 0;
	return chunk;
}

void flow_chunk_free(struct flow_crew *crew, struct flow_chunk *chunk)
{
	if (!chunk)
		return;
	pthread_mutex_lock(&crew->lock);
	chunk->next = crew->spare;
	crew->spare = chunk;
	pthread_mutex_unlock(&crew->lock);
}

/* ---- who walks ---- */

static void look_for_meeting(struct progress *p, const struct flow_step *step)
{
	if (p->meeting.known || !flow_step_meets(step) || !p->steps)
		return;
	p->meeting = (struct flow_meeting){
		.known = true, .past = flow_walk_past(p->walk),
		.digest = flow_walk_digest(p->walk), .steps = p->steps + 1,
	};
}

static bool is_behind(const struct progress *p, const struct flow_step *step)
{
	const struct flow_piece *piece = p->piece;

	return flow_walk_past(p->walk) > piece->end ||
	       softpt_perf_time(piece->in->perf, step->when.tsc) >= piece->until;
}

static bool take_step(struct progress *p, struct flow_chunk *chunk)
{
	struct flow_step *step = &chunk->step[chunk->n];

	if (__atomic_load_n(&p->piece->stop, __ATOMIC_RELAXED) || !flow_walk_next(p->walk, step))
		return false;
	flow_note(step, p->piece->symbols);
	chunk->note[chunk->n] = step->note ? *step->note : 0;
	if (step->note)
		step->note = &chunk->note[chunk->n];
	chunk->n++;
	look_for_meeting(p, step);
	p->steps++;
	return !is_behind(p, step);
}

static bool has_room(const struct flow_piece *piece)
{
	return piece->stop || piece->chunks < FLOW_PIECE_CHUNKS;
}

static void publish(struct progress *p, struct flow_chunk *chunk)
{
	struct flow_piece *piece = p->piece;

	pthread_mutex_lock(&piece->crew->lock);
	if (piece->last)
		piece->last->next = chunk;
	else
		piece->first = chunk;
	piece->last = chunk;
	piece->chunks++;
	piece->meeting = p->meeting;
	pthread_cond_broadcast(&piece->crew->news);
	while (p->good && !has_room(piece))
		pthread_cond_wait(&piece->crew->news, &piece->crew->lock);
	pthread_mutex_unlock(&piece->crew->lock);
}

static void walk_chunk(struct progress *p)
{
	struct flow_chunk *chunk = flow_chunk_new(p->piece->crew);

	p->good = chunk;
	if (!chunk)
		return;
	while (p->good && chunk->n < FLOW_CHUNK_STEPS)
		p->good = take_step(p, chunk);
	publish(p, chunk);
}

void flow_piece_walk(struct flow_piece *piece, struct code_view *view)
{
	struct progress p = { .piece = piece };

	p.walk = flow_walk_new_at(piece->stream, piece->in, FLOW_CALLS, piece->begin);
	p.good = p.walk;
	if (p.good) {
		code_view_set(view, piece->image);
		flow_walk_set_view(p.walk, view);
	}
	pthread_mutex_lock(&piece->crew->lock);
	piece->walk = p.walk;
	pthread_mutex_unlock(&piece->crew->lock);
	while (p.good)
		walk_chunk(&p);
}

/* ---- who takes the steps ---- */

bool flow_piece_meeting(struct flow_piece *piece, struct flow_meeting *meeting)
{
	pthread_mutex_lock(&piece->crew->lock);
	while (!piece->meeting.known && piece->state == FLOW_PIECE_WALKED && has_room(piece))
		pthread_cond_wait(&piece->crew->news, &piece->crew->lock);
	*meeting = piece->meeting;
	pthread_mutex_unlock(&piece->crew->lock);
	return meeting->known;
}

struct flow_chunk *flow_piece_take(struct flow_piece *piece)
{
	struct flow_chunk *chunk;

	pthread_mutex_lock(&piece->crew->lock);
	while (!piece->first && piece->state != FLOW_PIECE_DONE)
		pthread_cond_wait(&piece->crew->news, &piece->crew->lock);
	chunk = piece->first;
	if (chunk) {
		piece->first = chunk->next;
		piece->last = piece->first ? piece->last : NULL;
		if (piece->chunks-- == FLOW_PIECE_CHUNKS)
			pthread_cond_broadcast(&piece->crew->news);
	}
	pthread_mutex_unlock(&piece->crew->lock);
	return chunk;
}

void flow_piece_free(struct flow_piece *piece)
{
	struct flow_chunk *chunk;

	while ((chunk = piece->first)) {
		piece->first = chunk->next;
		flow_chunk_free(piece->crew, chunk);
	}
	symbols_free(piece->symbols);
	free(piece);
}
