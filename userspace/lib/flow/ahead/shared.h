/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads that walk share with who takes the steps */
#ifndef SOFTPT_FLOW_AHEAD_SHARED_H
#define SOFTPT_FLOW_AHEAD_SHARED_H

#include <pthread.h>
#include <stdbool.h>

struct flow_chunk;
struct flow_piece;

/**
 * struct flow_crew - the threads
 * @lock: of the rest, and of what its comment says in struct flow_piece
 * @work: there is a piece to walk, or all is over
 * @news: a piece has got on, or may
 * @first: pieces that nobody walks yet, in the order in which they are wanted
 * @spare: chunks that are used again
 * @thread: those that were started
 * @n: how many
 * @limit: how many there may be
 * @idle: how many of them wait for work
 * @room: pieces that there may be more; not under @lock
 * @over: no piece comes any more
 */
struct flow_crew {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t news;
	struct flow_piece *first;
	struct flow_chunk *spare;
	pthread_t *thread;
	unsigned int n;
	unsigned int limit;
	unsigned int idle;
	unsigned int room;
	bool over;
};

#endif /* SOFTPT_FLOW_AHEAD_SHARED_H */
