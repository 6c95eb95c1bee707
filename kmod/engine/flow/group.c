// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What precedes the packets of an event, in this order: pre-roll, PSB+ if due,
 * closing anchor of a stop, TNT flush, one CYC. (Documentation/internals/engine.rst)
 */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "../time/cycles.h"
#include "../time/ticks.h"
#include "group.h"
#include "psb.h"

/*
 * A PAD means that what follows did not happen at the TSC before. So with resume=tsc the number of
 * suppressed ticks between the two is unknown.
 */
void softpt_put_apart(struct softpt_engine *e, struct softpt_sink *s)
{
	if (e->mtc.sup.threshold && e->mtc.sup.resume == SOFTPT_RESUME_TSC)
		e->mtc.left = 0;
	softpt_put(e, s, SOFTPT_OPC_PAD, SOFTPT_SIZE_PAD);
}

/* Before the first packet or TNT bit of an event: pre-roll, PSB+ */
void softpt_put_preceding(struct softpt_engine *e, struct softpt_sink *s)
{
	bool psb = softpt_psb_due(e, s);

	if (e->shadow.n)
		softpt_preroll(e, s);
	else if (e->mtc.missing && e->mtc.sup.resume == SOFTPT_RESUME_TSC && !psb)
		softpt_anchor(e, s);
	if (psb)
		softpt_psb_plus(e, s);
	softpt_suppressor_ntp(&e->mtc.sup);
}

void softpt_group_begin_slow(struct softpt_engine *e, struct softpt_sink *s, unsigned int how)
{
	if (e->mtc.missing || softpt_psb_due(e, s))
		softpt_put_preceding(e, s);
	else
		softpt_suppressor_ntp(&e->mtc.sup);
	if (how & SOFTPT_GROUP_STOP)
		softpt_flush_anchored(e, s);
	if (!(how & SOFTPT_GROUP_BIT))
		softpt_tnt_flush(e, s);
	if (e->ntnt)
		return;
	softpt_put_unknown_ratio(e, s);
	if (how & SOFTPT_GROUP_CYC)
		softpt_cyc(e, s, e->now, e->cycles.thresh);
	/* With resume=tsc, what follows a TSC happened at that TSC, unless a PAD is between. */
	if (e->mtc.sup.resume == SOFTPT_RESUME_TSC && softpt_bytes(e, s) == e->anchor.end &&
	    e->anchor.tsc != e->now && e->anchor.tsc != U64_MAX)
		softpt_put_apart(e, s);
}
