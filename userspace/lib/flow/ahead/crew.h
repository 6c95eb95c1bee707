/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that walk pieces of streams */
#ifndef SOFTPT_FLOW_AHEAD_CREW_H
#define SOFTPT_FLOW_AHEAD_CREW_H

#include "flow/ahead/piece.h"
#include "flow/ahead/shared.h"

/* @lanes: streams that have pieces. No thread runs yet. Return: NULL without memory */
struct flow_crew *flow_crew_new(unsigned int threads, unsigned int lanes);
/* Have a piece walked. */
void flow_crew_put(struct flow_crew *crew, struct flow_piece *piece);
/* It is not to be walked on. Back when no thread has it. */
void flow_crew_stop(struct flow_crew *crew, struct flow_piece *piece);
/* All pieces are stopped. */
void flow_crew_free(struct flow_crew *crew);

#endif /* SOFTPT_FLOW_AHEAD_CREW_H */
