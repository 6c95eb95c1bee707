// SPDX-License-Identifier: BSD-2-Clause
#include "input/unzip.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/zstd.h"

bool unzip_is(const void *buf, size_t len)
{
	uint32_t magic;

	if (len < sizeof(magic))
		return false;
	memcpy(&magic, buf, sizeof(magic));
	return magic == ZSTD_FRAME_MAGIC;
}

#ifdef HAVE_ZSTD

/* A megabyte may become 32 GB: no more than the machine has. */
static bool grow(ZSTD_outBuffer *out)
{
	const size_t size = out->size ? 2 * out->size : 1 << 20;
	const size_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	void *grown = size / page < pages ? realloc(out->dst, size) : NULL;

	if (!grown)
		return false;
	out->dst = grown;
	out->size = size;
	return true;
}

static int unzip_all(const struct zstd *lib, ZSTD_DCtx *ctx, ZSTD_inBuffer *in,
		     ZSTD_outBuffer *out)
{
	size_t pos, left;

	do {
		if (out->pos == out->size && !grow(out))
			return -ENOMEM;
		pos = out->pos;
		left = lib->ZSTD_decompressStream(ctx, out, in);
		if (lib->ZSTD_isError(left))
			return -EBADMSG;
	} while (in->pos < in->size || out->pos != pos);
	return 0;
}

int unzip(const void *buf, size_t len, void **to, size_t *size)
{
	const struct zstd *lib = zstd_load();
	ZSTD_DCtx *ctx = lib ? lib->ZSTD_createDCtx() : NULL;
	ZSTD_inBuffer in = { buf, len, 0 };
	ZSTD_outBuffer out = { NULL, 0, 0 };
	int err;

	if (!ctx)
		return lib ? -ENOMEM : -EOPNOTSUPP;
	err = unzip_all(lib, ctx, &in, &out);
	lib->ZSTD_freeDCtx(ctx);
	if (err) {
		free(out.dst);
		return err;
	}
	*to = out.dst;
	*size = out.pos;
	return 0;
}

#else

int unzip(const void *buf, size_t len, void **to, size_t *size)
{
	(void)buf;
	(void)len;
	(void)to;
	(void)size;
	return -EOPNOTSUPP;
}

#endif
