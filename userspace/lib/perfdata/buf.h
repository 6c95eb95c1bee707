/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that grow at their end */
#ifndef SOFTPT_PERFDATA_BUF_H
#define SOFTPT_PERFDATA_BUF_H

#include <stddef.h>
#include <stdint.h>

/* @err: -ENOMEM once bytes had no room; it stays. All zero: empty */
struct perfbuf {
	uint8_t *buf;
	size_t len;
	size_t alloc;
	int err;
};

/* Return: @b->err */
int perfbuf_put(struct perfbuf *b, const void *bytes, size_t len);

/* The first @len bytes go. */
void perfbuf_drop(struct perfbuf *b, size_t len);

#endif /* SOFTPT_PERFDATA_BUF_H */
