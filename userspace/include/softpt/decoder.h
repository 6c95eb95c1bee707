/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt: packets -> records, each with its time and how sure it is.
 *
 * A record is what happened: a branch, an interrupt, a PTWRITE, an overflow. Its time
 * is found by looking both ways, at the timing packets before and after it, so a
 * gap in the timing packets costs no precision. (Documentation/internals/time.rst)
 *
 *	d = softpt_decoder_new(NULL);
 *	softpt_decoder_set_buffer(d, buf, len);		a whole trace, or
 *	softpt_decoder_feed(d, buf, len);		piece by piece, then
 *	softpt_decoder_end(d);				no more will come
 *	while ((err = softpt_decoder_next(d, &rec)) != 0) ...
 */
#ifndef SOFTPT_DECODER_H
#define SOFTPT_DECODER_H

#include "softpt.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The kinds of a record, in the order of softpt_record_kind_name() */
#define SOFTPT_RECORD_KINDS(X) \
	X(ENABLE, "enable")	/* ip: where it begins */ \
	X(DISABLE, "disable")	/* [ip]: where it ended, [value]: where execution went on */ \
	X(TAKEN, "taken")	/* a TNT bit */ \
	X(NOT, "not") \
	X(TIP, "tip")		/* ip: target */ \
	X(INTR, "intr")		/* ip: interrupted, value: target */ \
	X(CR3, "cr3")		/* value */ \
	X(MODE, "mode")		/* value: 16, 32 or 64 */ \
	X(PTW, "ptw")		/* value, [ip] */ \
	X(CBR, "cbr")		/* value: core:bus ratio */ \
	X(PSB, "psb") \
	X(OVF, "ovf")		/* [ip]: where tracing goes on */ \
	X(STOP, "stop")		/* TraceStop */ \
	X(PWR, "pwr")		/* value: payload of MWAIT, PWRE, EXSTOP, PWRX */ \
	X(TRIG, "trig")		/* value: TRBV */ \
	X(CFE, "cfe")		/* value: type << 8 | vector, [ip] */ \
	X(EVD, "evd")		/* value */ \
	X(TSX, "tsx")		/* value: 1 in a transaction, 2 aborted, 0 committed; ip */ \
	X(VMCS, "vmcs")		/* value: base address */

enum softpt_record_kind {
#define X(id, name) SOFTPT_REC_##id,
	SOFTPT_RECORD_KINDS(X)
#undef X
	SOFTPT_REC_NR
};

/* struct softpt_record.flags: which fields are known */
#define SOFTPT_REC_HAS_IP	1
#define SOFTPT_REC_HAS_VALUE	2
#define SOFTPT_REC_HAS_MIN	4	/* tsc and tsc_min */
#define SOFTPT_REC_HAS_MAX	8	/* tsc_max */
#define SOFTPT_REC_HAS_CYCLES	16	/* cycles */
#define SOFTPT_REC_HAS_TOTAL	32	/* cycles_total */

/**
 * struct softpt_record - something that happened
 * @offset: of its packet in the stream
 * @ip: address, see the kinds; 0: it has none
 * @value: see the kinds; 0: it has none
 * @tsc: best estimate of its time, in TSC ticks
 * @tsc_min: it did not happen before
 * @tsc_max: nor after
 * @kind: enum softpt_record_kind
 * @packet: enum softpt_packet_type
 * @flags: SOFTPT_REC_HAS_*
 * @reserved: 0
 * @private_: the library's own
 * @cycles: core cycles since the last anchor (TSC, MTC), where CYC tells them exactly
 * @cycles_total: all that CYC told up to there
 */
struct softpt_record {
	uint64_t offset;
	uint64_t ip;
	uint64_t value;
	uint64_t tsc;
	uint64_t tsc_min;
	uint64_t tsc_max;
	uint8_t kind;
	uint8_t packet;
	uint8_t flags;
	uint8_t reserved;
	uint32_t private_;	/* the library's own */
	uint64_t cycles;
	uint64_t cycles_total;
};

const char *softpt_record_kind_name(unsigned int kind);

struct softpt_decoder;

/**
 * softpt_decoder_new() - a decoder at the begin of a stream
 * @cfg: what the stream was made with, where it does not describe itself; NULL: it
 *	does, or it comes from elsewhere. A configuration vouches that the stream
 *	comes from a softpt unit: then what the stream does not contain is evidence
 *	too.
 *
 * Return: the decoder, or NULL when there is no memory.
 */
struct softpt_decoder *softpt_decoder_new(const struct softpt_config *cfg);

/**
 * softpt_decoder_set_foreign() - parameters of a stream of a real PT unit
 * @d: a decoder that has not begun
 * @cfg: tsc_ebx, tsc_eax, mtc_freq, p1, min_ratio and max_ratio count
 *
 * Nothing is concluded from what the stream does not contain.
 */
void softpt_decoder_set_foreign(struct softpt_decoder *d, const struct softpt_config *cfg);

void softpt_decoder_free(struct softpt_decoder *d);

/**
 * softpt_decoder_set_buffer() - decode a whole trace in place
 * @d: a decoder that has not begun
 * @buf: stays the caller's, and unchanged while the decoder uses it
 * @len: bytes
 */
void softpt_decoder_set_buffer(struct softpt_decoder *d, const void *buf, size_t len);

/**
 * softpt_decoder_feed() - append a piece of a stream
 * @d: a decoder that works piece by piece
 * @buf: copied
 * @len: bytes, any cut will do
 *
 * Return: 0, -ENOMEM, or -EINVAL after softpt_decoder_set_buffer() or _end().
 */
int softpt_decoder_feed(struct softpt_decoder *d, const void *buf, size_t len);

/**
 * softpt_decoder_end() - no more pieces will come
 * @d: the decoder
 */
void softpt_decoder_end(struct softpt_decoder *d);

/**
 * softpt_decoder_next() - the next record
 * @d: the decoder
 * @rec: set to a record that stays valid until the next call
 *
 * Return: 1 and @rec is set; 0 at the end, or when more has to be fed; or -ENOMEM, or
 * minus an enum softpt_error: the trace is damaged at softpt_decoder_resync()'s
 * offset, and the next call goes on at the next PSB; or, after SOFTPT_ERR_TIME, where it
 * was, without times up to the next TSC that is right.
 */
int softpt_decoder_next(struct softpt_decoder *d, const struct softpt_record **rec);

/**
 * struct softpt_record_run - what happened next: a record, or bits of TNT packets in a row
 * @first: the record; that of the first bit
 * @bits: outcomes, 1: taken, or a return that is compressed; the first is bit @count - 1
 * @count: how many they are, 64 at most; 0: @first is of no TNT packet
 * @reserved: 0
 * @decoder: that has it
 */
struct softpt_record_run {
	const struct softpt_record *first;
	uint64_t bits;
	uint32_t count;
	uint32_t reserved;
	struct softpt_decoder *decoder;
};

/**
 * softpt_decoder_next_run() - the next record, or the next bits together
 * @d: the decoder
 * @run: set to what stays valid until the next call for @d
 *
 * A stream whose time is found between packets of many branches is read faster so: bits of a run
 * have the same bounds. Bits that softpt_decoder_next() left of a run come one by one.
 *
 * Return: as softpt_decoder_next().
 */
int softpt_decoder_next_run(struct softpt_decoder *d, struct softpt_record_run *run);

/**
 * softpt_record_run_tsc() - the estimate of the time of a bit
 * @run: a run
 * @i: 0 is the first, @run->count - 1 the last
 *
 * Estimates of a run do not go back.
 *
 * Return: in TSC ticks, within the bounds of @run->first; 0: there is no such bit.
 */
uint64_t softpt_record_run_tsc(const struct softpt_record_run *run, unsigned int i);

/**
 * softpt_record_run_offset() - where the packet of a bit is in the stream
 * @run: a run
 * @i: 0 is the first, @run->count - 1 the last
 *
 * Return: the offset.
 */
uint64_t softpt_record_run_offset(const struct softpt_record_run *run, unsigned int i);

/**
 * softpt_decoder_resync() - where and why the decoder last lost its place
 * @d: the decoder
 */
const struct softpt_resync *softpt_decoder_resync(const struct softpt_decoder *d);

/**
 * softpt_decoder_config() - what the stream was made with, as far as known
 * @d: the decoder
 * @own: set to whether it comes from a softpt unit; may be NULL
 */
const struct softpt_config *softpt_decoder_config(const struct softpt_decoder *d, bool *own);

/* Timing packets seen, and MTCs that were missing between them */
struct softpt_decoder_counts {
	uint64_t packets;
	uint64_t mtc;
	uint64_t mtc_missing;
	uint64_t cyc;
	uint64_t tsc;
	uint64_t tsc_folded;	/* times that are told modulo 2^56 from there on */
};

const struct softpt_decoder_counts *softpt_decoder_counts(const struct softpt_decoder *d);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_DECODER_H */
