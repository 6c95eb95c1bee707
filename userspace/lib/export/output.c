// SPDX-License-Identifier: BSD-2-Clause
/* The file that an export writes, and the packets of one CPU as they are */
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <softpt/softpt.h>

void export_config(const struct export *e, const struct export_stream *s,
		   struct softpt_config *cfg)
{
	if (e->given)
		*cfg = e->cfg;
	else if (!softpt_config_of_stream(cfg, s->s->buf, s->s->len))
		return;
	else if (s->in->foreign)
		*cfg = s->in->config;
	else
		softpt_config_init(cfg);
}

int export_streams_of(const struct export *e, const struct export_stream *streams, unsigned int nr,
		      struct input *part)
{
	unsigned int i;

	*part = *streams->in;
	part->streams = calloc(nr, sizeof(*part->streams));
	if (!part->streams)
		return error_tell_errno(e->errors, part->path, -ENOMEM);
	part->nr = nr;
	for (i = 0; i < nr; i++)
		part->streams[i] = *streams[i].s;
	return 0;
}

int export_recording(const struct export *e, const struct export_stream *streams, unsigned int nr,
		     struct input *part)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (streams[i].in != streams->in)
			return error_tell(e->errors, streams[i].in->path, -EINVAL,
					  "this format has room for one recording");
	return export_streams_of(e, streams, nr, part);
}

int export_open(const struct export *e)
{
	const int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC;
	int fd = strcmp(e->output, "-") ? open(e->output, flags, 0666) : dup(STDOUT_FILENO);

	return fd < 0 ? error_tell_errno(e->errors, e->output, -errno) : fd;
}

int export_write(const struct export *e, int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return error_tell_errno(e->errors, e->output, -errno);
		if (n > 0) {
			p += n;
			len -= n;
		}
	}
	return 0;
}

int export_close(const struct export *e, int fd, int err)
{
	return close(fd) && !err ? error_tell_errno(e->errors, e->output, -errno) : err;
}

int export_print(const struct export *e, export_print_fn print, void *ctx)
{
	int fd = export_open(e), err, failed;
	FILE *to;

	if (fd < 0)
		return fd;
	to = fdopen(fd, "w");
	if (!to)
		return export_close(e, fd, error_tell_errno(e->errors, e->output, -errno));
	err = print(ctx, to);
	errno = err ? -err : EIO;
	failed = err || ferror(to);	/* of a write before, whose reason has gone */
	return fclose(to) || failed ? error_tell_errno(e->errors, e->output, -errno) : 0;
}

/* The packets of one CPU: all that most tools take */
static int run_pt(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	int fd;

	if (nr != 1)
		return error_tell(e->errors, e->output, -EINVAL,
				  "%u CPUs do not fit one stream: choose with --cpu", nr);
	fd = export_open(e);
	if (fd < 0)
		return fd;
	return export_close(e, fd, export_write(e, fd, streams->s->buf, streams->s->len));
}

const struct exporter export_pt = { "pt", run_pt };
