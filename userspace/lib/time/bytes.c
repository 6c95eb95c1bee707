// SPDX-License-Identifier: BSD-2-Clause
/* What a decoder is given: who made the stream, and its bytes, whole or piece by piece */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "time/decoder.h"

static struct softpt_decoder *decoder_alloc(void)
{
	struct softpt_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->bind = SOFTPT_NO_BIND;
	softpt_time_init(&d->time);
	softpt_stream_init(&d->s, (const uint8_t *)"", 0);
	return d;
}

struct softpt_decoder *softpt_decoder_new(const struct softpt_config *cfg)
{
	struct softpt_decoder *d = decoder_alloc();

	if (d && cfg) {
		d->given = true;
		softpt_time_config(&d->time, cfg, true);
	}
	return d;
}

void softpt_decoder_set_foreign(struct softpt_decoder *d, const struct softpt_config *cfg)
{
	if (!d->given)
		softpt_time_config(&d->time, cfg, false);
}

void softpt_decoder_free(struct softpt_decoder *d)
{
	if (!d)
		return;
	softpt_time_free(&d->time);
	free(d->own);
	free(d);
}

void softpt_decoder_set_buffer(struct softpt_decoder *d, const void *buf, size_t len)
{
	d->whole = true;
	softpt_stream_init(&d->s, buf, len);
}

void softpt_decoder_begin_at(struct softpt_decoder *d, uint64_t offset)
{
	d->s.pos = d->s.begin + offset;
}

int softpt_decoder_feed(struct softpt_decoder *d, const void *buf, size_t len)
{
	size_t back = softpt_sync_back(&d->s), used = softpt_stream_offset(&d->s) - back;
	size_t left = d->own_len - used;
	uint32_t block = d->s.block;

	if (d->whole || d->ended)
		return -EINVAL;
	if (left + len > d->own_alloc) {
		size_t alloc = left + len > 2 * d->own_alloc ? left + len : 2 * d->own_alloc;
		uint8_t *own = realloc(d->own, alloc);

		if (!own)
			return -ENOMEM;
		d->own = own;
		d->own_alloc = alloc;
	}
	if (len) {
		memmove(d->own, d->own + used, left);
		memcpy(d->own + left, buf, len);
		d->own_base += used;
		d->own_len = left + len;
		softpt_stream_init(&d->s, d->own, d->own_len);
		d->s.pos += back;
		d->s.block = block;
	}
	return 0;
}

void softpt_decoder_end(struct softpt_decoder *d)
{
	d->ended = true;
}
