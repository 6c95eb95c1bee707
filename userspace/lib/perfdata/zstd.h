/* SPDX-License-Identifier: BSD-2-Clause */
/* libzstd, which is loaded when it is first needed: libsoftpt needs the C library alone */
#ifndef SOFTPT_PERFDATA_ZSTD_H
#define SOFTPT_PERFDATA_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

/* What a frame begins with */
#define ZSTD_FRAME_MAGIC	0xfd2fb528u

#ifdef HAVE_ZSTD
#include <zstd.h>

#define ZSTD_FUNCTIONS(X) \
	X(ZSTD_createCCtx) \
	X(ZSTD_freeCCtx) \
	X(ZSTD_CCtx_setParameter) \
	X(ZSTD_compressStream2) \
	X(ZSTD_createDCtx) \
	X(ZSTD_freeDCtx) \
	X(ZSTD_decompressStream) \
	X(ZSTD_isError)

struct zstd {
#define X(name) __typeof__(name) *name;
	ZSTD_FUNCTIONS(X)
#undef X
};

/* Return: NULL: it is not installed */
const struct zstd *zstd_load(void);
#endif

/* Whether files can be compressed, and read: this was built with libzstd, and it is installed. */
bool zstd_is_there(void);

#endif /* SOFTPT_PERFDATA_ZSTD_H */
