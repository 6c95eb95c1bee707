// SPDX-License-Identifier: GPL-2.0-only
/* Tables of tracepoint probes: found by name, registered and unregistered together */

#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probe.h"

struct search {
	struct softpt_probe *probes;
	unsigned int n;
};

static void find(struct tracepoint *tp, void *data)
{
	const struct search *search = data;
	unsigned int i;

	for (i = 0; i < search->n; i++)
		if (!strcmp(tp->name, search->probes[i].name))
			search->probes[i].tp = tp;
}

bool softpt_probes_find(struct softpt_probe *probes, unsigned int n)
{
	struct search search = { probes, n };
	unsigned int i;

	for_each_kernel_tracepoint(find, &search);
	for (i = 0; i < n; i++)
		if (!probes[i].tp)
			return false;
	return true;
}

static void unregister_before(struct softpt_probe *probes, unsigned int i)
{
	while (i--)
		tracepoint_probe_unregister(probes[i].tp, probes[i].fn, NULL);
	tracepoint_synchronize_unregister();
}

int softpt_probes_register(struct softpt_probe *probes, unsigned int n)
{
	unsigned int i;
	int err;

	for (i = 0; i < n; i++) {
		err = tracepoint_probe_register(probes[i].tp, probes[i].fn, NULL);
		if (err) {
			unregister_before(probes, i);
			return err;
		}
	}
	return 0;
}

void softpt_probes_unregister(struct softpt_probe *probes, unsigned int n)
{
	unregister_before(probes, n);
}
