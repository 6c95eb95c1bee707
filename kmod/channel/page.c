// SPDX-License-Identifier: GPL-2.0-only
/* Page 1 of a ring: counters and triggers. The reader takes what has the same even number twice. */

#include "channel/page.h"

/**
 * softpt_channel_publish_counters() - bring page 1 up to date, and wake who polls for overflows
 * @ch: the channel, owned by the caller
 */
void softpt_channel_publish_counters(struct softpt_channel *ch)
{
	struct softpt_counter_page *page = &ch->ring.control->counters;
	struct softpt_counters *c = &ch->engine.counters;
	unsigned int k;

	if (unlikely(c->fresh)) {
		c->fresh = 0;
		WRITE_ONCE(ch->shown.wrapped, true);
		irq_work_queue(&ch->wait.wake);
	}
	if (ch->no_counter_page)
		return;
	WRITE_ONCE(page->seq, page->seq + 1);
	smp_wmb();	/* odd before anything changes: the reader's first look */
	WRITE_ONCE(page->overflowed, c->overflowed);
	WRITE_ONCE(page->tsc, softpt_counters_stamp(c, max(ch->engine.now, ch->follow.count_tsc)));
	for (k = 0; k < SOFTPT_COUNTERS; k++)
		WRITE_ONCE(page->value[k], c->value[k]);
	smp_wmb();	/* all of it before even: the reader's second look */
	WRITE_ONCE(page->seq, page->seq + 1);
}

/**
 * softpt_channel_publish_triggers() - bring page 1 up to date
 * @ch: the channel, owned by the caller, who has just had the event
 */
void softpt_channel_publish_triggers(struct softpt_channel *ch)
{
	struct softpt_trigger_page *page = &ch->ring.control->triggers;
	const struct softpt_triggers *t = &ch->engine.triggers;
	unsigned int i;

	WRITE_ONCE(page->seq, page->seq + 1);
	smp_wmb();	/* odd before anything changes: the reader's first look */
	if (t->marked != ch->shown.events) {
		WRITE_ONCE(page->index, t->index);
		WRITE_ONCE(page->tsc, t->tsc);
		WRITE_ONCE(page->ip, t->ip);
		WRITE_ONCE(page->head, ch->ring.head);
	}
	WRITE_ONCE(page->events, t->events);
	for (i = 0; i < SOFTPT_TRIGGERS; i++)
		WRITE_ONCE(page->hits[i], t->slot[i].hits);
	smp_wmb();	/* all of it before even: the reader's second look */
	WRITE_ONCE(page->seq, page->seq + 1);
	ch->shown.events = t->marked;
	ch->shown.hits = t->hits;
}
