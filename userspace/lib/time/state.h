/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A decoder, to its own files: bytes.c gives it bytes, decoder.c takes packets of these, record.c
 * makes records, runs.c hands them out.
 */
#ifndef SOFTPT_TIME_STATE_H
#define SOFTPT_TIME_STATE_H

#include "config/describe.h"
#include "packet/stream.h"
#include "time/timeline.h"

#define SOFTPT_NO_BIND	SIZE_MAX

/* What the packet before was, but for TMA and MODE */
enum softpt_restarted {
	SOFTPT_NOT_RESTARTED,
	SOFTPT_TSC_RESTARTED,	/* the TSC of a restart */
	SOFTPT_CBR_RESTARTED,	/* the CBR behind it */
};

struct softpt_decoder {
	struct softpt_stream s;
	struct softpt_time time;
	struct softpt_description desc;
	bool given;		/* the caller said what made the stream */

	uint64_t last_ip;
	uint64_t fup_ip;
	bool fup;		/* a FUP waits for its TIP */
	bool fup_taken;		/* the FUP of an OVF was looked up already */
	bool in_psb;
	bool at_anchor;		/* a TSC outside PSB+ is directly before */
	bool pad;		/* the packet before was a PAD */
	bool restart;		/* the CBR of a restart comes next */
	enum softpt_restarted restarted;
	bool tma;		/* the TMA of the TSC before comes next */
	bool described;		/* the PSB+ at hand says what the stream was made with */
	size_t bind;		/* record that the next FUP tells the address of */

	size_t out;		/* records of the interval that ended: rec[out..n) */
	unsigned int bit;	/* of rec[out]: those before it were handed out */
	struct softpt_record one;	/* of a run of bits, as it is handed out */
	bool ready;		/* the interval has ended */
	bool synced;
	bool failed;		/* the caller has not been told of resync yet */
	struct softpt_resync resync;

	uint8_t *own;		/* bytes that were fed */
	size_t own_len;
	size_t own_alloc;
	uint64_t own_base;	/* stream offset of own[0] */
	bool whole;
	bool ended;
};

#endif /* SOFTPT_TIME_STATE_H */
