// SPDX-License-Identifier: BSD-2-Clause
#include "kernel.h"

#include <unistd.h>

#include "base/tsc.h"
#include "../../cli/device.h"
#include "../../cli/tool.h"

/* The file describes the units of the threads: these have to describe themselves. */
static struct softpt_config config_of(const struct softpt_config *given)
{
	struct softpt_config cfg = *given;

	cfg.flags |= SOFTPT_F_DESCRIBE | SOFTPT_F_PTW;
	cfg.truth = 0;
	return cfg;
}

static int open_session(struct kernel_side *k, const struct softpt_config *cfg)
{
	int dev = device_open_for("--kernel"), session;

	if (dev < 0)
		return EXIT_REFUSED;
	session = device_session(dev, cfg, SOFTPT_SOURCE_KERNEL);
	close(dev);
	if (session < 0)
		return EXIT_REFUSED;
	k->session = session;
	return 0;
}

int kernel_side_begin(struct kernel_side *k, const struct softpt_config *given)
{
	const struct softpt_config cfg = config_of(given);
	int status = open_session(k, &cfg), err;

	if (!status)
		status = units_open(&k->units, k->session, -1, cfg.ring);
	if (status)
		return status;
	err = softpt_session_enable(k->session, NULL);
	return err ? refuse(SOFTPT_DEVICE, "enable: %s", softpt_strerror(err)) : 0;
}

int kernel_side_drain(struct kernel_side *k, struct softpt_perf_writer *w)
{
	return k->session ? units_drain(&k->units, w, tsc_now()) : 0;
}

int kernel_side_end(struct kernel_side *k, struct softpt_perf_writer *w, const char *path)
{
	struct softpt_counts sum;
	int err;

	if (!k->session)
		return 0;
	softpt_session_disable(k->session, NULL);
	err = kernel_side_drain(k, w);
	units_counts(&k->units, &sum);
	if (sum.events_lost)
		refuse(path, "%llu events of the kernel were lost: give it a larger ring (-c ring=)",
		       sum.events_lost);
	return err;
}

void kernel_side_close(struct kernel_side *k)
{
	if (!k->session)
		return;
	units_close(&k->units);
	close(k->session);
}
