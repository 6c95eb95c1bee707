// SPDX-License-Identifier: GPL-2.0-only
/* The sources of this module, a row for each */

#include <linux/kernel.h>

#include "session/sources.h"
#include "source/source.h"

static const struct softpt_source_ops *const sources[] = {
	&softpt_replay_ops,
	&softpt_synth_ops,
#if IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER) && IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS)
	&softpt_step_ops,
#endif
#if IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER)
	&softpt_kernel_ops,
#endif
};

/* Return: the source of a kind, or NULL. */
const struct softpt_source_ops *softpt_source_find(u32 kind)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i]->kind == kind)
			return sources[i];
	return NULL;
}

/* A bit per enum softpt_source_kind that works on this machine */
u32 softpt_source_mask(void)
{
	unsigned int i;
	u32 mask = 0;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (softpt_source_works(sources[i]))
			mask |= BIT(sources[i]->kind);
	return mask;
}

static void exit_before(unsigned int i)
{
	while (i--)
		if (sources[i]->exit)
			sources[i]->exit();
}

int softpt_sources_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		err = sources[i]->init ? sources[i]->init() : 0;
		if (err) {
			exit_before(i);
			return err;
		}
	}
	return 0;
}

void softpt_sources_exit(void)
{
	exit_before(ARRAY_SIZE(sources));
}
