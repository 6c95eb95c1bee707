/* SPDX-License-Identifier: BSD-2-Clause */
/* What a packet means that only the packets behind it tell */
#ifndef SOFTPT_LIB_LOOKAHEAD_H
#define SOFTPT_LIB_LOOKAHEAD_H

#include <softpt/softpt.h>
#include "time/timeline.h"

/* @s is behind the TSC or OVF, and stays there. */
void softpt_look_behind_tsc(const struct softpt_stream *s, struct softpt_tsc *tsc);

/* Return: whether one with a TMA is in sight; it is set to that */
bool softpt_look_for_tsc(const struct softpt_stream *s, struct softpt_tsc *tsc);

/* Return: whether the OVF has a FUP; @ip is its address */
bool softpt_look_behind_ovf(const struct softpt_stream *s, uint64_t *ip);

#endif /* SOFTPT_LIB_LOOKAHEAD_H */
