// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets -> records. Packets that belong together (FUP and what it binds to, PSB+)
 * become one record; timeline.c knows when.
 */
#include <errno.h>

#include "time/decoder.h"
#include "time/lookahead.h"

/*
 * Bytes that are looked at together: a packet, and the packets behind a TSC or OVF
 * that say what it means. A stream that is fed in pieces keeps so many back.
 */
#define LOOKAHEAD 64

static uint64_t offset_of(const struct softpt_decoder *d)
{
	return d->own_base + softpt_stream_offset(&d->s);
}

/* ---- records ---- */

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

static struct softpt_record *record(struct softpt_decoder *d, unsigned int kind,
				    const struct softpt_packet *pkt, bool exact)
{
	struct softpt_record *rec = softpt_time_record(&d->time, exact);

	if (!rec)
		return NULL;
	rec->offset = offset_of(d) - pkt->size;
	if (take_anchor(d, kind, pkt->type) || take_restart(d, kind))
		rec->private_ = SOFTPT_REC_AT_ANCHOR;
	rec->kind = kind;
	rec->packet = pkt->type;
	return rec;
}

static void set_ip(struct softpt_record *rec, uint64_t ip)
{
	rec->ip = ip;
	rec->flags |= SOFTPT_REC_HAS_IP;
}

static int put_value(struct softpt_decoder *d, unsigned int kind, const struct softpt_packet *pkt,
		     uint64_t value)
{
	struct softpt_record *rec = record(d, kind, pkt, is_cyc_eligible(pkt->type));

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
	struct softpt_record *rec = record(d, kind, pkt, exact);

	if (!rec)
		return -ENOMEM;
	if (count == 1)
		return 0;
	rec->value = bits;
	rec->reserved = count;
	d->time.events += count - 1;
	return 0;
}

static int put_bits(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	unsigned int rest = pkt->count - 1;
	bool plain = is_plain(d);
	int err;

	if (plain && pkt->type == SOFTPT_PKT_TNT8 &&
	    append_bits(d, offset_of(d) - 1, pkt->count, pkt->payload))
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

/* TIP, TIP.PGE, TIP.PGD; with a FUP before it, it was asynchronous */
static int put_tip(struct softpt_decoder *d, const struct softpt_packet *pkt)
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
	rec = record(d, kind, pkt, true);
	if (!rec)
		return -ENOMEM;
	if (kind == SOFTPT_REC_ENABLE || kind == SOFTPT_REC_TIP) {
		if (has_ip)
			set_ip(rec, d->last_ip);
	} else {
		if (d->fup)
			set_ip(rec, d->fup_ip);
		if (has_ip) {
			rec->value = d->last_ip;
			rec->flags |= SOFTPT_REC_HAS_VALUE;
		}
	}
	d->fup = false;
	return 0;
}

static void take_fup(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	if (!softpt_ip_update(&d->last_ip, pkt) || d->in_psb)
		return;
	if (d->bind < d->time.n) {
		set_ip(&d->time.rec[d->bind], d->last_ip);
	} else if (!d->fup_taken) {
		d->fup = true;
		d->fup_ip = d->last_ip;
	}
	d->bind = SOFTPT_NO_BIND;
	d->fup_taken = false;
}

/* ---- packets ---- */

static int take_psb(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	struct softpt_record *rec = record(d, SOFTPT_REC_PSB, pkt, false);

	if (!rec)
		return -ENOMEM;
	/* A PSB+ is sent at one instant, and a CYC goes before the PSB. */
	rec->private_ = SOFTPT_REC_PINNED;
	d->at_anchor = false;
	d->in_psb = true;
	d->described = false;
	d->last_ip = 0;
	d->fup = false;
	return 0;
}

static int take_ovf(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	struct softpt_record *rec;
	uint64_t ip;

	softpt_time_stop(&d->time);
	/* With no CYC, or one of 0, the cycle counter may have been reset in between. */
	rec = record(d, SOFTPT_REC_OVF, pkt, d->time.after_cyc && !d->time.cyc_zero);
	if (!rec)
		return -ENOMEM;
	rec->private_ = SOFTPT_REC_PINNED;
	d->in_psb = false;
	d->last_ip = 0;
	d->fup = false;
	d->fup_taken = false;
	if (softpt_look_behind_ovf(&d->s, &ip)) {
		set_ip(rec, ip);
		d->fup_taken = true;
	}
	return 0;
}

static void take_mnt(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	if (!softpt_describe(&d->desc, pkt->payload))
		return;
	d->described = true;
	d->time.described = true;
	d->time.tsc_high = d->desc.tsc_high;
	if (!d->given)
		softpt_time_config(&d->time, &d->desc.config, true);
}

/* Two in a row: the core clock changed and no CBR told */
static void take_pad(struct softpt_decoder *d)
{
	if (d->pad && d->time.own)
		softpt_time_unannounced(&d->time);
	d->pad = true;
	d->at_anchor = false;
	d->restarted = SOFTPT_NOT_RESTARTED;
}

static int take_mode(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	uint64_t exec = pkt->payload & SOFTPT_MODE_CSL ? 64 :
			pkt->payload & SOFTPT_MODE_CSD ? 32 : 16;
	int err;

	if (d->in_psb)
		return 0;
	if (pkt->type == SOFTPT_PKT_MODE_EXEC)
		return put_value(d, SOFTPT_REC_MODE, pkt, exec);
	err = put_value(d, SOFTPT_REC_TSX, pkt, pkt->payload & 3);
	d->bind = d->time.n - 1;
	return err;
}

/* The packet at hand says of the time what can't be. The path goes on. Return: 1 */
static int contradict(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	d->resync = (struct softpt_resync){
		.reason = -SOFTPT_ERR_TIME, .offset = offset_of(d) - pkt->size,
	};
	d->failed = true;
	return 1;
}

static int take_tsc(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	struct softpt_tsc tsc = { .tsc = pkt->payload, .told = d->in_psb && d->described };
	struct softpt_tsc next = { 0 };
	bool good;

	softpt_look_behind_tsc(&d->s, &tsc);
	if (d->in_psb || d->time.stop != SIZE_MAX)
		tsc.end = SOFTPT_END_TSC;
	if (softpt_time_wants_next(&d->time) && softpt_look_for_tsc(&d->s, &next))
		tsc.next = &next;
	d->restart = tsc.end == SOFTPT_END_RESTART;
	d->at_anchor = d->time.own && !d->in_psb && tsc.end == SOFTPT_END_TSC &&
		       d->time.stop == SIZE_MAX;
	good = softpt_time_tsc(&d->time, &tsc);
	d->at_anchor &= good;
	d->tma = tsc.tma;
	d->restarted = good && d->restart && d->time.own ? SOFTPT_TSC_RESTARTED :
		       SOFTPT_NOT_RESTARTED;
	return good ? 1 : contradict(d, pkt);
}

/* Where it stands alone its TSC became something else, and what that would say is unknown. */
static int take_tma(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	bool alone = !d->tma;

	d->tma = false;
	if (alone && softpt_time_has_ticks(&d->time)) {
		softpt_time_lost(&d->time);
		return contradict(d, pkt);
	}
	softpt_time_tma(&d->time, pkt->payload, pkt->payload2);
	return 0;
}

/* Timing packets. Return: 1 when the interval has ended */
static int take_timing(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	switch (pkt->type) {
	case SOFTPT_PKT_CYC:
		/* Fewer cycles than the threshold: no time passed since the TSC, a CBR follows. */
		d->at_anchor &= pkt->payload && pkt->payload <= d->time.thresh;
		d->restarted = SOFTPT_NOT_RESTARTED;
		softpt_time_cyc(&d->time, pkt->payload);
		return 0;
	case SOFTPT_PKT_MTC:
		d->at_anchor = false;
		d->restarted = SOFTPT_NOT_RESTARTED;
		return softpt_time_mtc(&d->time, pkt->payload);
	case SOFTPT_PKT_TSC:
		return take_tsc(d, pkt);
	default:
		return take_tma(d, pkt);
	}
}

static int take_cbr(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	softpt_time_cbr(&d->time, pkt->payload, d->in_psb || d->restart);
	d->restart = false;
	return d->in_psb ? 0 : put_value(d, SOFTPT_REC_CBR, pkt, pkt->payload);
}

static int take_rare(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	switch (pkt->type) {
	case SOFTPT_PKT_PSB:
		return take_psb(d, pkt);
	case SOFTPT_PKT_PSBEND:
		d->in_psb = false;
		return 0;
	case SOFTPT_PKT_OVF:
		return take_ovf(d, pkt);
	case SOFTPT_PKT_STOP:
		return record(d, SOFTPT_REC_STOP, pkt, false) ? 0 : -ENOMEM;
	case SOFTPT_PKT_MNT:
		take_mnt(d, pkt);
		return 0;
	case SOFTPT_PKT_MODE_EXEC:
	case SOFTPT_PKT_MODE_TSX:
		return take_mode(d, pkt);
	case SOFTPT_PKT_CBR:
		return take_cbr(d, pkt);
	case SOFTPT_PKT_PIP:
		return d->in_psb ? 0 : put_value(d, SOFTPT_REC_CR3, pkt, pkt->payload);
	case SOFTPT_PKT_VMCS:
		return d->in_psb ? 0 : put_value(d, SOFTPT_REC_VMCS, pkt, pkt->payload);
	case SOFTPT_PKT_PTW:
		return put_value(d, SOFTPT_REC_PTW, pkt, pkt->payload);
	case SOFTPT_PKT_EXSTOP:
	case SOFTPT_PKT_MWAIT:
	case SOFTPT_PKT_PWRE:
	case SOFTPT_PKT_PWRX:
		return put_value(d, SOFTPT_REC_PWR, pkt, pkt->payload);
	case SOFTPT_PKT_CFE:
		return put_value(d, SOFTPT_REC_CFE, pkt,
				 (uint64_t)pkt->payload2 << 8 | pkt->payload);
	case SOFTPT_PKT_EVD:
		return put_value(d, SOFTPT_REC_EVD, pkt, pkt->payload);
	case SOFTPT_PKT_TRIG:
		return put_value(d, SOFTPT_REC_TRIG, pkt, pkt->payload);
	case SOFTPT_PKT_PAD:
		take_pad(d);
		return 0;
	case SOFTPT_PKT_BEP:
		d->fup_taken = pkt->flags & SOFTPT_PKT_IP;
		return 0;
	default:
		return 0;	/* blocks: nothing that has a record */
	}
}

/* Return: 1 when the interval has ended, 0 to go on, -ENOMEM */
static int take(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	int err;

	d->time.counts.packets++;
	if (pkt->type != SOFTPT_PKT_FUP)
		d->bind = SOFTPT_NO_BIND;
	switch (pkt->type) {
	case SOFTPT_PKT_CYC:
	case SOFTPT_PKT_MTC:
	case SOFTPT_PKT_TSC:
	case SOFTPT_PKT_TMA:
		d->pad = false;
		return take_timing(d, pkt);
	case SOFTPT_PKT_FUP:
		d->pad = false;
		take_fup(d, pkt);
		return 0;	/* of the clock of what it binds to */
	case SOFTPT_PKT_TNT8:
	case SOFTPT_PKT_TNT64:
		err = put_bits(d, pkt);
		break;
	case SOFTPT_PKT_TIP:
	case SOFTPT_PKT_TIP_PGE:
	case SOFTPT_PKT_TIP_PGD:
		err = put_tip(d, pkt);
		break;
	default:
		err = take_rare(d, pkt);
		break;
	}
	if (pkt->type != SOFTPT_PKT_PAD) {
		d->time.after_cyc = false;
		d->pad = false;
	}
	return err;
}

/* ---- the stream ---- */

static void lose(struct softpt_decoder *d, int reason)
{
	softpt_time_lost(&d->time);
	d->resync = (struct softpt_resync){ .reason = reason, .offset = offset_of(d) };
	d->time.partial = true;
	d->failed = true;
	d->synced = false;
	d->in_psb = false;
	d->at_anchor = false;
	d->restarted = SOFTPT_NOT_RESTARTED;
	d->fup = false;
	d->fup_taken = false;
	d->bind = SOFTPT_NO_BIND;
	/* A PSB may begin inside the packet before this one. */
	d->s.pos -= softpt_sync_back(&d->s);
}

/* A PSB that was over where the stream got lost has been read. */
static bool is_old(const struct softpt_decoder *d)
{
	return d->resync.reason && offset_of(d) + SOFTPT_SIZE_PSB <= d->resync.offset;
}

/*
 * Go to a PSB. A stream that is fed may end inside one: what could be its begin is
 * kept.
 */
static bool sync(struct softpt_decoder *d)
{
	bool found;

	while ((found = !softpt_sync_forward(&d->s, d->resync.reason, NULL)) && is_old(d))
		d->s.pos++;
	if (!found && !d->ended && !d->whole)
		d->s.pos -= softpt_sync_back(&d->s);
	d->synced = found;
	d->resync.skipped = offset_of(d) > d->resync.offset ? offset_of(d) - d->resync.offset : 0;
	return found;
}

/* A short TNT packet behind another. Return: whether it was one, and is past */
static bool append_short(struct softpt_decoder *d)
{
	const uint8_t byte = *d->s.pos;
	unsigned int count;

	if (byte & 1 || byte <= SOFTPT_OPC_PSB || d->s.block)
		return false;
	count = 30 - __builtin_clz(byte);
	if (!append_bits(d, offset_of(d), count, byte >> 1 & ((1u << count) - 1)))
		return false;
	d->s.pos++;
	d->time.counts.packets++;
	return true;
}

/* The next packet. Return: as take() */
static int take_next(struct softpt_decoder *d)
{
	struct softpt_packet pkt;
	int ret;

	if (append_short(d))
		return 0;
	ret = softpt_stream_parse(&d->s, &pkt);
	if (ret < 0) {
		lose(d, ret);
		return 1;
	}
	if (pkt.type != SOFTPT_PKT_MTC || !softpt_time_mtc_quick(&d->time, pkt.payload))
		return take(d, &pkt);
	d->time.counts.packets++;
	d->at_anchor = false;
	d->restarted = SOFTPT_NOT_RESTARTED;
	d->pad = false;
	return 0;
}

static int ready(struct softpt_decoder *d)
{
	d->ready = true;
	d->out = 0;
	return 1;
}

int softpt_decoder_fill(struct softpt_decoder *d)
{
	size_t back = d->ended || d->whole ? 0 : LOOKAHEAD;
	int ret;

	while ((size_t)(d->s.end - d->s.pos) > back) {
		if (!d->synced && !sync(d))
			break;
		ret = take_next(d);
		if (ret < 0)
			return ret;
		if (!ret && d->time.events >= SOFTPT_EVENTS_MAX) {
			softpt_time_flush(&d->time);
			ret = 1;
		}
		if (ret && (d->time.n || d->failed))
			return ready(d);
		if (ret)
			softpt_time_drained(&d->time);
	}
	if ((!d->ended && !d->whole) || !d->time.n)
		return 0;
	softpt_time_end(&d->time);
	return ready(d);
}

const struct softpt_resync *softpt_decoder_resync(const struct softpt_decoder *d)
{
	return &d->resync;
}

const struct softpt_config *softpt_decoder_config(const struct softpt_decoder *d, bool *own)
{
	if (own)
		*own = d->time.own;
	return &d->time.cfg;
}

const struct softpt_decoder_counts *softpt_decoder_counts(const struct softpt_decoder *d)
{
	return &d->time.counts;
}

const char *softpt_record_kind_name(unsigned int kind)
{
	static const char *const names[SOFTPT_REC_NR] = {
#define X(id, name) \
	[SOFTPT_REC_##id] = name,
		SOFTPT_RECORD_KINDS(X)
#undef X
	};

	return kind < SOFTPT_REC_NR ? names[kind] : "?";
}
