// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of events, before they are given to the engine */
#include "engine.h"

/* What each kind of event may hold; kinds without a row take anything */
struct rule {
	u64 arg_max;
	u32 arg2_max;
	const char *what;
};

static const struct rule rules[SOFTPT_EV_NR] = {
	[SOFTPT_EV_CBR]		= { 255, 0, "ratio is 1..255" },
	[SOFTPT_EV_CLOCK]	= { 255, 0, "ratio is 1..255" },
	[SOFTPT_EV_MODE]	= { 64, 0, "mode is 16, 32 or 64" },
	[SOFTPT_EV_MWAIT]	= { 0xffffffff, 0xffffffff, "hints are 32 bits" },
	[SOFTPT_EV_PWRE]	= { 15, 15, "state and sub-state are 0..15" },
	[SOFTPT_EV_PWRX]	= { 15, 15, "last, deepest and reason are 0..15" },
	[SOFTPT_EV_PMU]		= { U64_MAX, 0xffffffff, "class is 0..63, OCCUPIED 0..254" },
	[SOFTPT_EV_TRIG]	= { 0xff, 0, "TRBV is 0..255" },
	[SOFTPT_EV_CFE]		= { 0xff, 0x1f, "vector is 0..255, type 0..31" },
	[SOFTPT_EV_EVD]		= { U64_MAX, 0x3f, "type is 0..63" },
	[SOFTPT_EV_TSX]		= { SOFTPT_TSX_ABORT, 0, "BEGIN, COMMIT or ABORT" },
	[SOFTPT_EV_MTLR]	= { 0xffffffff, 0, "value is 32 bits" },
	[SOFTPT_EV_MTCTR]	= { 0xffffffff, 0, "value is 32 bits" },
	[SOFTPT_EV_LR]		= { 0xffffffff, 0, "value is 32 bits" },
	[SOFTPT_EV_CTR]		= { 0xffffffff, 0, "value is 32 bits" },
	[SOFTPT_EV_SIGNAL]	= { 64, 1, "signal is 1..64, HANDLED 0 or 1" },
};

/* Flags that a kind of event takes */
static u16 flags_of(u16 kind)
{
	switch (kind) {
	case SOFTPT_EV_JCC:
		return SOFTPT_EVF_TAKEN | SOFTPT_EVF_IP | SOFTPT_EVF_TARGET;
	case SOFTPT_EV_TSX:
		return SOFTPT_EVF_IP | SOFTPT_EVF_TARGET;
	case SOFTPT_EV_ENABLE ... SOFTPT_EV_DISABLE:
	case SOFTPT_EV_JMP ... SOFTPT_EV_CPL:
	case SOFTPT_EV_PTW:
	case SOFTPT_EV_CFE:
	case SOFTPT_EV_RETIRE ... SOFTPT_EV_MTCTR:
	case SOFTPT_EV_SYSCALL ... SOFTPT_EV_SIGNAL:
	case SOFTPT_EV_DATA:
		return SOFTPT_EVF_IP;
	case SOFTPT_EV_PMU:
		return SOFTPT_EVF_TARGET | SOFTPT_EVF_DATA | SOFTPT_EVF_BEGIN | SOFTPT_EVF_END;
	default:
		return 0;
	}
}

static bool is_clock(const struct softpt_event *ev)
{
	return ev->kind == SOFTPT_EV_CBR || ev->kind == SOFTPT_EV_CLOCK;
}

static bool bad_pmu(const struct softpt_event *ev, const char **why)
{
	u16 interval = ev->flags & (SOFTPT_EVF_BEGIN | SOFTPT_EVF_END);

	if ((u16)ev->arg2 >= SOFTPT_EVENT_CLASSES ||
	    (ev->flags & SOFTPT_EVF_TARGET && ev->target >= SOFTPT_STAGES_MAX))
		return true;
	*why = "begin and end have neither COUNT, OCCUPIED nor DATA, and an end has no STAGE";
	if (interval & SOFTPT_EVF_END)
		return interval != ev->flags || interval != SOFTPT_EVF_END || ev->arg || ev->stage;
	return interval && (interval != ev->flags || ev->arg);
}

static bool bad_value(const struct softpt_event *ev, const char **why)
{
	const struct rule *r = &rules[ev->kind];

	*why = r->what;
	if (!r->what)
		return false;
	if (ev->arg > r->arg_max || ev->arg2 > r->arg2_max)
		return true;
	if (ev->kind == SOFTPT_EV_MODE)
		return ev->arg != 16 && ev->arg != 32 && ev->arg != 64;
	if (ev->kind == SOFTPT_EV_PWRX)
		return ev->target > 15;
	if (ev->kind == SOFTPT_EV_PMU)
		return bad_pmu(ev, why);
	return (is_clock(ev) || ev->kind == SOFTPT_EV_SIGNAL) && !ev->arg;
}

static bool bad_time(const struct softpt_engine *e, const struct softpt_event *ev,
		     const char **why)
{
	*why = "time is before the event before it";
	if (ev->tsc < e->now)
		return true;
	/* Ticks and wraps are computed ahead. They stay below U64_MAX, which is never. */
	*why = "time is 2^64 - 2^56 or later";
	if (ev->tsc >> 56 == 0xff)
		return true;
	*why = "time is 2^55 ticks or more after the event before it";
	if (e->trigger_en && (ev->tsc - e->now) >> 55)
		return true;
	*why = "duration is 2^55 ticks or more";
	return (ev->kind == SOFTPT_EV_SLEEP || ev->kind == SOFTPT_EV_OVF) && ev->arg >> 55;
}

int softpt_engine_check(const struct softpt_engine *e, const struct softpt_event *ev,
			const char **why)
{
	*why = "unknown kind of event";
	if (ev->kind >= SOFTPT_EV_NR)
		return -EINVAL;
	*why = "a flag that this kind does not take, or a reserved field";
	if (ev->flags & ~flags_of(ev->kind) || ev->reserved)
		return -EINVAL;
	*why = "CPL is 0..3, thread 0..31";
	if (ev->cpl > 3 || ev->thread > 31)
		return -EINVAL;
	if (bad_value(ev, why) || bad_time(e, ev, why))
		return -EINVAL;
	*why = "ratio is outside min_ratio..max_ratio";
	if (is_clock(ev) && (ev->arg < e->cfg.min_ratio || ev->arg > e->cfg.max_ratio))
		return -ERANGE;
	return 0;
}
