/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of the engine, and the records that the decoder makes of them */
#ifndef SOFTPT_TEST_STREAM_H
#define SOFTPT_TEST_STREAM_H

#include <softpt/params.h>

#include "userspace/include/softpt/decoder.h"
#include "selftests/kit/kit.h"

struct stream {
	uint8_t *bytes;
	size_t len;
	struct softpt_config config;
};

#define STREAM_EVENTS	3000

/* What the engine makes of STREAM_EVENTS random events; @describe: it says of itself what it is */
struct stream stream_make(bool describe);
/* What the engine makes of @n events with @s's configuration */
void stream_expect(struct stream *s, const struct softpt_event *ev, size_t n);

/* All that comes out, one behind the other */
struct records {
	struct softpt_record *v;
	size_t n, alloc;
	size_t errors;
	size_t runs;	/* of several bits */
};

/* What @d has now */
void records_take(struct softpt_decoder *d, struct records *to);
/* The same, of runs whose bits are taken apart */
void records_take_runs(struct softpt_decoder *d, struct records *to);
/* Of a stream that is fed in pieces of so many bytes; @piece: 0: whole */
struct records records_of(const struct stream *s, size_t piece);
/* Flags say which fields are known: the others hold anything. */
bool same_record(const struct softpt_record *a, const struct softpt_record *b);

#endif
