/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of a decoder, from the packets that tell of them */
#ifndef SOFTPT_TIME_RECORD_H
#define SOFTPT_TIME_RECORD_H

#include "time/state.h"

static inline uint64_t softpt_offset_of(const struct softpt_decoder *d)
{
	return d->own_base + softpt_stream_offset(&d->s);
}

static inline void softpt_record_ip(struct softpt_record *rec, uint64_t ip)
{
	rec->ip = ip;
	rec->flags |= SOFTPT_REC_HAS_IP;
}

/* A record of the packet at hand. @exact: a CYC may tell its time. Return: NULL: no memory */
struct softpt_record *softpt_record_put(struct softpt_decoder *d, unsigned int kind,
					const struct softpt_packet *pkt, bool exact);

/* These make one, or several. Return: 0 or -ENOMEM */
int softpt_record_value(struct softpt_decoder *d, unsigned int kind,
			const struct softpt_packet *pkt, uint64_t value);
int softpt_record_bits(struct softpt_decoder *d, const struct softpt_packet *pkt);
/* TIP, TIP.PGE, TIP.PGD; with a FUP before it, it was asynchronous */
int softpt_record_tip(struct softpt_decoder *d, const struct softpt_packet *pkt);

/* A short TNT packet behind another, that is not parsed yet. Return: whether it was, and is past */
bool softpt_record_short(struct softpt_decoder *d);

#endif /* SOFTPT_TIME_RECORD_H */
