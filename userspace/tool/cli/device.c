// SPDX-License-Identifier: BSD-2-Clause
/* The device, with messages that say what to do */
#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "tool.h"

static int open_or_tell(const char *no_module)
{
	int dev = softpt_device_open();

	switch (dev) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		refuse(SOFTPT_DEVICE, "the module is not loaded (%s)", no_module);
		return -1;
	case -EACCES:
	case -EPERM:
		refuse(SOFTPT_DEVICE,
		       "no permission: run as root, or join the group that owns the device");
		return -1;
	}
	if (dev >= 0)
		return dev;
	refuse(SOFTPT_DEVICE, "%s", softpt_strerror(dev));
	return -1;
}

int device_open(void)
{
	return open_or_tell("softpt load, as root; record --no-module does without");
}

int device_open_for(const char *option)
{
	char text[80];

	snprintf(text, sizeof(text), "softpt load, as root: %s needs it", option);
	return open_or_tell(text);
}

const char *device_source_name(unsigned int kind)
{
	static const char *const names[] = {
		[SOFTPT_SOURCE_REPLAY] = "replay",
		[SOFTPT_SOURCE_SYNTH] = "synth",
		[SOFTPT_SOURCE_STEP] = "step",
		[SOFTPT_SOURCE_KERNEL] = "kernel",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

static void explain_source(unsigned int kind, int err)
{
	if (err == -EOPNOTSUPP)
		refuse(SOFTPT_DEVICE, "the source '%s' is not there on this kernel (softpt info)",
		       device_source_name(kind));
	else if (err == -EPERM)
		refuse(SOFTPT_DEVICE, "the source '%s' needs CAP_PERFMON: run as root",
		       device_source_name(kind));
	else
		refuse(SOFTPT_DEVICE, "source '%s': %s", device_source_name(kind),
		       softpt_strerror(err));
}

int device_session(int dev, const struct softpt_config *cfg, unsigned int kind)
{
	int session = softpt_session_create(dev), err;

	if (session < 0) {
		refuse(SOFTPT_DEVICE, "a session: %s", softpt_strerror(session));
		return -1;
	}
	err = softpt_session_configure(session, cfg);
	if (err) {
		refuse(SOFTPT_DEVICE, "the module refuses the configuration: %s",
		       softpt_strerror(err));
		close(session);
		return -1;
	}
	err = softpt_session_source(session, kind);
	if (err) {
		explain_source(kind, err);
		close(session);
		return -1;
	}
	return session;
}

struct softpt_unit *device_unit(int session, unsigned int cpu)
{
	struct softpt_unit *unit;
	int err = softpt_unit_open(&unit, session, cpu);

	switch (err) {
	case 0:
		return unit;
	case -EINVAL:
	case -ENXIO:
		refuse(SOFTPT_DEVICE, "CPU %u: there is no such CPU, or it is offline", cpu);
		break;
	case -ENOMEM:
	case -ENOSPC:
		refuse(SOFTPT_DEVICE, "CPU %u: no memory for a ring of that size (-c ring=): more %s",
		       cpu, err == -ENOMEM ? "for RLIMIT_MEMLOCK (ulimit -l)?" :
					     "for the module's parameter max_memory?");
		break;
	case -EPROTO:
		refuse(SOFTPT_DEVICE, "the module is of another version than this command");
		break;
	default:
		refuse(SOFTPT_DEVICE, "CPU %u: %s", cpu, softpt_strerror(err));
	}
	return NULL;
}

static int explain_counter(const struct softpt_spec *spec, const char *teller, int err)
{
	struct softpt_class event_class;

	softpt_class_get(spec->event_class, &event_class);
	if (err == -EOPNOTSUPP)
		return refuse(event_class.name, "that is nothing that %s tells (softpt help stat)",
			      teller);
	if (err == -ENOTTY)
		return refuse(SOFTPT_DEVICE, "the module is older than this command");
	return refuse(SOFTPT_DEVICE, "counting %s: %s", event_class.name, softpt_strerror(err));
}

int device_counters(int session, const struct softpt_plan *plan, const char *teller)
{
	const struct softpt_counter *counter;
	unsigned int i;
	int err;

	for (i = 0; i < SOFTPT_COUNTERS; i++) {
		if (!(plan->counters >> i & 1))
			continue;
		counter = &plan->counter[i];
		err = softpt_session_set_escr(session, &plan->escr[counter->escr]);
		if (!err)
			err = softpt_session_set_counter(session, counter);
		if (err)
			return explain_counter(&plan->spec[i], teller, err);
	}
	return 0;
}

int device_count(int session, uint32_t counters, bool on)
{
	struct softpt_count_args args = { .start = on ? counters : 0, .stop = on ? 0 : counters };
	int err = softpt_session_count(session, &args);

	return err ? refuse(SOFTPT_DEVICE, "%s: %s", on ? "start" : "stop",
			    softpt_strerror(err)) : 0;
}
