/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file as a zstd stream that is whole at any moment. Its first frame holds the first bytes of the
 * file as they are, so that they can be written again in their place. Each frame behind it is
 * complete before these bytes say that it is there.
 */
#ifndef SOFTPT_PERFDATA_ZIP_H
#define SOFTPT_PERFDATA_ZIP_H

#include <stdint.h>
#include <stddef.h>

#define ZIP_HEAD_MAX	255	/* bytes of the first frame */

struct zip;

/* @level: of zstd. Return: 0, -ENOMEM, or -EOPNOTSUPP without libzstd */
int zip_new(struct zip **z, int level);
void zip_free(struct zip *z);

/* A file begins: @fd, empty. @head: bytes of its first frame. Return: 0 or -errno */
int zip_begin(struct zip *z, int fd, size_t head);

/* More bytes. Return: 0 or -errno */
int zip_put(struct zip *z, const void *buf, size_t len);

/**
 * zip_frame() - end a frame
 * @z: the file
 * @now: also a short one; else one that is long enough, or was begun a while ago
 *
 * Return: 1: all that was put is in the file; 0: no frame was ended; -errno.
 */
int zip_frame(struct zip *z, int now);

/* The first bytes, @len as they were in zip_begin(). Return: 0 or -errno */
int zip_head(struct zip *z, const void *buf, size_t len);

/* What is no whole frame is cut off. */
void zip_undo(struct zip *z);

#endif /* SOFTPT_PERFDATA_ZIP_H */
