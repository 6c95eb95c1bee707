/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of what follows each other, as K. Pettis and R. Hansen make them ("Profile guided code
 * positioning", PLDI 1990): arcs are taken from the heaviest on, and each joins two chains.
 */
#ifndef SOFTPT_EXPORT_PROPELLER_CHAINS_H
#define SOFTPT_EXPORT_PROPELLER_CHAINS_H

#include "export/propeller/arcs.h"

#define NO_MEMBER	UINT32_MAX

/**
 * struct chains - members, each in one chain
 * @n: how many
 * @up: a member of the same chain nearer to its root, which is its own
 * @first: of the chain of each root
 * @last: likewise
 * @next: behind each member, or NO_MEMBER
 * @times: how often the hottest member of the chain of each root was executed
 */
struct chains {
	uint32_t n;
	uint32_t *up;
	uint32_t *first;
	uint32_t *last;
	uint32_t *next;
	uint64_t *times;
};

/**
 * chains_make() - make each member a chain
 * @c: set; chains_free(), whatever is returned
 * @n: how many members
 * @times: how often each was executed
 *
 * Return: 0 or -ENOMEM.
 */
int chains_make(struct chains *c, uint32_t n, const uint64_t *times);

/* Join chains where an arc leads from the end of one to the begin of another. @heads: stay first */
void chains_join_ends(struct chains *c, const struct arcs *arcs, const bool *heads);
/* Join chains that have an arc between them: that with its begin first */
void chains_join(struct chains *c, const struct arcs *arcs);

/* Return: the root of the chain that a member is in */
uint32_t chains_root(struct chains *c, uint32_t member);
void chains_free(struct chains *c);

#endif /* SOFTPT_EXPORT_PROPELLER_CHAINS_H */
