// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/event.h"

#include <string.h>

#define PMU_TYPE	8	/* any: perf compares it with AUXTRACE_INFO's only */

/* ---- written ---- */

static uint64_t rtit_ctl(const struct softpt_config *c)
{
	uint64_t ctl = RTIT_PT | (uint64_t)c->mtc_freq << 14;

	ctl |= c->flags & SOFTPT_F_CYC ? RTIT_CYC : 0;
	ctl |= c->flags & SOFTPT_F_PWR ? RTIT_PWR : 0;
	ctl |= c->flags & SOFTPT_F_MTC ? RTIT_MTC : 0;
	ctl |= c->flags & SOFTPT_F_TSC ? RTIT_TSC : 0;
	ctl |= c->flags & SOFTPT_F_RETC ? 0 : RTIT_NORETCOMP;
	ctl |= c->flags & SOFTPT_F_PTW ? RTIT_PTW : 0;
	ctl |= c->flags & SOFTPT_F_BRANCH ? RTIT_BRANCH : 0;
	ctl |= c->flags & SOFTPT_F_EVENT ? RTIT_EVENT : 0;
	return ctl;
}

struct perffile_attr perfevent_attr(const struct softpt_perf_setup *setup)
{
	const struct softpt_config *c = setup->cfg;
	const struct perf_event_attr attr = {
		.type = PMU_TYPE,
		.size = PERFFILE_ATTR_SIZE,
		.config = rtit_ctl(c),
		.sample_period = 1,
		.sample_type = SOFTPT_PERF_SAMPLE_TYPE,
		.read_format = PERF_FORMAT_ID,
		.exclude_kernel = !(c->flags & SOFTPT_F_OS),
		.exclude_user = !(c->flags & SOFTPT_F_USER),
		.exclude_hv = 1,
		.sample_id_all = 1,
		.context_switch = setup->switches,
	};
	struct perffile_attr a = {
		.ids = { sizeof(struct perffile_header), sizeof(uint64_t) },
	};

	memcpy(a.attr, &attr, sizeof(a.attr));
	return a;
}

struct perffile_info perfevent_info(const struct softpt_perf_setup *setup)
{
	const struct softpt_config *c = setup->cfg;

	return (struct perffile_info){
		.header = {
			.type = PERFFILE_REC_AUXTRACE_INFO, .size = sizeof(struct perffile_info),
		},
		.kind = PERFFILE_INTEL_PT,
		.value = {
			[INFO_PMU_TYPE] = PMU_TYPE,
			[INFO_TIME_SHIFT] = setup->time_shift,
			[INFO_TIME_MULT] = setup->time_mult,
			[INFO_TIME_ZERO] = setup->time_zero,
			[INFO_CAP_TIME_ZERO] = 1,
			[INFO_TSC_BIT] = RTIT_TSC,
			[INFO_NORETCOMP_BIT] = RTIT_NORETCOMP,
			[INFO_SCHED_SWITCH] = setup->switches ? INFO_SWITCH_TASK : 0,
			[INFO_SNAPSHOT] = c->mode == SOFTPT_RING_SNAPSHOT,
			[INFO_PER_CPU] = !setup->threads,
			[INFO_MTC_BIT] = RTIT_MTC,
			[INFO_MTC_FREQ_BITS] = RTIT_MTC_FREQ,
			[INFO_TSC_CTC_N] = c->tsc_ebx,
			[INFO_TSC_CTC_D] = c->tsc_eax,
			[INFO_CYC_BIT] = RTIT_CYC,
			[INFO_MAX_NONTURBO] = c->p1,
			/* perf takes interrupts for disabled where MODE.Exec has no flag. */
			[INFO_EVENT_TRACE] = !!(c->flags & SOFTPT_F_IFLAG),
		},
	};
}

/* ---- read ---- */

static void set_flag(struct softpt_config *cfg, uint32_t flag, bool on)
{
	cfg->flags = on ? cfg->flags | flag : cfg->flags & ~flag;
}

void perfevent_config(struct softpt_config *cfg, uint64_t config, const uint64_t info[INFO_NR])
{
	const uint64_t freq = info[INFO_MTC_FREQ_BITS];

	softpt_config_init(cfg);
	set_flag(cfg, SOFTPT_F_TSC, config & info[INFO_TSC_BIT]);
	set_flag(cfg, SOFTPT_F_MTC, config & info[INFO_MTC_BIT]);
	set_flag(cfg, SOFTPT_F_CYC, config & info[INFO_CYC_BIT]);
	set_flag(cfg, SOFTPT_F_RETC, !(config & info[INFO_NORETCOMP_BIT]));
	set_flag(cfg, SOFTPT_F_PTW, config & RTIT_PTW);
	set_flag(cfg, SOFTPT_F_PWR, config & RTIT_PWR);
	cfg->mtc_freq = freq ? (config & freq) >> __builtin_ctzll(freq) & 0xf : 0;
	cfg->tsc_ebx = 0;
	cfg->tsc_eax = 0;
	if (info[INFO_TSC_CTC_N] <= UINT32_MAX && info[INFO_TSC_CTC_D] <= UINT32_MAX) {
		cfg->tsc_ebx = info[INFO_TSC_CTC_N];
		cfg->tsc_eax = info[INFO_TSC_CTC_D];
	}
	if (info[INFO_MAX_NONTURBO] && info[INFO_MAX_NONTURBO] <= 255)
		cfg->p1 = info[INFO_MAX_NONTURBO];
	cfg->min_ratio = 1;
	cfg->max_ratio = 255;
}
