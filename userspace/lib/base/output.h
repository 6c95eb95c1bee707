/* SPDX-License-Identifier: BSD-2-Clause */
/* All of a buffer goes to a file */
#ifndef SOFTPT_BASE_OUTPUT_H
#define SOFTPT_BASE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct iovec;

/* Return, all: 0 or -errno; then a part of it may be there */
int output_write(int fd, const void *buf, size_t len);
/* Of a file that can be sought in: from @at on */
int output_write_at(int fd, const void *buf, size_t len, uint64_t at);
/* The same of @n parts, one behind the other: @part is used up */
int output_gather_at(int fd, struct iovec *part, int n, uint64_t at);

#endif /* SOFTPT_BASE_OUTPUT_H */
