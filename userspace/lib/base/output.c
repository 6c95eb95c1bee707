// SPDX-License-Identifier: BSD-2-Clause
#include "base/output.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a write of @left bytes has returned. Return: bytes that are there, or -errno */
static ssize_t written(ssize_t n, size_t left)
{
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return !n && left ? -EIO : n;
}

int output_write(int fd, const void *buf, size_t len)
{
	const char *p = buf;
	ssize_t n;

	for (; len; p += n, len -= n) {
		n = written(write(fd, p, len), len);
		if (n < 0)
			return n;
	}
	return 0;
}

int output_write_at(int fd, const void *buf, size_t len, uint64_t at)
{
	const char *p = buf;
	ssize_t n;

	for (; len; p += n, len -= n, at += n) {
		n = written(pwrite(fd, p, len, at), len);
		if (n < 0)
			return n;
	}
	return 0;
}

int output_gather_at(int fd, struct iovec *part, int n, uint64_t at)
{
	ssize_t done = 0;

	for (;;) {
		for (; n && (size_t)done >= part->iov_len; part++, n--)
			done -= part->iov_len;
		if (!n)
			return 0;
		part->iov_base = (char *)part->iov_base + done;
		part->iov_len -= done;
		done = written(pwritev(fd, part, n, at), part->iov_len);
		if (done < 0)
			return done;
		at += done;
	}
}
