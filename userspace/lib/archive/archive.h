/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording with the files that it needs, for another machine. Its folder has "data", the
 * recording, and "root", below which the files are where they were.
 */
#ifndef SOFTPT_ARCHIVE_ARCHIVE_H
#define SOFTPT_ARCHIVE_ARCHIVE_H

#include <stdint.h>

#include "base/error.h"
#include "input/input.h"

/**
 * struct archive - what is packed, and what it came to
 * @in: the recording, of perf.data
 * @folder: to be made
 * @root: put before the names of mapped files
 * @errors: who is told what is missing
 * @files: set: ELF files that were packed
 * @debug: set: separate files with their debug information
 * @maps: set: files with names of code that was made
 * @bytes: set: of all that was written
 */
struct archive {
	const struct input *in;
	const char *folder;
	const char *root;
	const struct error_sink *errors;
	unsigned int files;
	unsigned int debug;
	unsigned int maps;
	uint64_t bytes;
};

/* Return: 0; -errno, @a->errors was told. A file that is missing is told, too, and no error. */
int archive_write(struct archive *a);

#endif /* SOFTPT_ARCHIVE_ARCHIVE_H */
