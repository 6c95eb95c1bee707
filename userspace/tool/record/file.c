// SPDX-License-Identifier: BSD-2-Clause
/* The file that a recording goes to */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int trace_create(const char *path, bool *is_new)
{
	int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	*is_new = file >= 0;
	return *is_new ? file : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

/* EINVAL: of what has no length, and is refused for that later */
int trace_begin(int file)
{
	return ftruncate(file, 0) && errno != EINVAL ? -errno : 0;
}
