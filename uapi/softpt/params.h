/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parameters of a trace unit: one table for the -c parser, the validator,
 * --help, the manual page and the PMU's format attributes. Shared source, not
 * ABI. (Documentation/reference/parameters.rst)
 */
#ifndef _SOFTPT_PARAMS_H
#define _SOFTPT_PARAMS_H

#include <linux/softpt.h>

/* FLAG(key, SOFTPT_F_*, default, what) */
#define SOFTPT_PARAM_FLAGS(FLAG) \
	FLAG(tsc,	SOFTPT_F_TSC,		1, "TSC packets") \
	FLAG(mtc,	SOFTPT_F_MTC,		1, "MTC packets, and TMA with tsc=1") \
	FLAG(cyc,	SOFTPT_F_CYC,		0, "CYC packets: cycle-accurate mode") \
	FLAG(branch,	SOFTPT_F_BRANCH,	1, "control flow packets (BranchEn)") \
	FLAG(retc,	SOFTPT_F_RETC,		1, "compress returns (0: DisRETC)") \
	FLAG(ptw,	SOFTPT_F_PTW,		1, "PTWRITE packets") \
	FLAG(pwr,	SOFTPT_F_PWR,		0, "power event packets") \
	FLAG(cbr,	SOFTPT_F_CBR,		1, "a CBR packet at every announced clock change") \
	FLAG(os,	SOFTPT_F_OS,		1, "trace CPL 0") \
	FLAG(user,	SOFTPT_F_USER,		1, "trace CPL 1 to 3") \
	FLAG(tnt64,	SOFTPT_F_TNT64,		0, "TNT packets of up to 47 bits") \
	FLAG(stock_safe, SOFTPT_F_STOCK_SAFE,	0, "refuse what libipt and perf misread") \
	FLAG(describe,	SOFTPT_F_DESCRIBE,	1, "MNT packets in PSB+ describe the stream") \
	FLAG(pge_tsc,	SOFTPT_F_PGE_TSC,	0, "TSC and TMA before every TIP.PGE") \
	FLAG(trig,	SOFTPT_F_TRIG,		0, "TRIG packets mark trigger events") \
	FLAG(lossless,	SOFTPT_F_LOSSLESS,	0, "a stepped program waits for room in its ring") \
	FLAG(iflag,	SOFTPT_F_IFLAG,		0, "MODE.Exec packets have the interrupt flag") \
	FLAG(event,	SOFTPT_F_EVENT,		0, "CFE and EVD packets of stepped exceptions")

/* NUM(key, field, min, max, default, what) */
#define SOFTPT_PARAM_NUMS(NUM) \
	NUM(mtc_freq,	mtc_freq,	0, 15, 3,	"MTC when CTC[N+7:N] changes: N") \
	NUM(cyc_thresh,	cyc_thresh,	0, 12, 0,	"CYC after 2^(n-1) cycles, 0: always") \
	NUM(cyc_bits,	cyc_bits,	16, 56, 48,	"width of the cycle counter") \
	NUM(psb_freq,	psb_freq,	0, 15, 3,	"PSB+ every 2 KiB << n") \
	NUM(p1,		p1,		1, 255, 26,	"ratio of the TSC to the bus clock") \
	NUM(min_ratio,	min_ratio,	1, 255, 4,	"lowest core:bus ratio of the platform") \
	NUM(max_ratio,	max_ratio,	1, 255, 60,	"highest core:bus ratio of the platform") \
	NUM(preroll,	preroll,	0, 4, 0,	"suppressed MTCs sent late")

/* TEXT(key, values, default, what): keys whose values are more than a number */
#define SOFTPT_PARAM_TEXTS(TEXT) \
	TEXT(tsc_ratio,	"EBX/EAX",		"216/2",	"CPUID.15H: TSC per CTC tick") \
	TEXT(suppress,	"off, 1..255",		"off",		"suppress MTCs after N in a row") \
	TEXT(resume,	"count:1..255, payload:0..255, tsc", "count:254", "what ends suppression") \
	TEXT(burst,	"1..N",			"N",		"MTCs sent after a resume") \
	TEXT(cr3,	"any, VALUE",		"any",		"trace only this CR3") \
	TEXT(filter,	"FROM-TO",		"none",		"trace only this address range") \
	TEXT(stop,	"FROM-TO",		"none",		"TraceStop in this range") \
	TEXT(clock,	"wall, model",		"wall",		"record: clock of a process") \
	TEXT(mode,	"stream, snapshot",	"stream",	"ring keeps unread or newest") \
	TEXT(ring,	"4K..1G, a power of two", "1M",		"ring of each CPU") \
	TEXT(truth,	"0, or as ring",	"0",		"record: ring of true times") \
	TEXT(format,	"pt, port",		"pt",		"sim: packets, or a trace port")

#define SOFTPT_RATIO_MAX	512	/* TMA's fast counter has 9 bits */
#define SOFTPT_CLOCK_TERM_MAX	((1u << 28) - 1)	/* EBX and EAX fit the description */
/*
 * The longest run of bytes that one event may need besides the MTCs of the gap before it:
 * pre-roll, PSB+, closing anchor, OVF group and its own packets. With less room than this the
 * engine returns SOFTPT_MORE before it does anything.
 */
#define SOFTPT_GROUP_MAX	512
#define SOFTPT_RING_MIN		4096
#define SOFTPT_RING_MAX		0x40000000ull

static inline int softpt_is_ring_size(__u64 size)
{
	return size >= SOFTPT_RING_MIN && size <= SOFTPT_RING_MAX && !(size & (size - 1));
}

/* RULE(key, broken, rule) of configuration @c, beside the ranges of its numbers */
#define SOFTPT_PARAM_RULES(RULE) \
	RULE(tsc_ratio, !c->tsc_ebx || !c->tsc_eax || c->tsc_ebx > SOFTPT_CLOCK_TERM_MAX || \
	     c->tsc_ebx < c->tsc_eax || c->tsc_ebx / c->tsc_eax > SOFTPT_RATIO_MAX || \
	     (c->tsc_ebx / c->tsc_eax == SOFTPT_RATIO_MAX && c->tsc_ebx % c->tsc_eax), \
	     "EBX/EAX is 1 to 512, both below 2^28") \
	RULE(min_ratio, c->min_ratio > c->max_ratio, "must not be above max_ratio") \
	RULE(p1, c->p1 < c->min_ratio || c->p1 > c->max_ratio, \
	     "must lie within min_ratio..max_ratio") \
	RULE(resume, c->resume > SOFTPT_RESUME_TSC, "count:1..255, payload:0..255 or tsc") \
	RULE(resume, c->resume == SOFTPT_RESUME_COUNT && !c->resume_value, \
	     "range is count:1..255") \
	RULE(resume, c->resume == SOFTPT_RESUME_TSC && c->resume_value, "tsc takes no value") \
	RULE(burst, c->burst > c->suppress, "range is 1..N, N as in suppress") \
	RULE(suppress, c->suppress && !(c->flags & SOFTPT_F_MTC), "needs mtc=1") \
	RULE(resume, c->suppress && c->resume == SOFTPT_RESUME_TSC && \
	     !(c->flags & SOFTPT_F_TSC), "tsc needs tsc=1") \
	RULE(cr3, !(c->flags & SOFTPT_F_CR3) && c->cr3, "a value needs its flag") \
	RULE(iflag, (c->flags & SOFTPT_F_IFLAG) && (c->flags & SOFTPT_F_OS), "needs os=0") \
	RULE(event, (c->flags & SOFTPT_F_EVENT) && !(c->flags & SOFTPT_F_IFLAG), "needs iflag=1") \
	RULE(mode, c->mode > SOFTPT_RING_SNAPSHOT, "stream or snapshot") \
	RULE(clock, c->clock > SOFTPT_CLOCK_MODEL, "wall or model") \
	RULE(ring, !softpt_is_ring_size(c->ring), "a power of two, 4096 to 1073741824") \
	RULE(truth, c->truth && !softpt_is_ring_size(c->truth), \
	     "0, or a power of two, 4096 to 1073741824") \
	RULE(truth, c->truth && c->mode == SOFTPT_RING_SNAPSHOT, "needs mode=stream")

/* Bytes between the begins of two PSBs, at most */
static inline __u64 softpt_psb_interval(const struct softpt_config *c)
{
	return (2048ull << c->psb_freq) + SOFTPT_GROUP_MAX;
}

/* What is wrong with a configuration: the key and the rule it breaks. */
struct softpt_complaint {
	const char *key;
	const char *rule;
};

#define SOFTPT_COMPLAIN(c, k, r) \
	do { (c)->key = (k); (c)->rule = (r); return -1; } while (0)

static inline void softpt_config_default(struct softpt_config *c)
{
	const struct softpt_config d = {
		.size = sizeof(d),
		.flags = 0
#define FLAG(key, flag, def, what) | ((def) ? (flag) : 0)
		SOFTPT_PARAM_FLAGS(FLAG),
#undef FLAG
		.tsc_ebx = 216, .tsc_eax = 2,
		.resume = SOFTPT_RESUME_COUNT, .resume_value = 254,
		.ring = 1 << 20,
#define NUM(key, field, min, max, def, what) .field = (def),
		SOFTPT_PARAM_NUMS(NUM)
#undef NUM
	};

	*c = d;
}

static inline int softpt_config_check_ranges(const struct softpt_config *c,
					     struct softpt_complaint *why)
{
	unsigned int i;

	if (c->nr_ranges > SOFTPT_RANGES)
		SOFTPT_COMPLAIN(why, "filter", "at most 4 ranges, filter and stop together");
	for (i = 0; i < SOFTPT_RANGES; i++) {
		const struct softpt_range *r = &c->range[i];

		if (i >= c->nr_ranges) {
			if (r->from || r->to || r->kind || r->reserved)
				SOFTPT_COMPLAIN(why, "filter", "an unused range must be zero");
			continue;
		}
		if (r->kind != SOFTPT_RANGE_FILTER && r->kind != SOFTPT_RANGE_STOP)
			SOFTPT_COMPLAIN(why, "filter", "a range is a filter or a stop");
		if (r->from > r->to)
			SOFTPT_COMPLAIN(why, r->kind == SOFTPT_RANGE_STOP ? "stop" : "filter",
					"FROM must not be above TO");
		if (r->reserved)
			SOFTPT_COMPLAIN(why, "filter", "a reserved field must be zero");
	}
	return 0;
}

/*
 * What libipt and perf ask of a stream, one key a rule, so that all that are broken can
 * be told. Documentation/studies/stock-decoders.rst has the measurements behind each.
 */
#define SOFTPT_STOCK_RULES	4
#define SOFTPT_STOCK_TRIG	3	/* the rule of what is refused, not misread */

static inline int softpt_config_stock_rule(const struct softpt_config *c, unsigned int rule,
					   struct softpt_complaint *why)
{
	unsigned int most = 254;

	if (!c->suppress && rule != SOFTPT_STOCK_TRIG)
		return 0;
	switch (rule) {
	case SOFTPT_STOCK_TRIG:
		if (c->flags & SOFTPT_F_TRIG)
			SOFTPT_COMPLAIN(why, "trig",
					"must be 0: stock decoders don't know TRIG (stock_safe)");
		return 0;
	case 0:
		if (c->resume != SOFTPT_RESUME_COUNT)
			SOFTPT_COMPLAIN(why, "resume", "stock decoders need count:M (stock_safe)");
		if (c->mtc_freq > 8 && (1u << (16 - c->mtc_freq)) - 2 < most)
			most = (1u << (16 - c->mtc_freq)) - 2;
		if (c->resume_value > most)
			SOFTPT_COMPLAIN(why, "resume",
					"count is at most 254, and 2^(16 - mtc_freq) - 2 (stock_safe)");
		return 0;
	case 1:
		if ((c->flags & SOFTPT_F_CYC) && c->cyc_thresh)
			SOFTPT_COMPLAIN(why, "cyc_thresh",
					"must be 0 with suppression: every MTC needs its CYC (stock_safe)");
		return 0;
	default:
		if ((c->flags & SOFTPT_F_CYC) && !(c->flags & SOFTPT_F_CBR))
			SOFTPT_COMPLAIN(why, "cbr",
					"must be 1 with suppression and cyc=1 (stock_safe)");
		return 0;
	}
}

static inline int softpt_config_check_stock(const struct softpt_config *c,
					    struct softpt_complaint *why)
{
	unsigned int rule;

	for (rule = 0; rule < SOFTPT_STOCK_RULES; rule++)
		if (softpt_config_stock_rule(c, rule, why))
			return -1;
	return 0;
}

/**
 * softpt_config_check() - check a configuration
 * @c: the configuration
 * @why: set to the key and the rule it breaks
 *
 * A pure function, the same for the module, the engine and the library.
 *
 * Return: 0, or -1 and @why is set.
 */
static inline int softpt_config_check(const struct softpt_config *c,
				      struct softpt_complaint *why)
{
	if (c->flags & ~SOFTPT_F_ALL)
		SOFTPT_COMPLAIN(why, "flags", "unknown flag");
	if (c->reserved0 || c->reserved[0] || c->reserved[1] || c->reserved[2])
		SOFTPT_COMPLAIN(why, "reserved", "a reserved field must be zero");
#define NUM(k, field, min, max, def, what) \
	if ((int)c->field < (min) || (int)c->field > (max)) \
		SOFTPT_COMPLAIN(why, #k, "range is " #min ".." #max);
	SOFTPT_PARAM_NUMS(NUM)
#undef NUM
#define RULE(k, broken, rule) \
	if (broken) \
		SOFTPT_COMPLAIN(why, #k, rule);
	SOFTPT_PARAM_RULES(RULE)
#undef RULE
	if (softpt_config_check_ranges(c, why))
		return -1;
	return c->flags & SOFTPT_F_STOCK_SAFE ? softpt_config_check_stock(c, why) : 0;
}

#endif /* _SOFTPT_PARAMS_H */
