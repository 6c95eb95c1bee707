// SPDX-License-Identifier: GPL-2.0-only
/* A session's last reference, and what sources see of its setup */

#include <linux/slab.h>

#include "session/session.h"

static void free_session(struct kref *ref)
{
	struct softpt_session *session = container_of(ref, struct softpt_session, ref);

	if (session->counting)
		atomic_dec(&softpt_counting);
	mutex_destroy(&session->lock);
	kfree(session);
}

void softpt_session_put(struct softpt_session *session)
{
	kref_put(&session->ref, free_session);
}

/* Whether the session counts or records */
static bool counts(const struct softpt_session *session)
{
	const struct softpt_setup *setup = &session->setup;

	return setup->counters.running || setup->retire.pipeline.stages || setup->triggers.classes;
}

/**
 * softpt_session_publish_counting() - sources look for what is counted, or not any more
 * @session: locked; its setup has changed
 */
void softpt_session_publish_counting(struct softpt_session *session)
{
	const struct softpt_counters *c = &session->setup.counters;
	bool before = session->counting;
	u64 classes = 0;
	unsigned int k;

	lockdep_assert_held(&session->lock);
	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if (c->running & BIT(k))
			classes |= BIT_ULL(c->escr[c->escr_of[k]].event_class);
	WRITE_ONCE(session->gate.counter_classes, classes);
	session->gate.trigger_classes = session->setup.triggers.classes;
	session->gate.trigger_sources = session->setup.triggers.sources;
	session->counting = counts(session);
	atomic_add(session->counting - before, &softpt_counting);
}
