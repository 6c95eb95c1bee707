/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of files */
#ifndef SOFTPT_ARCHIVE_COPY_H
#define SOFTPT_ARCHIVE_COPY_H

#include <stdint.h>

/*
 * Make a copy of a regular file, which must not be there yet, and the folders that it is in. How
 * many bytes were written is added to @bytes. Return: 0; -errno of @to. @missing: set to 0, or to
 * -errno of @from
 */
int copy_file(const char *from, const char *to, uint64_t *bytes, int *missing);

#endif /* SOFTPT_ARCHIVE_COPY_H */
