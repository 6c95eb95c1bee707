// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring freezes by command or by a trigger, and runs on.
 *
 * The channel that a trigger fires in freezes its ring itself, with the event at hand. Where
 * the others are to follow, they see struct softpt_gate.freezes change at their next event.
 * A CPU may have none for long, so the owner of the gate is notified, too.
 */

#include "channel/emit.h"
#include "channel/freeze.h"
#include "channel/loss.h"
#include "channel/page.h"
#include "channel/wait.h"

/**
 * softpt_channel_arm_triggers() - all that fired, or was counted, is forgotten
 * @ch: the channel, owned by the caller; the lock of its gate is held, perhaps on another CPU
 * @setup: triggers are copied
 */
void softpt_channel_arm_triggers(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	struct softpt_trigger_page *page = &ch->ring.control->triggers;

	softpt_triggers_arm(&ch->engine, &setup->triggers);
	ch->follow.freezes = atomic_read(&ch->gate->freezes);
	ch->shown.events = 0;
	WRITE_ONCE(page->events, 0);
	softpt_channel_publish_triggers(ch);
}

/*
 * A frozen ring has no room: from here on events change the engine's state and nothing else. A
 * trigger freezes the ring with the event at hand, inside of the engine's turn.
 */
static void freeze_live(struct softpt_channel *ch)
{
	bool in_engine = ch->in_engine;

	ch->in_engine = true;
	barrier();	/* an NMI on this CPU sees this before the engine changes */
	softpt_channel_lose(ch);
	barrier();
	ch->in_engine = in_engine;
}

/* The ring stays as it is, and can be decoded to its end. */
static void freeze_ring(struct softpt_channel *ch)
{
	if (ch->running && ch->engine.live)
		freeze_live(ch);
	else if (ch->running)
		softpt_channel_flush(ch);
	/* Release: who sees it sees all packets, too (softpt_channel_ended()) */
	smp_store_release(&ch->ring.frozen, true);
	WRITE_ONCE(ch->flags, ch->flags | SOFTPT_ST_FROZEN);
	softpt_trigger_frozen(&ch->engine.triggers);
	softpt_channel_publish(ch);
}

/* Its own trigger wants it. */
static void freeze_by_trigger(struct softpt_channel *ch)
{
	const struct softpt_triggers *t = &ch->engine.triggers;
	bool all = t->slot[t->freezer].set.flags & SOFTPT_TRIGGER_UNITS;

	freeze_ring(ch);
	if (all) {
		ch->follow.freezes = atomic_inc_return(&ch->gate->freezes);
		WRITE_ONCE(ch->follow.freeze_others, true);
	}
	irq_work_queue(&ch->wait.wake);
}

/**
 * softpt_channel_triggered() - do what triggers want of the ring, of this channel or of others
 * @ch: the channel, owned by the caller
 *
 * One that is frozen stays as it is, whatever happens elsewhere.
 *
 * Context: interrupts off if the channel is live; takes no lock, wakes nobody itself.
 */
void softpt_channel_triggered(struct softpt_channel *ch)
{
	u32 freezes = atomic_read(&ch->gate->freezes);

	if (ch->engine.triggers.hits != ch->shown.hits)
		softpt_channel_publish_triggers(ch);	/* head: behind the trigger event */
	if (!ch->ring.frozen && softpt_trigger_due(&ch->engine.triggers)) {
		freeze_by_trigger(ch);
		return;
	}
	if (ch->follow.freezes == freezes)
		return;
	ch->follow.freezes = freezes;
	if (ch->ring.frozen)
		return;
	freeze_ring(ch);
	irq_work_queue(&ch->wait.wake);
}

static void freeze(void *data)
{
	struct softpt_channel *ch = data;

	if (!ch->ring.frozen)		/* a trigger may have */
		freeze_ring(ch);
}

/**
 * softpt_channel_freeze() - the ring stays as it is, and can be decoded to its end
 * @ch: a channel whose ring is a snapshot
 */
void softpt_channel_freeze(struct softpt_channel *ch)
{
	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, freeze, ch);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_readers(ch);
}

static void follow(void *data)
{
	struct softpt_channel *ch = data;

	if (ch->running)
		softpt_channel_follow_triggers(ch);
}

/**
 * softpt_channel_follow_gate() - a channel that sees no event freezes with the others, too
 * @ch: the channel
 */
void softpt_channel_follow_gate(struct softpt_channel *ch)
{
	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, follow, ch);
	mutex_unlock(&ch->lock);
}

struct rearm {
	struct softpt_channel *ch;
	const u32 *freezes;
	bool frozen;
};

static void rearm(void *data)
{
	struct rearm *rearm = data;
	struct softpt_channel *ch = rearm->ch;

	rearm->frozen = ch->ring.frozen;
	if (rearm->freezes)
		ch->follow.freezes = *rearm->freezes;
	if (!ch->ring.frozen)
		return;
	WRITE_ONCE(ch->ring.frozen, false);
	WRITE_ONCE(ch->flags, ch->flags & ~SOFTPT_ST_FROZEN);
	softpt_trigger_rearm(&ch->engine);
	softpt_channel_publish(ch);
}

/**
 * softpt_channel_rearm() - a frozen ring runs on
 * @ch: the channel
 * @freezes: of the gate: those until then are over; NULL: they are not
 *
 * Return: false if the ring was not frozen.
 */
bool softpt_channel_rearm(struct softpt_channel *ch, const u32 *freezes)
{
	struct rearm call = { .ch = ch, .freezes = freezes };

	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, rearm, &call);
	mutex_unlock(&ch->lock);
	softpt_channel_wake_writers(ch);
	return call.frozen;
}
