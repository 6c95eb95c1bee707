// SPDX-License-Identifier: BSD-2-Clause
/* Records -> events: the way back from a trace to what the engine was told */
#include "export/rebuild.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/packets.h>

#include "packet/packet.h"

/* A record and when it happened */
struct row {
	struct softpt_record rec;
	uint64_t tsc;
	int from;		/* kind of event, where the truth tells; or -1 */
};

struct rebuild {
	struct error *error;
	struct event_list *list;
	struct row *rows;
	size_t n;
	size_t alloc;
	uint64_t now;
	uint64_t told;		/* by the truth, last */
	uint64_t ip;		/* where execution goes on, as far as known */
	uint64_t ratio;
	size_t next;		/* enable behind the last disable that was looked at */
	bool next_is_trace;	/* it is of TraceEn */
	bool on;		/* TraceEn */
	int err;
};

static bool is_kernel(uint64_t ip)
{
	return ip >> 63;
}

/* ---- reading ---- */

static int add_row(struct rebuild *r, const struct softpt_record *rec,
		   const struct truth_row *truth)
{
	struct row row = { .rec = *rec, .from = -1, .tsc = r->now };

	if (r->n == r->alloc) {
		size_t alloc = r->alloc ? r->alloc * 2 : 4096;
		struct row *rows = reallocarray(r->rows, alloc, sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		r->rows = rows;
		r->alloc = alloc;
	}
	if (truth && truth->known) {
		row.tsc = truth->tsc;
		if (truth->event_kind < SOFTPT_EV_NR)
			row.from = truth->event_kind;
	} else if (rec->flags & SOFTPT_REC_HAS_MIN) {
		row.tsc = rec->tsc;
	}
	if (row.tsc < r->now)
		row.tsc = r->now;
	r->now = row.tsc;
	r->rows[r->n++] = row;
	return 0;
}

static int read_rows(struct rebuild *r, struct softpt_decoder *d, const struct truth_rows *truth)
{
	const struct truth_row *told = NULL;
	const struct softpt_record *rec;
	int ret;

	while ((ret = softpt_decoder_next(d, &rec)) > 0) {
		if (truth) {
			if (r->n == truth->n || truth->v[r->n].kind != rec->kind)
				return error_set(r->error, -EINVAL,
						 "its truth is of another trace: row %zu",
						 r->n + 1);
			told = &truth->v[r->n];
			if (told->known && told->tsc < r->told)
				return error_set(r->error, -EINVAL,
						 "its truth goes back: row %zu is at %" PRIu64
						 ", a row before it at %" PRIu64
						 ": no trace is so, was the file changed?",
						 r->n + 1, told->tsc, r->told);
			if (told->known)
				r->told = told->tsc;
		}
		if (add_row(r, rec, told))
			return error_set_errno(r->error, -ENOMEM);
	}
	if (ret < 0)
		return error_set_at(r->error, -EILSEQ, softpt_decoder_resync(d)->offset, "%s",
				    softpt_strerror(ret));
	if (truth && r->n < truth->n)
		return error_set(r->error, -EINVAL, "its truth is of another trace: %zu rows too many",
				 truth->n - r->n);
	return r->n ? 0 : error_set(r->error, -ENODATA, "no event");
}

/* ---- writing ---- */

static void put(struct rebuild *r, uint64_t tsc, struct softpt_event ev)
{
	struct event_list *list = r->list;

	if (list->n == list->alloc) {
		size_t alloc = list->alloc ? list->alloc * 2 : 4096;
		struct softpt_event *v = reallocarray(list->ev, alloc, sizeof(*v));

		if (!v) {
			r->err = -ENOMEM;
			return;
		}
		list->ev = v;
		list->alloc = alloc;
	}
	ev.tsc = tsc;
	list->ev[list->n++] = ev;
}

/* TSC, TMA, CBR in a row: the clocks stood still. A CBR before an enable is of TraceEn. */
static bool is_trace_enable(const struct rebuild *r, size_t i)
{
	if (r->rows[i].from >= 0)
		return r->rows[i].from == SOFTPT_EV_ENABLE;
	while (i && r->rows[i - 1].rec.kind == SOFTPT_REC_MODE)
		i--;
	return i && r->rows[i - 1].rec.kind == SOFTPT_REC_CBR;
}

/* A disable is of TraceEn when the enable behind it is, which is looked for but once. */
static bool is_trace_disable(struct rebuild *r, size_t i)
{
	if (r->rows[i].from >= 0)
		return r->rows[i].from == SOFTPT_EV_DISABLE;
	if (r->next <= i) {
		for (r->next = i + 1; r->next < r->n; r->next++)
			if (r->rows[r->next].rec.kind == SOFTPT_REC_ENABLE)
				break;
		r->next_is_trace = r->next == r->n || is_trace_enable(r, r->next);
	}
	return r->next_is_trace;
}

/* PacketEn is a matter of CPL here, whatever it was there: packets and ticks are the same. */
static void enable(struct rebuild *r, size_t i)
{
	const struct row *row = &r->rows[i];
	struct softpt_event ev = { .ip = row->rec.ip };

	if (!r->on && is_trace_enable(r, i)) {
		ev.kind = SOFTPT_EV_ENABLE;
		put(r, row->tsc, (struct softpt_event){ .kind = SOFTPT_EV_CPL, .cpl = 3 });
		r->on = true;
	} else {
		ev.kind = SOFTPT_EV_CPL;
		ev.cpl = 3;
		ev.flags = SOFTPT_EVF_IP;
	}
	put(r, row->tsc, ev);
	r->ip = ev.ip;
}

static void disable(struct rebuild *r, size_t i)
{
	const struct softpt_record *rec = &r->rows[i].rec;
	bool ip = rec->flags & SOFTPT_REC_HAS_IP;
	struct softpt_event ev = { .kind = SOFTPT_EV_FAR, .ip = ip ? rec->ip : r->ip };

	if (is_trace_disable(r, i)) {
		ev.kind = SOFTPT_EV_DISABLE;
		ev.flags = ip ? SOFTPT_EVF_IP : 0;
		r->on = false;
	} else if (ip) {
		ev.kind = SOFTPT_EV_INTR;
	}
	put(r, r->rows[i].tsc, ev);
}

/* A branch that tells its target. One into the kernel, or out of it, is a far transfer. */
static void tip(struct rebuild *r, const struct row *row)
{
	const struct softpt_record *rec = &row->rec;
	struct softpt_event ev = { .kind = SOFTPT_EV_IJMP, .ip = r->ip, .target = rec->ip };

	if (rec->kind == SOFTPT_REC_INTR) {
		ev.kind = SOFTPT_EV_INTR;
		ev.ip = rec->ip;
		ev.target = rec->value;
	} else if (is_kernel(ev.ip) != is_kernel(ev.target)) {
		ev.kind = SOFTPT_EV_FAR;
	}
	if (ev.kind != SOFTPT_EV_IJMP)
		ev.cpl = is_kernel(ev.target) ? 0 : 3;
	put(r, row->tsc, ev);
	r->ip = ev.target;
}

/* From the row before to this one. What sleeps may be woken at once, by what happens next. */
static void since(struct rebuild *r, size_t i, uint16_t kind)
{
	uint64_t from = i ? r->rows[i - 1].tsc : r->rows[i].tsc;
	uint64_t ticks = r->rows[i].tsc - from;

	if (!ticks && kind == SOFTPT_EV_SLEEP)
		ticks = 1;
	if (ticks)
		put(r, from, (struct softpt_event){ .kind = kind, .arg = ticks });
}

/* One of the same ratio says that the clocks stood still: after an EXSTOP that is told. */
static void cbr(struct rebuild *r, size_t i)
{
	const struct row *row = &r->rows[i];
	bool stopped = i && r->rows[i - 1].rec.packet == SOFTPT_PKT_EXSTOP;

	if (row->rec.value != r->ratio)
		put(r, row->tsc, (struct softpt_event){
			.kind = SOFTPT_EV_CBR, .arg = row->rec.value });
	else if (r->on && !stopped && row->from != SOFTPT_EV_IDLE)
		since(r, i, SOFTPT_EV_SLEEP);
	r->ratio = row->rec.value;
}

static void power(struct rebuild *r, size_t i)
{
	const struct row *row = &r->rows[i];
	uint64_t v = row->rec.value;

	switch (row->rec.packet) {
	case SOFTPT_PKT_MWAIT:
		put(r, row->tsc, (struct softpt_event){
			.kind = SOFTPT_EV_MWAIT, .arg = (uint32_t)v, .arg2 = v >> 32 });
		break;
	case SOFTPT_PKT_PWRE:
		put(r, row->tsc, (struct softpt_event){
			.kind = SOFTPT_EV_PWRE, .arg = v >> 12 & 15, .arg2 = v >> 8 & 15 });
		break;
	case SOFTPT_PKT_PWRX:
		put(r, row->tsc, (struct softpt_event){
			.kind = SOFTPT_EV_PWRX, .arg = v >> 4 & 15, .target = v & 15,
			.arg2 = v >> 8 & 15 });
		break;
	default:	/* EXSTOP */
		if (i + 1 < r->n)
			since(r, i + 1, SOFTPT_EV_SLEEP);
	}
}

/* Those that have a value, and may have an address */
static void other(struct rebuild *r, const struct row *row)
{
	const struct softpt_record *rec = &row->rec;
	struct softpt_event ev = { .ip = rec->ip, .arg = rec->value };
	uint16_t flags = rec->flags & SOFTPT_REC_HAS_IP ? SOFTPT_EVF_IP : 0;

	switch (rec->kind) {
	case SOFTPT_REC_CR3:
		ev.kind = SOFTPT_EV_CR3;
		break;
	case SOFTPT_REC_MODE:
		ev.kind = SOFTPT_EV_MODE;
		break;
	case SOFTPT_REC_PTW:
		ev.kind = SOFTPT_EV_PTW;
		ev.flags = flags;
		break;
	case SOFTPT_REC_TRIG:
		ev.kind = SOFTPT_EV_TRIG;
		break;
	case SOFTPT_REC_CFE:
		ev.kind = SOFTPT_EV_CFE;
		ev.flags = flags;
		ev.arg = rec->value & 0xff;
		ev.arg2 = rec->value >> 8 & 0x1f;
		break;
	case SOFTPT_REC_EVD:
		ev.kind = SOFTPT_EV_EVD;
		break;
	case SOFTPT_REC_TSX:
		ev.kind = SOFTPT_EV_TSX;
		ev.arg = rec->value == 1 ? SOFTPT_TSX_BEGIN :
			 rec->value ? SOFTPT_TSX_ABORT : SOFTPT_TSX_COMMIT;
		break;
	case SOFTPT_REC_VMCS:
		ev.kind = SOFTPT_EV_VMCS;
		break;
	default:
		return;
	}
	put(r, row->tsc, ev);
}

static void one(struct rebuild *r, size_t i)
{
	const struct row *row = &r->rows[i];

	switch (row->rec.kind) {
	case SOFTPT_REC_ENABLE:
		enable(r, i);
		break;
	case SOFTPT_REC_DISABLE:
		disable(r, i);
		break;
	case SOFTPT_REC_TAKEN:
	case SOFTPT_REC_NOT:
		put(r, row->tsc, (struct softpt_event){
			.kind = SOFTPT_EV_JCC, .ip = r->ip,
			.flags = row->rec.kind == SOFTPT_REC_TAKEN ? SOFTPT_EVF_TAKEN : 0 });
		break;
	case SOFTPT_REC_TIP:
	case SOFTPT_REC_INTR:
		tip(r, row);
		break;
	case SOFTPT_REC_CBR:
		cbr(r, i);
		break;
	case SOFTPT_REC_OVF:
		since(r, i, SOFTPT_EV_OVF);
		break;
	case SOFTPT_REC_STOP:
		put(r, row->tsc, (struct softpt_event){ .kind = SOFTPT_EV_DISABLE });
		r->on = false;
		break;
	case SOFTPT_REC_PWR:
		power(r, i);
		break;
	default:
		other(r, row);
	}
}

/* Of what TraceEn's packets are, at the time of the PSB as far as anybody can tell */
static bool is_at_once(const struct row *row, uint64_t tsc)
{
	if (row->tsc == tsc)
		return true;
	return row->from < 0 && row->rec.flags & SOFTPT_REC_HAS_MIN && row->rec.tsc_min <= tsc &&
	       (row->rec.kind == SOFTPT_REC_MODE || row->rec.kind == SOFTPT_REC_ENABLE);
}

/* Return: the row of the enable that follows the PSB at once; r->n: there is none */
static size_t first_enable(const struct rebuild *r)
{
	size_t i;

	for (i = 0; i < r->n && is_at_once(&r->rows[i], r->rows[0].tsc); i++)
		if (r->rows[i].rec.kind == SOFTPT_REC_ENABLE)
			return i;
	return r->n;
}

/* A stream begins with a PSB. An enable follows at once, or packets wait for CPL 3. */
static size_t begin(struct rebuild *r)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE };
	uint64_t tsc = r->rows[0].tsc;
	size_t first = first_enable(r), i;

	r->on = true;
	if (first == r->n) {
		for (i = 0; i < r->n && r->rows[i].rec.kind != SOFTPT_REC_ENABLE; i++)
			;
		if (i < r->n)
			put(r, tsc, (struct softpt_event){ .kind = SOFTPT_EV_CPL });
		put(r, tsc, ev);
		return 0;
	}
	for (i = 0; i < first; i++)
		if (r->rows[i].rec.kind == SOFTPT_REC_MODE)
			put(r, tsc, (struct softpt_event){
				.kind = SOFTPT_EV_MODE, .arg = r->rows[i].rec.value });
	r->ip = r->rows[first].rec.ip;
	ev.ip = r->ip;
	put(r, tsc, (struct softpt_event){
		.kind = SOFTPT_EV_CPL, .cpl = is_kernel(ev.ip) ? 0 : 3 });
	put(r, tsc, ev);
	return first + 1;
}

int rebuild(struct event_list *list, const struct input *in, const struct input_stream *stream,
	    const struct softpt_config *cfg, const struct truth_rows *truth,
	    struct error *error)
{
	struct rebuild r = { .error = error, .list = list };
	struct softpt_decoder *d = softpt_decoder_new(cfg);
	int err;
	size_t i;

	if (!d)
		return error_set_errno(error, -ENOMEM);
	if (in->foreign)
		softpt_decoder_set_foreign(d, &in->config);
	softpt_decoder_set_buffer(d, stream->buf, stream->len);
	err = read_rows(&r, d, truth);
	r.ratio = softpt_decoder_config(d, NULL)->p1;
	softpt_decoder_free(d);
	for (i = err ? r.n : begin(&r); i < r.n && !r.err; i++)
		one(&r, i);
	if (!err)	/* an overflow at the end shows with what comes after it */
		put(&r, r.now, (struct softpt_event){ .kind = SOFTPT_EV_IDLE });
	free(r.rows);
	return r.err ? error_set_errno(error, r.err) : err;
}
