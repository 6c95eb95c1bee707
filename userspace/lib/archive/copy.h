/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of files */
#ifndef SOFTPT_ARCHIVE_COPY_H
#define SOFTPT_ARCHIVE_COPY_H

#include <stdint.h>

/* Open a regular file to be read; @flags: more of open(). Return: fd or -errno */
int copy_open(const char *path, int flags);

/*
 * Make a copy of an open file, which must not be there yet, and the folders that it is in. How many
 * bytes were written is added to @bytes. Return: 0 or -errno
 */
int copy_file(int from, const char *to, uint64_t *bytes);

#endif /* SOFTPT_ARCHIVE_COPY_H */
