/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream's records, each with what is known of the event that it comes from: what the
 * engine said (struct softpt_truth), of this process or of a unit.
 */
#ifndef SOFTPT_TRUTH_MATCH_H
#define SOFTPT_TRUTH_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/decoder.h>

/* One row of --truth: a record that `softpt decode` prints */
struct truth_row {
	uint64_t event;		/* index of the event that it comes from */
	uint64_t tsc;
	uint64_t cycles;	/* core cycles since the first event */
	uint8_t kind;		/* enum softpt_record_kind */
	bool known;		/* else @kind is all that there is */
	uint16_t flags;		/* SOFTPT_TRUTH_* */
	uint16_t event_kind;	/* enum softpt_event_kind */
};

typedef int (*truth_row_fn)(void *ctx, const struct truth_row *row,
			    const struct softpt_record *rec);

struct match;

/**
 * match_new() - a stream that begins
 * @cfg: what it was made with
 * @row: gets each record. Return: 0, or -errno to stop
 * @ctx: for the callbacks
 *
 * Return: NULL without memory.
 */
struct match *match_new(const struct softpt_config *cfg, truth_row_fn row, void *ctx);
void match_free(struct match *m);

/* What the engine said, in order, and before the bytes that it is of. Return: 0, -ENOMEM */
int match_truth(struct match *m, const struct softpt_truth *truth, size_t n);

/* More of the stream. Return: 0, what @row returned, or what the decoder says */
int match_bytes(struct match *m, const void *buf, size_t len);

/* The end of the stream. Return: as match_bytes() */
int match_end(struct match *m);

const struct softpt_decoder *match_decoder(const struct match *m);

#endif /* SOFTPT_TRUTH_MATCH_H */
