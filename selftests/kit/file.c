// SPDX-License-Identifier: BSD-2-Clause
#include "file.h"

#include <stdlib.h>
#include <unistd.h>

#include "kit.h"

void file_open(struct file *f)
{
	*f = (struct file){ .path = "/tmp/softpt-test-XXXXXX" };
	f->fd = mkstemp(f->path);
	if (f->fd < 0)
		kit_bail("a temporary file");
}

void file_of(struct file *f, const void *bytes, size_t len)
{
	file_open(f);
	if (write(f->fd, bytes, len) != (ssize_t)len)
		kit_bail("writing a temporary file");
}

void file_load(struct file *f)
{
	free(f->buf);
	f->len = lseek(f->fd, 0, SEEK_END);
	f->buf = malloc(f->len + !f->len);
	if (pread(f->fd, f->buf, f->len, 0) != (ssize_t)f->len)
		kit_bail("reading a temporary file");
}

void file_close(struct file *f)
{
	free(f->buf);
	close(f->fd);
	unlink(f->path);
}
