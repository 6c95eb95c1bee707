// SPDX-License-Identifier: BSD-2-Clause
/*
 * What each packet of a stream says: of the time (timeline.c), or of what happened (record.c).
 * Packets that belong together (FUP and what it binds to, PSB+) become one record.
 */
#include <errno.h>

#include "time/decoder.h"
#include "time/lookahead.h"
#include "time/record.h"

/*
 * Bytes that are looked at together: a packet, and the packets behind a TSC or OVF
 * that say what it means. A stream that is fed in pieces keeps so many back.
 */
#define LOOKAHEAD 64

/* ---- packets ---- */

static void take_fup(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	if (!softpt_ip_update(&d->last_ip, pkt) || d->in_psb)
		return;
	if (d->bind < d->time.n) {
		softpt_record_ip(&d->time.rec[d->bind], d->last_ip);
	} else if (!d->fup_taken) {
		d->fup = true;
		d->fup_ip = d->last_ip;
	}
	d->bind = SOFTPT_NO_BIND;
	d->fup_taken = false;
}

static int take_psb(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	struct softpt_record *rec = softpt_record_put(d, SOFTPT_REC_PSB, pkt, false);

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
	rec = softpt_record_put(d, SOFTPT_REC_OVF, pkt, d->time.after_cyc && !d->time.cyc_zero);
	if (!rec)
		return -ENOMEM;
	rec->private_ = SOFTPT_REC_PINNED;
	d->in_psb = false;
	d->last_ip = 0;
	d->fup = false;
	d->fup_taken = false;
	if (softpt_look_behind_ovf(&d->s, &ip)) {
		softpt_record_ip(rec, ip);
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
		return softpt_record_value(d, SOFTPT_REC_MODE, pkt, exec);
	err = softpt_record_value(d, SOFTPT_REC_TSX, pkt, pkt->payload & 3);
	d->bind = d->time.n - 1;
	return err;
}

/* The packet at hand says of the time what can't be. The path goes on. Return: 1 */
static int contradict(struct softpt_decoder *d, const struct softpt_packet *pkt)
{
	d->resync = (struct softpt_resync){
		.reason = -SOFTPT_ERR_TIME, .offset = softpt_offset_of(d) - pkt->size,
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
	return d->in_psb ? 0 : softpt_record_value(d, SOFTPT_REC_CBR, pkt, pkt->payload);
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
		return softpt_record_put(d, SOFTPT_REC_STOP, pkt, false) ? 0 : -ENOMEM;
	case SOFTPT_PKT_MNT:
		take_mnt(d, pkt);
		return 0;
	case SOFTPT_PKT_MODE_EXEC:
	case SOFTPT_PKT_MODE_TSX:
		return take_mode(d, pkt);
	case SOFTPT_PKT_CBR:
		return take_cbr(d, pkt);
	case SOFTPT_PKT_PIP:
		return d->in_psb ? 0 : softpt_record_value(d, SOFTPT_REC_CR3, pkt, pkt->payload);
	case SOFTPT_PKT_VMCS:
		return d->in_psb ? 0 : softpt_record_value(d, SOFTPT_REC_VMCS, pkt, pkt->payload);
	case SOFTPT_PKT_PTW:
		return softpt_record_value(d, SOFTPT_REC_PTW, pkt, pkt->payload);
	case SOFTPT_PKT_EXSTOP:
	case SOFTPT_PKT_MWAIT:
	case SOFTPT_PKT_PWRE:
	case SOFTPT_PKT_PWRX:
		return softpt_record_value(d, SOFTPT_REC_PWR, pkt, pkt->payload);
	case SOFTPT_PKT_CFE:
		return softpt_record_value(d, SOFTPT_REC_CFE, pkt,
				 (uint64_t)pkt->payload2 << 8 | pkt->payload);
	case SOFTPT_PKT_EVD:
		return softpt_record_value(d, SOFTPT_REC_EVD, pkt, pkt->payload);
	case SOFTPT_PKT_TRIG:
		return softpt_record_value(d, SOFTPT_REC_TRIG, pkt, pkt->payload);
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
		err = softpt_record_bits(d, pkt);
		break;
	case SOFTPT_PKT_TIP:
	case SOFTPT_PKT_TIP_PGE:
	case SOFTPT_PKT_TIP_PGD:
		err = softpt_record_tip(d, pkt);
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
	d->resync = (struct softpt_resync){ .reason = reason, .offset = softpt_offset_of(d) };
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
	return d->resync.reason && softpt_offset_of(d) + SOFTPT_SIZE_PSB <= d->resync.offset;
}

/*
 * Go to a PSB. A stream that is fed may end inside one: what could be its begin is
 * kept.
 */
static bool sync(struct softpt_decoder *d)
{
	uint64_t at;
	bool found;

	while ((found = !softpt_sync_forward(&d->s, d->resync.reason, NULL)) && is_old(d))
		d->s.pos++;
	if (!found && !d->ended && !d->whole)
		d->s.pos -= softpt_sync_back(&d->s);
	d->synced = found;
	at = softpt_offset_of(d);
	d->resync.skipped = at > d->resync.offset ? at - d->resync.offset : 0;
	return found;
}

/* The next packet. Return: as take() */
static int take_next(struct softpt_decoder *d)
{
	struct softpt_packet pkt;
	int ret;

	if (softpt_record_short(d))
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
