// SPDX-License-Identifier: BSD-2-Clause
/*
 * Words of 64 bits, of this machine's byte order: the key and how many streams there are; of each
 * stream its thread, its length, its end and its points; of each point the place and its frames.
 */
#include "flow/slice/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <softpt/packets.h>

#define MAGIC	0x3178646974707473ull	/* "stptidx1": a number for each layout */

#define FRAME_HANDLER	1
#define FRAME_DONE	2
#define FRAME_BOUNDED	4

/* ---- read ---- */

static bool get(FILE *f, uint64_t *word)
{
	return fread(word, sizeof(*word), 1, f) == 1;
}

static bool get_is(FILE *f, uint64_t wanted)
{
	uint64_t word;

	return get(f, &word) && word == wanted;
}

static bool get_frame(FILE *f, struct flow_frame *frame)
{
	uint64_t flags;

	if (!get(f, &frame->back) || !get(f, &frame->ip) || !get(f, &frame->from) ||
	    !get(f, &frame->when.tsc) || !get(f, &frame->when.min) || !get(f, &frame->when.max) ||
	    !get(f, &frame->interrupted) || !get(f, &flags))
		return false;
	frame->handler = flags & FRAME_HANDLER;
	frame->done = flags & FRAME_DONE;
	frame->when.bounded = flags & FRAME_BOUNDED;
	return true;
}

/* A place that is none would be looked for up to the next PSB, and its thread be another there. */
static bool is_psb(const struct input_stream *stream, uint64_t offset)
{
	unsigned int i;

	if (stream->len < SOFTPT_SIZE_PSB || offset > stream->len - SOFTPT_SIZE_PSB)
		return false;
	for (i = 0; i < SOFTPT_SIZE_PSB; i += 2)
		if (stream->buf[offset + i] != SOFTPT_OPC_PSB ||
		    stream->buf[offset + i + 1] != SOFTPT_EXT_PSB)
			return false;
	return true;
}

/* Of the same rules as what flow_index_add() takes; the first may be the begin of the stream. */
static bool is_place(const struct input_stream *stream, const struct flow_points *points,
		     const struct flow_start *start, uint64_t frames)
{
	const struct flow_start *last = points->n ? &points->point[points->n - 1].start : NULL;

	if (!start->offset)
		return !last;
	return is_psb(stream, start->offset) &&
	       (!last || (start->offset > last->offset && start->tsc >= last->tsc &&
			  !flow_point_is_near(last, start, frames)));
}

static bool get_point(FILE *f, struct flow_index *index, unsigned int stream)
{
	struct flow_points *points = &index->points[stream];
	struct softpt_flow_thread t = { .frame = NULL };
	const size_t before = points->n;
	struct flow_start start;
	uint64_t frames, beyond;
	bool good;

	if (!get(f, &start.offset) || !get(f, &start.ip) || !get(f, &start.tsc) ||
	    !get(f, &frames) || !get(f, &beyond) || frames > FRAMES_MAX || beyond > UINT32_MAX ||
	    !is_place(&index->in->streams[stream], points, &start, frames))
		return false;
	t.frame = calloc(frames + 1, sizeof(*t.frame));
	t.beyond = beyond;
	good = t.frame;
	while (good && t.frames < frames)
		good = get_frame(f, &t.frame[t.frames++]);
	if (good)
		flow_index_add(index, points, &start, &t);
	free(t.frame);
	return good && points->n > before;
}

static bool get_stream(FILE *f, struct flow_index *index, unsigned int i)
{
	const struct input_stream *stream = &index->in->streams[i];
	uint64_t n;

	if (!get_is(f, stream->tid) || !get_is(f, stream->len) || !get(f, &index->points[i].end) ||
	    !get(f, &n))
		return false;
	while (n && get_point(f, index, i))
		n--;
	return !n;
}

static bool get_index(FILE *f, struct flow_index *index, const struct flow_index_key *key)
{
	unsigned int i;

	if (!get_is(f, MAGIC) || !get_is(f, key->size) || !get_is(f, key->seconds) ||
	    !get_is(f, key->nanoseconds) || !get_is(f, key->settings) ||
	    !get_is(f, index->in->nr))
		return false;
	for (i = 0; i < index->in->nr; i++)
		if (!get_stream(f, index, i))
			return false;
	return fgetc(f) == EOF;
}

static FILE *open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

struct flow_index *flow_index_read(const struct input *in, const char *path,
				   const struct flow_index_key *key)
{
	struct flow_index *index = flow_index_new(in);
	FILE *f = index ? open_own(path) : NULL;

	if (!f)
		return index;
	if (!get_index(f, index, key)) {
		flow_index_free(index);
		index = flow_index_new(in);
	}
	fclose(f);
	if (index)
		index->grown = false;
	return index;
}

/* ---- write ---- */

static void put(FILE *f, uint64_t word)
{
	fwrite(&word, sizeof(word), 1, f);
}

static void put_frame(FILE *f, const struct flow_frame *frame)
{
	put(f, frame->back);
	put(f, frame->ip);
	put(f, frame->from);
	put(f, frame->when.tsc);
	put(f, frame->when.min);
	put(f, frame->when.max);
	put(f, frame->interrupted);
	put(f, (frame->handler ? FRAME_HANDLER : 0) | (frame->done ? FRAME_DONE : 0) |
	       (frame->when.bounded ? FRAME_BOUNDED : 0));
}

static void put_point(FILE *f, const struct flow_point *point)
{
	unsigned int i;

	put(f, point->start.offset);
	put(f, point->start.ip);
	put(f, point->start.tsc);
	put(f, point->frames);
	put(f, point->beyond);
	for (i = 0; i < point->frames; i++)
		put_frame(f, &point->frame[i]);
}

static void put_index(FILE *f, const struct flow_index *index, const struct flow_index_key *key)
{
	const struct flow_points *points;
	unsigned int i;
	size_t j;

	put(f, MAGIC);
	put(f, key->size);
	put(f, key->seconds);
	put(f, key->nanoseconds);
	put(f, key->settings);
	put(f, index->in->nr);
	for (i = 0; i < index->in->nr; i++) {
		points = &index->points[i];
		put(f, index->in->streams[i].tid);
		put(f, index->in->streams[i].len);
		put(f, points->end);
		put(f, points->n);
		for (j = 0; j < points->n; j++)
			put_point(f, &points->point[j]);
	}
}

/* Who reads meanwhile has the one or the other. */
int flow_index_write(const struct flow_index *index, const char *path,
		     const struct flow_index_key *key)
{
	char name[4096];
	int fd, err = 0;
	FILE *f;

	if (!index->grown)
		return 0;
	if (snprintf(name, sizeof(name), "%s.XXXXXX", path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		err = -errno;
		if (fd >= 0) {
			close(fd);
			unlink(name);
		}
		return err;
	}
	put_index(f, index, key);
	if (ferror(f))
		err = -EIO;
	if (fclose(f) && !err)
		err = -errno;
	if (!err && rename(name, path))
		err = -errno;
	if (err)
		unlink(name);
	return err;
}
