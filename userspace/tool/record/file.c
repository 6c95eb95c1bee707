// SPDX-License-Identifier: BSD-2-Clause
/* The file that a recording goes to */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/output.h"

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

static int open_nameless(void)
{
	const char *folder = getenv("TMPDIR");
	char name[4096];
	int file;

	snprintf(name, sizeof(name), "%s/softpt-XXXXXX", folder && *folder ? folder : "/tmp");
	file = mkostemp(name, O_CLOEXEC);
	if (file < 0)
		return -errno;
	unlink(name);
	return file;
}

int trace_pipe_begin(struct trace_pipe *pipe)
{
	int err;

	pipe->file = open_nameless();
	if (pipe->file < 0)
		return pipe->file;
	snprintf(pipe->path, sizeof(pipe->path), "/proc/self/fd/%d", pipe->file);
	fflush(stdout);
	pipe->to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (pipe->to >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return 0;
	err = -errno;
	close(pipe->file);
	if (pipe->to >= 0)
		close(pipe->to);
	return err;
}

int trace_pipe_end(struct trace_pipe *pipe)
{
	static char buf[1 << 16];
	off_t at = 0;
	ssize_t n;
	int err = 0;

	while (!err && (n = pread(pipe->file, buf, sizeof(buf), at)) != 0) {
		err = n < 0 ? -errno : output_write(pipe->to, buf, n);
		at += n;
	}
	close(pipe->file);
	close(pipe->to);
	return err;
}
