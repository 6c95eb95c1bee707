// SPDX-License-Identifier: BSD-2-Clause
/* What happened, as a record that waits for its time */
#include <errno.h>

#include "time/record.h"

static bool is_cyc_eligible(unsigned int type)
{
	static const uint8_t flags[SOFTPT_PKT_NR] = {
#define X(id, name, opc, ext, bytes, flags) \
	[SOFTPT_PKT_##id] = flags,
		SOFTPT_PACKETS(X)
#undef X
	};

	return type < SOFTPT_PKT_NR && flags[type] & SOFTPT_PKF_CYC;
}

/*
 * At the time of the TSC right before it: with resume=tsc whatever follows that TSC; with pge_tsc=1
 * a TIP.PGE and its MODE; else what stops the trace or the clocks, for the TSC is its closing
 * anchor.
 */
static bool take_anchor(struct softpt_decoder *d, unsigned int kind, unsigned int packet)
{
	bool at = d->at_anchor, any = d->time.cfg.resume == SOFTPT_RESUME_TSC;

	if (!at)
		return false;
	/* MODE.Exec goes with the TIP behind it, TraceStop with the TIP.PGD before it. */
	d->at_anchor = kind == SOFTPT_REC_MODE || (kind == SOFTPT_REC_DISABLE && !any);
	if (d->time.cfg.flags & SOFTPT_F_PGE_TSC)
		any |= kind == SOFTPT_REC_ENABLE || kind == SOFTPT_REC_MODE;
	return any || kind == SOFTPT_REC_DISABLE || kind == SOFTPT_REC_STOP ||
	       packet == SOFTPT_PKT_EXSTOP;
}

/*
 * At the time of the restart right before it: its CBR; with pge_tsc=1 the TIP.PGE of an enable, for
 * any other has a TSC of its own.
 */
static bool take_restart(struct softpt_decoder *d, unsigned int kind)
{
	enum softpt_restarted was = d->restarted;

	if (kind == SOFTPT_REC_CBR && was == SOFTPT_TSC_RESTARTED)
		d->restarted = SOFTPT_CBR_RESTARTED;
	else if (kind != SOFTPT_REC_MODE)
		d->restarted = SOFTPT_NOT_RESTARTED;
	if (kind == SOFTPT_REC_CBR)
		return was == SOFTPT_TSC_RESTARTED;
	return was && kind == SOFTPT_REC_ENABLE && d->time.cfg.flags & SOFTPT_F_PGE_TSC;
}

struct softpt_record *softpt_record_put(struct softpt_decoder *d, unsigned int kind,
					const struct softpt_packet *pkt, bool exact)
{
	struct softpt_record *rec = softpt_time_record(&d->time, exact);

	if (!rec)
		return NULL;
	rec->offset = softpt_offset_of(d) - pkt->size;
	if (take_anchor(d, kind, pkt->type) || take_restart(d, kind))
		rec->private_ = SOFTPT_REC_AT_ANCHOR;
	rec->kind = kind;
	rec->packet = pkt->type;
	return rec;
}

int softpt_record_value(struct softpt_decoder *d, unsigned int kind,
			const struct softpt_packet *pkt, uint64_t value)
{
	struct softpt_record *rec = softpt_record_put(d, kind, pkt, is_cyc_eligible(pkt->type));

	if (!rec)
		return -ENOMEM;
	rec->value = value;
	rec->flags |= SOFTPT_REC_HAS_VALUE;
	if (pkt->flags & SOFTPT_PKT_IP)
		d->bind = d->time.n - 1;
	return 0;
}

/* Nothing but the packets around them tells the time of bits, or tells them apart. */
static bool is_plain(const struct softpt_decoder *d)
{
	return !d->time.after_cyc && !(d->time.cfg.flags & SOFTPT_F_CYC) && !d->at_anchor &&
	       d->restarted == SOFTPT_NOT_RESTARTED;
}

/*
 * Bits go on with those of the record before where their packets are short ones in a row. All but
 * the last of a run have six bits, so that the offset of each bit is known. Return: whether they do
 */
static bool append_bits(struct softpt_decoder *d, uint64_t offset, unsigned int count,
			uint64_t bits)
{
	struct softpt_record *rec = d->time.n ? &d->time.rec[d->time.n - 1] : NULL;

	if (!rec || !(rec->private_ & SOFTPT_REC_PLAIN) || !rec->reserved ||
	    rec->reserved % SOFTPT_BITS_SHORT || rec->reserved + count > 64 ||
	    rec->offset + rec->reserved / SOFTPT_BITS_SHORT != offset)
		return false;
	rec->value = rec->value << count | bits;
	rec->reserved += count;
	d->time.events += count;
	return true;
}

static int put_run(struct softpt_decoder *d, const struct softpt_packet *pkt, uint64_t bits,
		   unsigned int count, bool exact)
{
	unsigned int kind = bits >> (count - 1) & 1 ? SOFTPT_REC_TAKEN : SOFTPT_REC_NOT;
	struct softpt_record *rec = softpt_record_put(d, kind, pkt, exact);

	if (!rec)
		return -ENOMEM;
	if (count == 1)
		return 0;
	rec->value = bits;
	rec->reserved = count;
	d->time.events += count - 1;
	return 0;
}

int softpt_record_bits(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	unsigned int rest = pkt->count - 1;
	bool plain = is_plain(d);
	int err;

	if (plain && pkt->type == SOFTPT_PKT_TNT8 &&
	    append_bits(d, softpt_offset_of(d) - 1, pkt->count, pkt->payload))
		return 0;
	if (plain) {
		err = put_run(d, pkt, pkt->payload, pkt->count, false);
		if (!err && pkt->type == SOFTPT_PKT_TNT8)
			d->time.rec[d->time.n - 1].private_ |= SOFTPT_REC_PLAIN;
		return err;
	}
	/* The CYC tells the time of the first bit. */
	err = put_run(d, pkt, pkt->payload >> rest, 1, true);
	if (err || !rest)
		return err;
	return put_run(d, pkt, pkt->payload & ((1ull << rest) - 1), rest, false);
}

int softpt_record_tip(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	bool has_ip = softpt_ip_update(&d->last_ip, pkt);
	struct softpt_record *rec;
	unsigned int kind;

	if (pkt->type == SOFTPT_PKT_TIP_PGE)
		kind = SOFTPT_REC_ENABLE;
	else if (pkt->type == SOFTPT_PKT_TIP_PGD)
		kind = SOFTPT_REC_DISABLE;
	else
		kind = d->fup ? SOFTPT_REC_INTR : SOFTPT_REC_TIP;
	rec = softpt_record_put(d, kind, pkt, true);
	if (!rec)
		return -ENOMEM;
	if (kind == SOFTPT_REC_ENABLE || kind == SOFTPT_REC_TIP) {
		if (has_ip)
			softpt_record_ip(rec, d->last_ip);
	} else {
		if (d->fup)
			softpt_record_ip(rec, d->fup_ip);
		if (has_ip) {
			rec->value = d->last_ip;
			rec->flags |= SOFTPT_REC_HAS_VALUE;
		}
	}
	d->fup = false;
	return 0;
}

bool softpt_record_short(struct softpt_decoder *d)
{
	const uint8_t byte = *d->s.pos;
	unsigned int count;

	if (byte & 1 || byte <= SOFTPT_OPC_PSB || d->s.block)
		return false;
	count = 30 - __builtin_clz(byte);
	if (!append_bits(d, softpt_offset_of(d), count, byte >> 1 & ((1u << count) - 1)))
		return false;
	d->s.pos++;
	d->time.counts.packets++;
	return true;
}
