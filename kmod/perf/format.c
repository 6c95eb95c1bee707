// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event's attributes ask for, and what perf reads of it in sysfs. The hardware's
 * parameters are where its driver has them; ours are in config1. All ranges are those
 * of the one table, uapi/softpt/params.h.
 */

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/math.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/sysfs.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include <softpt/params.h>

#include "compat.h"
#include "perf/format.h"

#define SUPPRESS_DEFAULT	2	/* MTCs in a row, of an event that does not say */

static char *kernel;
module_param(kernel, charp, 0444);
MODULE_PARM_DESC(kernel, "opaque: take perf events of kernel mode, too, which see nothing of it (they are refused)");

/**
 * softpt_pmu_kernel_is_opaque() - what becomes of events that do not exclude the kernel
 *
 * Return: whether they are taken, and have user mode alone; else they are refused.
 */
bool softpt_pmu_kernel_is_opaque(void)
{
	return kernel && !strcmp(kernel, "opaque");
}

/* BIT(name, word, bit) */
#define BITS(BIT) \
	BIT(pt,			config,	 0) \
	BIT(cyc,		config,	 1) \
	BIT(pwr_evt,		config,	 4) \
	BIT(fup_on_ptw,		config,	 5) \
	BIT(mtc,		config,	 9) \
	BIT(tsc,		config,	10) \
	BIT(noretcomp,		config,	11) \
	BIT(ptw,		config,	12) \
	BIT(branch,		config,	13) \
	BIT(event,		config,	31) \
	BIT(tnt64,		config1, 32) \
	BIT(lossy,		config1, 33) \
	BIT(nosuppress,		config1, 34)

/* FIELD(name, word, low, high) */
#define FIELDS(FIELD) \
	FIELD(mtc_period,	config,	 14, 17) \
	FIELD(cyc_thresh,	config,	 19, 22) \
	FIELD(psb_period,	config,	 24, 27) \
	FIELD(suppress,		config1,  0,  7) \
	FIELD(burst,		config1,  8, 15) \
	FIELD(preroll,		config1, 16, 18) \
	FIELD(resume,		config1, 24, 31)

#define GET_BIT(name, word, bit) GET(name, word, bit, bit)
#define GET(name, word, low, high) \
static u64 get_##name(const struct perf_event_attr *attr) \
{ \
	return attr->word >> (low) & GENMASK_ULL((high) - (low), 0); \
}

BITS(GET_BIT)
FIELDS(GET)

/* Whether any bit is set that has no name */
static bool has_unknown(const struct perf_event_attr *attr)
{
	struct perf_event_attr left = {
		.config = attr->config, .config1 = attr->config1, .config2 = attr->config2,
	};

#define CLEAR(name, word, low, high) left.word &= ~GENMASK_ULL(high, low);
#define CLEAR_BIT(name, word, bit) CLEAR(name, word, bit, bit)
	BITS(CLEAR_BIT)
	FIELDS(CLEAR)
	return left.config || left.config1 || left.config2;
}

static struct softpt_config base;	/* what no event can change */

static void flag(struct softpt_config *config, u32 flag, bool on)
{
	if (on)
		config->flags |= flag;
	else
		config->flags &= ~flag;
}

/*
 * Whether who is traced may wait for the reader: not where that is, or may be, the same process.
 * What is inherited is as its parent. Context: of event_init().
 */
static bool may_wait(const struct perf_event *event)
{
	const struct softpt_config *parent;

	if (!(event->attach_state & PERF_ATTACH_TASK) || get_lossy(&event->attr))
		return false;
	if (!event->parent)
		return !same_thread_group(event->hw.target, current);
	parent = event->parent->pmu_private;
	return parent->flags & SOFTPT_F_LOSSLESS;
}

/*
 * Who is stepped is slow: of an event that does not say, most bytes would be MTCs between branches
 * that are far apart.
 */
static unsigned int suppress_of(const struct perf_event_attr *attr)
{
	if (get_nosuppress(attr) || !get_mtc(attr) || get_suppress(attr))
		return get_suppress(attr);
	return SUPPRESS_DEFAULT;
}

/**
 * softpt_pmu_config() - a channel's configuration for an event
 * @event: the event
 * @config: filled in whole
 *
 * With pt=0, as a program that knows nothing of it has it, branches are traced anyway.
 * perf's decoder is the reader, so what it would misread is refused (stock_safe). A PTW has
 * its FUP with fup_on_ptw=0, too. Stepping sees no power events, so there are none.
 *
 * Return: 0, or -EINVAL.
 */
int softpt_pmu_config(const struct perf_event *event, struct softpt_config *config)
{
	const struct perf_event_attr *attr = &event->attr;
	struct softpt_complaint why;

	if (has_unknown(attr) || get_pwr_evt(attr) || (get_fup_on_ptw(attr) && !get_ptw(attr)) ||
	    (get_nosuppress(attr) && get_suppress(attr)))
		return -EINVAL;
	*config = base;
	flag(config, SOFTPT_F_CYC, get_cyc(attr));
	flag(config, SOFTPT_F_MTC, get_mtc(attr));
	flag(config, SOFTPT_F_TSC, get_tsc(attr));
	flag(config, SOFTPT_F_RETC, !get_noretcomp(attr));
	flag(config, SOFTPT_F_PTW, get_ptw(attr));
	flag(config, SOFTPT_F_BRANCH, get_branch(attr) || !get_pt(attr));
	flag(config, SOFTPT_F_TNT64, get_tnt64(attr));
	flag(config, SOFTPT_F_EVENT, get_event(attr));
	flag(config, SOFTPT_F_LOSSLESS, may_wait(event));
	config->mtc_freq = get_mtc_period(attr);
	config->cyc_thresh = get_cyc_thresh(attr);
	config->psb_freq = get_psb_period(attr);
	config->suppress = suppress_of(attr);
	config->burst = get_burst(attr);
	config->preroll = get_preroll(attr);
	if (get_resume(attr))
		config->resume_value = get_resume(attr);
	return softpt_config_check(config, &why) ? -EINVAL : 0;
}

/* The CTC's rate, where the processor has it: perf asks the processor, too. */
static void find_ratio(void)
{
	unsigned int eax, ebx, ecx, edx;
	struct softpt_config found = base;
	struct softpt_complaint why;

	if (boot_cpu_data.cpuid_level < 0x15)
		return;
	cpuid(0x15, &eax, &ebx, &ecx, &edx);
	found.tsc_ebx = ebx;
	found.tsc_eax = eax;
	if (!softpt_config_check(&found, &why))
		base = found;
}

/**
 * softpt_pmu_format_init() - what events can ask for on this machine
 *
 * Return: 0, or -EINVAL for what kernel= can't be.
 */
int softpt_pmu_format_init(void)
{
	if (kernel && *kernel && !softpt_pmu_kernel_is_opaque()) {
		pr_err("softpt: kernel=%s: it can be opaque, or not be given\n", kernel);
		return -EINVAL;
	}
	softpt_config_default(&base);
	base.flags &= ~SOFTPT_F_OS;
	base.flags |= SOFTPT_F_PGE_TSC | SOFTPT_F_STOCK_SAFE | SOFTPT_F_IFLAG;
	base.p1 = clamp_t(unsigned int, DIV_ROUND_CLOSEST(tsc_khz, 100000), base.min_ratio,
			  base.max_ratio);
	find_ratio();
	return 0;
}

/* ---- sysfs ---- */

#define FORMAT(name, word, low, high) \
	PMU_FORMAT_ATTR(name, __stringify(word) ":" __stringify(low) "-" __stringify(high));
#define FORMAT_BIT(name, word, bit) \
	PMU_FORMAT_ATTR(name, __stringify(word) ":" __stringify(bit));
#define FORMAT_ENTRY(name, ...) &format_attr_##name.attr,
BITS(FORMAT_BIT)
FIELDS(FORMAT)

static struct attribute *format_attrs[] = {
	BITS(FORMAT_ENTRY)
	FIELDS(FORMAT_ENTRY)
	NULL
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

/* A bit for each value that a parameter of the table may have */
#define NUM(key, field, min, max, def, what) \
static inline u32 values_of_##key(void) \
{ \
	return (max) < 32 ? GENMASK_ULL(max, min) : 0; \
}

SOFTPT_PARAM_NUMS(NUM)
#undef NUM

/* As the hardware's driver calls all but kernel_opaque: perf takes its defaults from these. */
#define CAPS(CAP) \
	CAP(max_subleaf,		1) \
	CAP(cr3_filtering,		0) \
	CAP(psb_cyc,			1) \
	CAP(ip_filtering,		1) \
	CAP(mtc,			1) \
	CAP(ptwrite,			1) \
	CAP(power_event_trace,		0) \
	CAP(event_trace,		1) \
	CAP(tnt_disable,		0) \
	CAP(kernel_opaque,		softpt_pmu_kernel_is_opaque()) \
	CAP(topa_output,		1) \
	CAP(topa_multiple_entries,	1) \
	CAP(single_range_output,	1) \
	CAP(output_subsys,		0) \
	CAP(payloads_lip,		0) \
	CAP(num_address_ranges,		SOFTPT_RANGES) \
	CAP(mtc_periods,		values_of_mtc_freq()) \
	CAP(cycle_thresholds,		values_of_cyc_thresh()) \
	CAP(psb_periods,		values_of_psb_freq())

#define CAP_ENTRY(name, value) &cap_##name.attr,
#define SHOW(name, value) \
static ssize_t name##_cap_show(struct device *dev, struct device_attribute *attr, char *buf) \
{ \
	return sysfs_emit(buf, "%x\n", value); \
} \
static struct device_attribute cap_##name = __ATTR(name, 0444, name##_cap_show, NULL);

CAPS(SHOW)

static struct attribute *cap_attrs[] = {
	CAPS(CAP_ENTRY)
	NULL
};

static const struct attribute_group cap_group = {
	.name = "caps",
	.attrs = cap_attrs,
};

static ssize_t max_nonturbo_ratio_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return sysfs_emit(buf, "%u\n", base.p1);
}
static DEVICE_ATTR_RO(max_nonturbo_ratio);

static ssize_t tsc_art_ratio_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u:%u\n", base.tsc_ebx, base.tsc_eax);
}
static DEVICE_ATTR_RO(tsc_art_ratio);

static struct attribute *timing_attrs[] = {
	&dev_attr_max_nonturbo_ratio.attr,
	&dev_attr_tsc_art_ratio.attr,
	NULL
};

static const struct attribute_group timing_group = { .attrs = timing_attrs };

const struct attribute_group *softpt_pmu_groups[] = {
	&format_group,
	&cap_group,
	&timing_group,
	NULL
};
