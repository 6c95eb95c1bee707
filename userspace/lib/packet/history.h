/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that are kept until it is known how many of them are wanted */
#ifndef SOFTPT_PACKET_HISTORY_H
#define SOFTPT_PACKET_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/* All zero: none */
struct history {
	uint8_t *buf;
	size_t len;
	size_t alloc;
};

/* Return: 0 or -ENOMEM */
int history_add(struct history *h, const void *buf, size_t len);

/* Where the last @wanted bytes can be read from: the PSB before them, or the first byte */
size_t history_cut(const struct history *h, uint64_t wanted);

void history_free(struct history *h);

#endif /* SOFTPT_PACKET_HISTORY_H */
