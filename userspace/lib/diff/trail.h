/* SPDX-License-Identifier: BSD-2-Clause */
/* What the threads of a recording did, kept small: one hash for many steps */
#ifndef SOFTPT_DIFF_TRAIL_H
#define SOFTPT_DIFF_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diff/step.h"

#define TRAIL_STRETCH	1024	/* steps that have one hash */

/**
 * struct trail - the steps of a thread
 * @steps: how many
 * @hash: of all of them
 * @mark: what @hash was behind each stretch
 * @marks: how many, one for each whole stretch
 */
struct trail {
	uint64_t steps;
	uint64_t hash;
	uint64_t *mark;
	size_t marks;
};

/* Of all threads, by their number in a stepper; all zero before the first step */
struct trails {
	struct trail *trail;
	size_t n;
};

/* @thread's next step. Return: 0 or -ENOMEM */
int trails_add(struct trails *t, size_t thread, const struct step *step);

/**
 * trail_parts() - where two trails part
 * @a: one
 * @b: the other
 * @stretch: set to the first step of the stretch in which they part
 *
 * Return: whether they part.
 */
bool trail_parts(const struct trail *a, const struct trail *b, uint64_t *stretch);
void trails_free(struct trails *t);

#endif /* SOFTPT_DIFF_TRAIL_H */
