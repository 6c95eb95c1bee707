/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that no file holds: bytes by address, as they are at one time */
#ifndef SOFTPT_CODE_BYTES_H
#define SOFTPT_CODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes_page;

/* Empty: all zeros */
struct code_bytes {
	struct bytes_page **pages;	/* by address */
	size_t nr;
};

/**
 * code_bytes_put() - bytes become known
 * @b: what is known
 * @addr: of the first
 * @bytes: them
 * @len: how many
 * @newer: they replace those that were known
 *
 * Return: 0 or -ENOMEM.
 */
int code_bytes_put(struct code_bytes *b, uint64_t addr, const uint8_t *bytes, size_t len,
		   bool newer);

/**
 * code_bytes_get() - bytes from an address on
 * @b: what is known
 * @addr: of the first
 * @buf: filled in
 * @size: how many are wanted
 *
 * Return: how many are known in a row.
 */
size_t code_bytes_get(const struct code_bytes *b, uint64_t addr, uint8_t *buf, size_t size);

/* @to is empty. Return: 0 or -ENOMEM */
int code_bytes_copy(struct code_bytes *to, const struct code_bytes *from);
void code_bytes_free(struct code_bytes *b);

#endif /* SOFTPT_CODE_BYTES_H */
