// SPDX-License-Identifier: BSD-2-Clause
/*
 * libipt's times, by its query decoder: a branch has the time that it tells behind it,
 * an event its own. Rows are matched with ours in order, kind by kind.
 */
#include <errno.h>
#include <intel-pt.h>

#include <softpt/decoder.h>
#include "types.h"

#define NOTHING	SOFTPT_REC_NR

/* What libipt's event is as a record */
static unsigned int kind_of(const struct pt_event *ev)
{
	/* 0, SOFTPT_REC_ENABLE, stands for those that are not listed, too */
	static const uint8_t kinds[] = {
		[ptev_disabled]		= SOFTPT_REC_DISABLE,
		[ptev_async_disabled]	= SOFTPT_REC_DISABLE,
		[ptev_async_branch]	= SOFTPT_REC_INTR,
		[ptev_paging]		= SOFTPT_REC_CR3,
		[ptev_async_paging]	= SOFTPT_REC_CR3,
		[ptev_overflow]		= SOFTPT_REC_OVF,
		[ptev_exec_mode]	= SOFTPT_REC_MODE,
		[ptev_tsx]		= SOFTPT_REC_TSX,
		[ptev_stop]		= SOFTPT_REC_STOP,
		[ptev_vmcs]		= SOFTPT_REC_VMCS,
		[ptev_async_vmcs]	= SOFTPT_REC_VMCS,
		[ptev_exstop]		= SOFTPT_REC_PWR,
		[ptev_mwait]		= SOFTPT_REC_PWR,
		[ptev_pwre]		= SOFTPT_REC_PWR,
		[ptev_pwrx]		= SOFTPT_REC_PWR,
		[ptev_ptwrite]		= SOFTPT_REC_PTW,
		[ptev_cbr]		= SOFTPT_REC_CBR,
	};
	unsigned int kind = ev->type < sizeof(kinds) ? kinds[ev->type] : 0;

	/* A status update is what a PSB+ repeats. */
	if (ev->status_update || (!kind && ev->type != ptev_enabled))
		return NOTHING;
	return kind;
}

/* Rows of ours that libipt has no event for */
static bool is_ours_alone(unsigned int kind)
{
	return kind == SOFTPT_REC_PSB || kind == SOFTPT_REC_TRIG || kind == SOFTPT_REC_CFE ||
	       kind == SOFTPT_REC_EVD;
}

struct match {
	const struct eval_stream *s;
	struct eval_error *error;
	struct eval_values values;
	/* libipt tells a MODE.Exec behind the TIP that it binds to: each has its own place */
	size_t mode;
	size_t other;
};

/* The next row of a MODE, or of something else; NULL behind the last */
static const struct eval_row *next_row(struct match *m, bool mode)
{
	size_t *at = mode ? &m->mode : &m->other;

	for (; *at < m->s->nr_rows; ++*at) {
		const struct eval_row *row = &m->s->rows[*at];

		bool of_mode = row->kind == SOFTPT_REC_MODE;

		if (!is_ours_alone(row->kind) && of_mode == mode) {
			++*at;
			return row;
		}
	}
	return NULL;
}

/* Return: 1, 0 when it is not the row that comes next, or -ENOMEM */
static int compare(struct match *m, unsigned int kind, bool timed, uint64_t tsc)
{
	const struct eval_row *row = next_row(m, kind == SOFTPT_REC_MODE);
	uint64_t error;

	if (!row || row->kind != kind)
		return 0;
	if (!timed)
		return 1;
	error = tsc > row->tsc ? tsc - row->tsc : row->tsc - tsc;
	eval_error_note(m->error, row->silence, error);
	return eval_values_add(&m->values, error) ? -ENOMEM : 1;
}

/* As compare(); *@status is libipt's */
static int one_event(struct match *m, struct pt_query_decoder *d, int *status)
{
	struct pt_event ev;
	unsigned int kind;

	*status = pt_qry_event(d, &ev, sizeof(ev));
	if (*status < 0)
		return 1;
	kind = kind_of(&ev);
	return kind == NOTHING ? 1 : compare(m, kind, ev.has_tsc, ev.tsc);
}

/* One branch, of whichever kind comes next in the stream */
static int one_branch(struct match *m, struct pt_query_decoder *d, int *status)
{
	unsigned int kind = SOFTPT_REC_TIP;
	uint64_t tsc, ip;
	bool timed;
	int taken;

	*status = pt_qry_cond_branch(d, &taken);
	if (*status >= 0)
		kind = taken ? SOFTPT_REC_TAKEN : SOFTPT_REC_NOT;
	else if (*status == -pte_bad_query)
		*status = pt_qry_indirect_branch(d, &ip);
	if (*status < 0)
		return 1;
	timed = pt_qry_time(d, &tsc, NULL, NULL) >= 0;
	return compare(m, kind, timed, tsc);
}

static int walk(struct match *m, struct pt_query_decoder *d)
{
	uint64_t ip;
	int status = pt_qry_sync_forward(d, &ip), good = 1;

	while (good > 0 && status >= 0 && (status & pts_event_pending || !(status & pts_eos)))
		good = status & pts_event_pending ? one_event(m, d, &status) :
						    one_branch(m, d, &status);
	if (good <= 0)
		return good;
	return (status >= 0 || status == -pte_eos) && !next_row(m, true) && !next_row(m, false);
}

int eval_ipt(struct eval_point *p, const struct eval_stream *s)
{
	struct match m = { .s = s, .error = &p->ipt };
	struct pt_query_decoder *d;
	struct pt_config c;
	int told;

	pt_config_init(&c);
	c.begin = s->bytes;
	c.end = s->bytes + s->len;
	c.mtc_freq = p->cfg.mtc_freq;
	c.nom_freq = p->cfg.p1;
	c.cpuid_0x15_eax = p->cfg.tsc_eax;
	c.cpuid_0x15_ebx = p->cfg.tsc_ebx;
	d = s->len ? pt_qry_alloc_decoder(&c) : NULL;
	told = d ? walk(&m, d) : 0;
	pt_qry_free_decoder(d);
	p->ipt.all = eval_spread_of(&m.values);
	if (!told)
		p->ipt = (struct eval_error){ 0 };
	return told < 0 ? told : 0;
}
