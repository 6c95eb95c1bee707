// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "perfdata/zstd.h"

#ifdef HAVE_ZSTD

#define OUT		(256 * 1024)
#define FRAME_BYTES	(8u << 20)	/* of what is compressed */
#define FRAME_MS	300		/* of age, when somebody looks at it */

/* The first frame: magic, one segment of so many bytes, one raw block that is the last */
#define HEAD_FLAGS	0x20
#define HEAD_AT		9

struct zip {
	const struct zstd *lib;
	ZSTD_CCtx *ctx;
	int fd;
	uint64_t at;		/* where the next byte of the file goes */
	uint64_t whole;		/* where the last whole frame ends */
	uint64_t bytes;		/* in the frame that is begun */
	uint64_t begun_ms;
	uint8_t out[OUT];
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

int zip_new(struct zip **z, int level)
{
	const struct zstd *lib = zstd_load();

	if (!lib)
		return -EOPNOTSUPP;
	*z = calloc(1, sizeof(**z));
	if (!*z)
		return -ENOMEM;
	(*z)->lib = lib;
	(*z)->ctx = lib->ZSTD_createCCtx();
	if ((*z)->ctx) {
		lib->ZSTD_CCtx_setParameter((*z)->ctx, ZSTD_c_compressionLevel, level);
		lib->ZSTD_CCtx_setParameter((*z)->ctx, ZSTD_c_checksumFlag, 1);
		return 0;
	}
	free(*z);
	*z = NULL;
	return -ENOMEM;
}

void zip_free(struct zip *z)
{
	if (!z)
		return;
	z->lib->ZSTD_freeCCtx(z->ctx);
	free(z);
}

int zip_begin(struct zip *z, int fd, size_t head)
{
	uint8_t frame[HEAD_AT + ZIP_HEAD_MAX] = {
		ZSTD_FRAME_MAGIC & 0xff, ZSTD_FRAME_MAGIC >> 8 & 0xff,
		ZSTD_FRAME_MAGIC >> 16 & 0xff, ZSTD_FRAME_MAGIC >> 24, HEAD_FLAGS, head,
		(head << 3 | 1) & 0xff, head >> 5,
	};

	z->fd = fd;
	z->at = HEAD_AT + head;
	z->whole = z->at;
	z->bytes = 0;
	return output_write_at(fd, frame, z->at, 0);
}

/* Return: what zstd has still to hand out, or -errno */
static int64_t feed(struct zip *z, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	ZSTD_outBuffer out = { z->out, OUT, 0 };
	size_t left = z->lib->ZSTD_compressStream2(z->ctx, &out, in, how);
	int err;

	if (z->lib->ZSTD_isError(left))
		return -EIO;
	err = output_write_at(z->fd, z->out, out.pos, z->at);
	if (err)
		return err;
	z->at += out.pos;
	return left;
}

int zip_put(struct zip *z, const void *buf, size_t len)
{
	ZSTD_inBuffer in = { buf, len, 0 };
	int64_t left = 0;

	if (!z->bytes)
		z->begun_ms = now_ms();
	while (in.pos < len && left >= 0)
		left = feed(z, &in, ZSTD_e_continue);
	z->bytes += len;
	return left < 0 ? left : 0;
}

int zip_frame(struct zip *z, int now)
{
	ZSTD_inBuffer none = { NULL, 0, 0 };
	int64_t left = 1;

	if (!z->bytes)
		return 1;
	if (!now && z->bytes < FRAME_BYTES && now_ms() - z->begun_ms < FRAME_MS)
		return 0;
	while (left > 0)
		left = feed(z, &none, ZSTD_e_end);
	if (left < 0)
		return left;
	z->bytes = 0;
	z->whole = z->at;
	return 1;
}

int zip_head(struct zip *z, const void *buf, size_t len)
{
	return output_write_at(z->fd, buf, len, HEAD_AT);
}

void zip_undo(struct zip *z)
{
	if (ftruncate(z->fd, z->whole))
		return;		/* who reads it finds what the first bytes tell of */
	z->at = z->whole;
}

#else

int zip_new(struct zip **z, int level)
{
	(void)z;
	(void)level;
	return -EOPNOTSUPP;
}

void zip_free(struct zip *z)
{
	(void)z;
}

int zip_begin(struct zip *z, int fd, size_t head)
{
	(void)z;
	(void)fd;
	(void)head;
	return -EOPNOTSUPP;
}

int zip_put(struct zip *z, const void *buf, size_t len)
{
	(void)z;
	(void)buf;
	(void)len;
	return -EOPNOTSUPP;
}

int zip_frame(struct zip *z, int now)
{
	(void)z;
	return now ? -EOPNOTSUPP : 0;
}

int zip_head(struct zip *z, const void *buf, size_t len)
{
	(void)z;
	(void)buf;
	(void)len;
	return -EOPNOTSUPP;
}

void zip_undo(struct zip *z)
{
	(void)z;
}

#endif
