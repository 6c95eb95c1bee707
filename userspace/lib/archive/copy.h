/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of files */
#ifndef SOFTPT_ARCHIVE_COPY_H
#define SOFTPT_ARCHIVE_COPY_H

#include <stdint.h>

/*
 * Make a copy of a regular file, which must not be there yet, and the folders that it is in;
 * @bytes: how many were written is added. Return: 0; -errno of @to; *@missing: of @from, nothing was
 * written
 */
int copy_file(const char *from, const char *to, uint64_t *bytes, int *missing);

#endif /* SOFTPT_ARCHIVE_COPY_H */
