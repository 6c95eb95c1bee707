/* SPDX-License-Identifier: BSD-2-Clause */
/* Code at an address, for blocks of it */
#ifndef SOFTPT_TEST_CODE_H
#define SOFTPT_TEST_CODE_H

#include <string.h>

#include "userspace/lib/code/blocks.h"

#define AT	0x401000u

static uint8_t code[1024];
static size_t known = sizeof(code);

/* As struct code_blocks.read: what is known of @code */
static inline size_t read_code(void *ctx, uint64_t addr, uint8_t *buf, size_t size)
{
	size_t n = addr >= AT && addr - AT < known ? known - (addr - AT) : 0;

	(void)ctx;
	n = n < size ? n : size;
	if (n)
		memcpy(buf, code + (addr - AT), n);
	return n;
}

#endif /* SOFTPT_TEST_CODE_H */
