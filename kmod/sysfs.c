// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/misc/softpt/caps/: what SOFTPT_GET_CAPS says, one value per file, for
 * scripts. All are read-only.
 *
 *	abi_version	decimal
 *	config_flags	hexadecimal, SOFTPT_F_*
 *	max_ring	bytes per unit, decimal
 *	memory		bytes that all rings have now, decimal
 *	nr_cpus		decimal
 *	sources		hexadecimal, a bit per enum softpt_source_kind
 *	tsc_khz		decimal
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/sysfs.h>

#include "clock.h"
#include "ring/ring.h"
#include "session/sources.h"
#include "sysfs.h"

/* What this module and this machine can do */
void softpt_caps(struct softpt_caps *caps)
{
	*caps = (struct softpt_caps) {
		.size = sizeof(*caps),
		.abi_version = SOFTPT_ABI_VERSION,
		.config_flags = SOFTPT_F_ALL,
		.sources = softpt_source_mask(),
		.max_ring = softpt_ring_limit(),
		.tsc_khz = softpt_clock_khz(),
		.nr_cpus = num_possible_cpus(),
	};
}

#define CAP(name, format) \
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *buf) \
{ \
	struct softpt_caps caps; \
	softpt_caps(&caps); \
	return sysfs_emit(buf, format "\n", caps.name); \
} \
static DEVICE_ATTR_RO(name)

CAP(abi_version, "%u");
CAP(config_flags, "0x%x");
CAP(max_ring, "%llu");
CAP(nr_cpus, "%u");
CAP(sources, "0x%x");
CAP(tsc_khz, "%u");

static ssize_t memory_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", softpt_ring_memory());
}
static DEVICE_ATTR_RO(memory);

static struct attribute *caps_attrs[] = {
	&dev_attr_abi_version.attr,
	&dev_attr_config_flags.attr,
	&dev_attr_max_ring.attr,
	&dev_attr_memory.attr,
	&dev_attr_nr_cpus.attr,
	&dev_attr_sources.attr,
	&dev_attr_tsc_khz.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

const struct attribute_group *softpt_groups[] = {
	&caps_group,
	NULL
};
