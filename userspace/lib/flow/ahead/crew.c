// SPDX-License-Identifier: BSD-2-Clause
#include <signal.h>
#include <stdlib.h>

#include "flow/ahead/crew.h"

#define ROOM_LANES	8	/* lanes that each have a piece beside those of the threads */

struct flow_crew *flow_crew_new(unsigned int threads, unsigned int lanes)
{
	struct flow_crew *crew = calloc(1, sizeof(*crew));

	if (!crew)
		return NULL;
	crew->thread = calloc(threads, sizeof(*crew->thread));
	if (!crew->thread) {
		free(crew);
		return NULL;
	}
	crew->limit = threads;
	crew->room = 2 * threads + (lanes < ROOM_LANES ? lanes : ROOM_LANES);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->work, NULL);
	pthread_cond_init(&crew->news, NULL);
	return crew;
}

static struct flow_piece *take(struct flow_crew *crew)
{
	struct flow_piece *piece = crew->first;

	if (piece) {
		crew->first = piece->queued;
		piece->state = FLOW_PIECE_WALKED;
	}
	return piece;
}

static void *work(void *arg)
{
	struct code_view view = { .image = NULL };
	struct flow_crew *crew = arg;
	struct flow_piece *piece;

	pthread_mutex_lock(&crew->lock);
	while (!crew->over) {
		piece = take(crew);
		if (!piece) {
			crew->idle++;
			pthread_cond_wait(&crew->work, &crew->lock);
			crew->idle--;
			continue;
		}
		pthread_mutex_unlock(&crew->lock);
		flow_piece_walk(piece, &view);
		pthread_mutex_lock(&crew->lock);
		piece->state = FLOW_PIECE_DONE;
		pthread_cond_broadcast(&crew->news);
	}
	pthread_mutex_unlock(&crew->lock);
	code_view_done(&view);
	return NULL;
}

/* Signals are for who started the walk. */
static void start(struct flow_crew *crew)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&crew->thread[crew->n], NULL, work, crew))
		crew->n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void flow_crew_put(struct flow_crew *crew, struct flow_piece *piece)
{
	struct flow_piece **last = &crew->first;

	pthread_mutex_lock(&crew->lock);
	while (*last)
		last = &(*last)->queued;
	*last = piece;
	if (crew->idle)
		pthread_cond_signal(&crew->work);
	else if (crew->n < crew->limit)
		start(crew);
	pthread_mutex_unlock(&crew->lock);
}

static void unqueue(struct flow_crew *crew, const struct flow_piece *piece)
{
	struct flow_piece **at = &crew->first;

	while (*at && *at != piece)
		at = &(*at)->queued;
	if (*at)
		*at = piece->queued;
}

void flow_crew_stop(struct flow_crew *crew, struct flow_piece *piece)
{
	pthread_mutex_lock(&crew->lock);
	__atomic_store_n(&piece->stop, true, __ATOMIC_RELAXED);
	if (piece->state == FLOW_PIECE_QUEUED) {
		unqueue(crew, piece);
		piece->state = FLOW_PIECE_DONE;
	}
	pthread_cond_broadcast(&crew->news);
	while (piece->state != FLOW_PIECE_DONE)
		pthread_cond_wait(&crew->news, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void free_spare(struct flow_crew *crew)
{
	struct flow_chunk *chunk;

	while ((chunk = crew->spare)) {
		crew->spare = chunk->next;
		free(chunk);
	}
}

void flow_crew_free(struct flow_crew *crew)
{
	unsigned int i;

	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->over = true;
	pthread_cond_broadcast(&crew->work);
	pthread_mutex_unlock(&crew->lock);
	for (i = 0; i < crew->n; i++)
		pthread_join(crew->thread[i], NULL);
	free_spare(crew);
	pthread_cond_destroy(&crew->news);
	pthread_cond_destroy(&crew->work);
	pthread_mutex_destroy(&crew->lock);
	free(crew->thread);
	free(crew);
}
