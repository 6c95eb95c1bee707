// SPDX-License-Identifier: BSD-2-Clause
/* Traces from files and pipes */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <softpt/perf.h>

#include "input/unzip.h"

/* Pipes, and files that can't be mapped */
static int read_all(struct input *in, int fd)
{
	size_t alloc = 0;

	for (;;) {
		ssize_t n;

		if (in->size == alloc) {
			void *map;

			alloc = alloc ? alloc * 2 : 1 << 16;
			map = realloc(in->map, alloc);
			if (!map)
				return -ENOMEM;
			in->map = map;
		}
		n = read(fd, (char *)in->map + in->size, alloc - in->size);
		if (!n)
			return 0;
		if (n > 0)
			in->size += n;
		else if (errno != EINTR)
			return -errno;
	}
}

static int load(struct input *in, int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && !lseek(fd, 0, SEEK_CUR)) {
		in->map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (in->map != MAP_FAILED) {
			in->size = st.st_size;
			in->mapped = true;
			madvise(in->map, in->size, MADV_SEQUENTIAL);
			return 0;
		}
		in->map = NULL;
	}
	return read_all(in, fd);
}

/* What is in a zstd stream takes its place. Return: 0 or -errno after @e is set */
static int unpack(struct input *in, struct error *e)
{
	size_t size;
	void *bytes;
	int err;

	if (!unzip_is(in->map, in->size))
		return 0;
	err = unzip(in->map, in->size, &bytes, &size);
	if (err == -EBADMSG)
		return error_set(e, err, "damaged zstd stream");
	if (err == -EOPNOTSUPP)
		return error_set(e, err, "compressed, and libzstd is missing: apt-get install libzstd1, or zstd -d FILE");
	if (err)
		return error_set_errno(e, err);
	if (in->mapped)
		munmap(in->map, in->size);
	else
		free(in->map);
	in->map = bytes;
	in->size = size;
	in->mapped = false;
	return 0;
}

static const char *perf_error(int err)
{
	switch (err) {
	case -EBADMSG:
		return "damaged perf.data file";
	case -EOPNOTSUPP:
		return "perf.data that perf has compressed, of another byte order or made for a pipe; "
		       "perf record without -z, with -o FILE";
	case -ENODATA:
		return "no Intel PT trace in this perf.data file";
	}
	return strerror(-err);
}

/* perf.data: one stream per CPU, and what made them */
static int perf_streams(struct input *in, struct error *e)
{
	const struct softpt_perf_stream *s;
	uint64_t offset;
	unsigned int i;
	int err;

	err = softpt_perf_open(&in->perf, in->map, in->size, &offset);
	if (err)
		return error_set_at(e, err, offset, "%s", perf_error(err));
	while (softpt_perf_stream(in->perf, in->nr))
		in->nr++;
	in->streams = calloc(in->nr + 1, sizeof(*in->streams));
	if (!in->streams)
		return error_set_errno(e, -ENOMEM);
	for (i = 0; (s = softpt_perf_stream(in->perf, i)); i++)
		in->streams[i] = (struct input_stream){
			.buf = s->buf, .len = s->len, .cpu = s->cpu, .tid = s->tid,
		};
	softpt_perf_config(in->perf, &in->config);
	in->foreign = true;
	return 0;
}

static int raw_stream(struct input *in, struct error *e)
{
	in->streams = calloc(1, sizeof(*in->streams));
	if (!in->streams)
		return error_set_errno(e, -ENOMEM);
	in->nr = 1;
	in->streams[0] = (struct input_stream){
		.buf = in->map, .len = in->size, .cpu = -1, .tid = -1,
	};
	return 0;
}

/* An archive has the files that were mapped. */
static char *find_root(int folder, const char *path)
{
	struct stat st;
	char *root;

	if (fstatat(folder, "root", &st, 0) || !S_ISDIR(st.st_mode))
		return NULL;
	return asprintf(&root, "%s/root", path) < 0 ? NULL : root;
}

/* Of the folder of perf record --kcore, or of an archive, the file "data". Return: as open() */
static int open_file(const char *path, char **root)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), data;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return fd;
	data = openat(fd, "data", O_RDONLY | O_CLOEXEC);
	if (data < 0)
		return fd;
	*root = find_root(fd, path);
	close(fd);
	return data;
}

int input_open(struct input *in, const char *path, struct error *e)
{
	bool piped = !strcmp(path, "-");
	int fd, err;

	*in = (struct input){ .path = piped ? "stdin" : path };
	fd = piped ? STDIN_FILENO : open_file(path, &in->root);
	if (fd < 0)
		return error_set_errno(e, -errno);
	err = load(in, fd);
	if (!piped)
		close(fd);
	if (err)
		error_set_errno(e, err);
	else
		err = unpack(in, e);
	if (!err)
		err = softpt_perf_detect(in->map, in->size) ? perf_streams(in, e) :
		      raw_stream(in, e);
	if (err)
		input_close(in);
	return err;
}

void input_close(struct input *in)
{
	if (in->mapped)
		munmap(in->map, in->size);
	else
		free(in->map);
	softpt_perf_free(in->perf);
	free(in->streams);
	free(in->root);
	in->root = NULL;
	in->perf = NULL;
	in->map = NULL;
	in->streams = NULL;
	in->nr = 0;
}
