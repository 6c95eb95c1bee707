/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder's own loop */
#ifndef SOFTPT_LIB_DECODER_H
#define SOFTPT_LIB_DECODER_H

#include "time/state.h"

/* Decode until an interval ends. Return: as softpt_decoder_next(), 1: records are ready */
int softpt_decoder_fill(struct softpt_decoder *d);

#endif /* SOFTPT_LIB_DECODER_H */
