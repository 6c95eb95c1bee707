/* SPDX-License-Identifier: BSD-2-Clause */
/* A number for what something is like: equal where all that was added is; else almost surely not */
#ifndef SOFTPT_BASE_DIGEST_H
#define SOFTPT_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t digest_add(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * 0x9e3779b97f4a7c15ull;
	return digest ^ digest >> 29;
}

static inline uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		digest = digest_add(digest, b[i]);
	return digest;
}

#endif /* SOFTPT_BASE_DIGEST_H */
