/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that no file holds: bytes by address, as they are at one time */
#ifndef SOFTPT_CODE_BYTES_H
#define SOFTPT_CODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes_page;

/* Empty: all zeros */
struct flow_bytes {
	struct bytes_page **pages;	/* by address */
	size_t nr;
};

/**
 * flow_bytes_put() - bytes become known
 * @b: what is known
 * @addr: of the first
 * @bytes: them
 * @len: how many
 * @newer: they replace those that were known
 *
 * Return: 0 or -ENOMEM.
 */
int flow_bytes_put(struct flow_bytes *b, uint64_t addr, const uint8_t *bytes, size_t len,
		   bool newer);

/**
 * flow_bytes_get() - bytes from an address on
 * @b: what is known
 * @addr: of the first
 * @buf: filled in
 * @size: how many are wanted
 *
 * Return: how many are known in a row.
 */
size_t flow_bytes_get(const struct flow_bytes *b, uint64_t addr, uint8_t *buf, size_t size);

/* @to is empty. Return: 0 or -ENOMEM */
int flow_bytes_copy(struct flow_bytes *to, const struct flow_bytes *from);
void flow_bytes_free(struct flow_bytes *b);

#endif /* SOFTPT_CODE_BYTES_H */
