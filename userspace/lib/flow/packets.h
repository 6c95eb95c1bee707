/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of a stream: what they say beforehand, as libipt is given them, where a path can go on */
#ifndef SOFTPT_FLOW_PACKETS_H
#define SOFTPT_FLOW_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/decoder.h>

#include "flow/step.h"
#include "input/input.h"

/* ---- what is behind (stream.c) ---- */

/* Whether packets of a type may stand between two that belong together */
bool flow_is_timing(unsigned int type);

/* Whether a CFE type is of what comes between two instructions: its FUP is the branch's, too */
bool flow_is_async(unsigned int type);

/* The type of the next packet that is no time. Return: SOFTPT_PKT_NR at the end */
unsigned int flow_next_type(struct softpt_stream *s);

/* A decoder at the begin of a stream. Return: NULL without memory */
struct softpt_decoder *flow_decoder_new(const struct input *in, const struct input_stream *stream);

/* Whether softpt made the packets: they say so behind the first PSB */
bool flow_is_ours(const uint8_t *buf, size_t len);

/* Where the program is, as the PSB+ at an offset says. 0: it does not */
uint64_t flow_psb_ip(const struct input_stream *stream, uint64_t offset);

/* Whether the transaction is aborted that the packet at an offset is of, a MODE.TSX or a PSB */
bool flow_aborts(const struct input_stream *stream, uint64_t offset);

/* ---- a copy of the packets (copy.c) ---- */

#define FLOW_BEFORE	64	/* PADs before the stream: room for a PSB+ that is made there */

/* A MODE.TSX packet within a transaction */
struct flow_transaction {
	uint64_t offset;
	bool aborted;		/* as its end says */
};

/**
 * struct flow_copy - a stream, without the packets that libipt does not know
 * @bytes: FLOW_BEFORE PADs, then @len bytes
 * @len: bytes of @buf that are used
 * @tx: what is known of transactions, by offset
 * @nr: entries of the index
 * @alloc: entries that there is room for
 * @open: packets are being copied
 * @ours: it says that softpt made it, and no processor
 */
struct flow_copy {
	uint8_t *bytes;
	size_t len;
	struct flow_transaction *tx;
	size_t nr;
	size_t alloc;
	size_t open;		/* first of @tx whose end has not come */
	bool ours;
};

/* Return: false without memory; flow_copy_end() in both cases */
bool flow_copy_begin(struct flow_copy *copy, const struct input_stream *from);
void flow_copy_end(struct flow_copy *copy);

/* ---- places (resume.c) ---- */

/**
 * struct flow_place - where a decoder can begin
 * @at: offset of a PSB, of what is behind a packet with an IP, or of what a FUP belongs to
 * @sync: offset of that packet
 * @ip: where it is
 * @made: there is no PSB: flow_place_make() makes one
 * @has_ip: the program is at @ip
 * @packet: that says so
 * @exec: second byte of MODE.Exec
 * @intx: in a transaction
 */
struct flow_place {
	uint64_t at;
	uint64_t sync;
	uint64_t ip;
	bool made;
	bool has_ip;
	bool intx;
	uint8_t exec;
	enum flow_packet packet;
};

/**
 * struct flow_start - a PSB amid a program, which a walk can begin at
 * @offset: of it; 0: the walk begins where the stream does
 * @ip: where the walk is that comes there: behind what the packet before led to, while the PSB+ may
 *	have the address of an instruction further on, which no packet is needed for
 * @tsc: when it was written
 */
struct flow_start {
	uint64_t offset;
	uint64_t ip;
	uint64_t tsc;
};

/* How far it has read, and what it knows there */
struct flow_resume {
	struct softpt_stream stream;
	uint64_t at;		/* of the last packet */
	uint64_t ip;
	uint64_t bound;		/* of the packet that the next FUP belongs to, */
	bool binds;		/* if there is one: PTW and the like */
	bool found;		/* a PSB */
	bool header;		/* in a PSB+ */
	bool intx;
	uint8_t exec;
};

void flow_resume_begin(struct flow_resume *r, const struct input_stream *stream);
/* The same, but for what is before the PSB at @offset */
void flow_resume_begin_at(struct flow_resume *r, const struct input_stream *stream,
			  uint64_t offset);

/**
 * flow_resume_find() - the next place
 * @r: where walks can go on
 * @from: no packet before this offset; grows from call to call
 * @place: filled in
 *
 * A PSB, or a packet that says where the program is.
 *
 * Return: false: none until the end.
 */
bool flow_resume_find(struct flow_resume *r, uint64_t from, struct flow_place *place);

/* A PSB+ in @copy, over what was read before the place. Return: its offset in @copy->bytes */
uint64_t flow_place_make(struct flow_copy *copy, const struct flow_place *place);

#endif /* SOFTPT_FLOW_PACKETS_H */
