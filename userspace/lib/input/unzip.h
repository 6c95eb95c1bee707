/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are zstd streams */
#ifndef SOFTPT_INPUT_UNZIP_H
#define SOFTPT_INPUT_UNZIP_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this begins as a zstd stream does */
bool unzip_is(const void *buf, size_t len);

/**
 * unzip() - all that is in a zstd stream
 * @buf: the stream; one that was cut short ends with its last whole block
 * @len: bytes
 * @to: set to memory that free() gives back
 * @size: set to its bytes
 *
 * Return: 0; -ENOMEM; -EOPNOTSUPP: without libzstd; -EBADMSG: it is damaged.
 */
int unzip(const void *buf, size_t len, void **to, size_t *size);

#endif /* SOFTPT_INPUT_UNZIP_H */
