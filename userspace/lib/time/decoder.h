/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder's own loop */
#ifndef SOFTPT_LIB_DECODER_H
#define SOFTPT_LIB_DECODER_H

#include "time/state.h"

/* Decode until an interval ends. Return: as softpt_decoder_next(), 1: records are ready */
int softpt_decoder_fill(struct softpt_decoder *d);

/* Of a whole trace, before its first record: leave out what is before the PSB at @offset */
void softpt_decoder_begin_at(struct softpt_decoder *d, uint64_t offset);

#endif /* SOFTPT_LIB_DECODER_H */
