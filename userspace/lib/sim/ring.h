/* SPDX-License-Identifier: BSD-2-Clause */
/* What a snapshot ring holds: the newest bytes of a stream */
#ifndef SOFTPT_SIM_RING_H
#define SOFTPT_SIM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_ring {
	uint8_t *buf;
	uint64_t size;
	uint64_t head;		/* bytes ever put */
	uint64_t tail;		/* of them taken */
};

/* Return: 0 or -ENOMEM */
int sim_ring_init(struct sim_ring *r, uint64_t size);
void sim_ring_free(struct sim_ring *r);

void sim_ring_put(struct sim_ring *r, const uint8_t *bytes, size_t n);

/**
 * sim_ring_take() - what it holds, from where it can be read on
 * @r: the ring
 * @bytes: set to a copy, malloc'ed: all since the last call, or from the oldest PSB on where the
 *	first of that was overwritten
 * @n: set to how many
 * @at: set to where in the stream it begins
 *
 * Return: 0 or -ENOMEM.
 */
int sim_ring_take(struct sim_ring *r, uint8_t **bytes, size_t *n, uint64_t *at);

#endif /* SOFTPT_SIM_RING_H */
