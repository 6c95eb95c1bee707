/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder will tell, as a number */
#ifndef SOFTPT_TIME_DIGEST_H
#define SOFTPT_TIME_DIGEST_H

#include "time/state.h"

/*
 * Of two decoders of the same whole stream: if their digests are equal, all records that they still
 * hand out are, and the times of those handed out last, but for totals of cycles.
 */
uint64_t softpt_decoder_digest(const struct softpt_decoder *d);

/* The same of a record that was handed out */
uint64_t softpt_record_digest(uint64_t digest, const struct softpt_record *rec);

#endif /* SOFTPT_TIME_DIGEST_H */
