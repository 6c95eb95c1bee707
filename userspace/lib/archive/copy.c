// SPDX-License-Identifier: BSD-2-Clause
#include "archive/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK	(1 << 20)

/* All folders of a path but what is behind the last '/' */
static int make_folders(const char *path)
{
	char *copy = strdup(path), *slash = copy;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			err = -errno;
		*slash = '/';
	}
	free(copy);
	return err;
}

static int write_all(int fd, const char *buf, size_t n)
{
	while (n) {
		ssize_t done = write(fd, buf, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			buf += done;
			n -= done;
		}
	}
	return 0;
}

/* By way of memory, where the file system can't copy itself */
static int copy_bytes(int from, int to, uint64_t *bytes)
{
	char *buf = malloc(CHUNK);
	ssize_t n = 1;
	int err = buf ? 0 : -ENOMEM;

	while (!err && n) {
		n = read(from, buf, CHUNK);
		if (n < 0 && errno != EINTR)
			err = -errno;
		if (n <= 0)
			continue;
		err = write_all(to, buf, n);
		*bytes += err ? 0 : n;
	}
	free(buf);
	return err;
}

static int copy_all(int from, int to, uint64_t *bytes)
{
	ssize_t n;

	while ((n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		*bytes += n;
	if (!n)
		return 0;
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
		return -errno;
	return copy_bytes(from, to, bytes);
}

int copy_open(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

int copy_file(int from, const char *to, uint64_t *bytes)
{
	int err = make_folders(to), out;

	if (err)
		return err;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (out < 0)
		return -errno;
	err = copy_all(from, out, bytes);
	return close(out) && !err ? -errno : err;
}
