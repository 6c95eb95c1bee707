/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A channel: the engine, the ring and the losses of one CPU. Events go in, packets come out.
 *
 *	source -> softpt_channel_event() or softpt_channel_feed() -> engine -> ring
 *
 * A live channel is its CPU's: events come there with interrupts off, and take no lock. Who else
 * wants the channel asks that CPU (softpt_channel_on_owner()).
 */
#ifndef _SOFTPT_CHANNEL_H
#define _SOFTPT_CHANNEL_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "channel/gate.h"
#include "engine/engine.h"
#include "ring/ring.h"

/**
 * struct softpt_setup - what a channel is started with
 * @config: the configuration
 * @seq: counts changes of @config and of the source, so that a channel knows when to begin its
 *	engine afresh
 * @counters: as set for all channels. They count nothing themselves
 * @triggers: as set for all channels, each of which arms its own when it starts
 * @retire: what freezes the retirement FIFO; no stages: none is recorded
 */
struct softpt_setup {
	struct softpt_config config;
	u32 seq;
	struct softpt_counters counters;
	struct softpt_triggers triggers;
	struct softpt_freeze_args retire;
};

/**
 * struct softpt_channel - engine, ring and losses of one CPU
 * @gate: what it follows; NULL: nothing yet
 * @cpu: whose it is
 * @setup_seq: struct softpt_setup.seq of what @engine runs with
 * @no_counter_page: counters are not published
 * @lock: guards engine and ring of a channel that is fed. It also orders who asks the CPU of a
 *	live one
 * @engine: the state machine. Of a live channel: its CPU's, with interrupts off.
 * @ring: where the packets go; same rule
 * @sink: where the engine writes: of a live channel, behind the last event, as far as there was
 *	room when somebody looked. No room at all (softpt_channel_force_check()) makes the next
 *	event look: while the channel is stopped, loses packets or is a snapshot, and when an NMI's
 *	event is lost
 * @in_engine: the CPU is inside the engine: an NMI's event is lost
 * @losing: the ring was full and packets are being lost (live), until it has room
 * @lossless: whoever is traced waits for room (source/step/wait.c)
 * @crowded: it is to: what is left is for what comes before it does
 * @resync: bytes of the engine went to @scratch, so that a PSB+ is owed
 * @running: between start and stop: events are taken
 * @gone: stopped because its CPU went; @lock, but for the CPU's going
 * @flags: SOFTPT_ST_*, shown in the control page
 * @count_seq: struct softpt_gate.count_seq that was followed
 * @count_tsc: when, on the channel's clock
 * @freezes: struct softpt_gate.freezes that was followed
 * @freeze_others: the other channels are to follow
 * @hits: occurrences that page 1 shows
 * @noted: trigger events, of those
 * @wrapped: a counter has, since the last SOFTPT_READ_COUNTERS
 * @records: of the engine's FIFO; NULL: it has been enabled without
 * @recorded: whose the last of them is; nobody looks into it
 * @dropped: live events that never reached the engine
 * @dropped_seen: how many of @dropped the engine knows of
 * @lost: counts.events_lost, for poll()
 * @pending: a record that was taken while its gap did not fit the ring
 * @has_pending: @pending waits for room
 * @readable: readers wait here, for bytes, a freeze or the end
 * @writable: writers wait here, for room
 * @notify: after each live event, instead of waking who waits for @readable; or NULL. As
 *	softpt_channel_event()
 * @wake: wakes readers from a context that must not
 * @room: looks for room when the reader moves the tail without a system call
 * @source_data: the source's own, between its start and its stop
 * @node: CPU hotplug, while a live source is enabled
 * @truth: where what really happened goes; @size 0: nobody asked
 * @log: the engine's end of it
 * @truth_polled: those of @readable who wait for the truth, too
 * @scratch: what the engine writes while packets are lost
 */
struct softpt_channel {
	struct softpt_gate *gate;
	u32 cpu;
	u32 setup_seq;
	bool no_counter_page;
	struct mutex lock;	/* engine and ring of a channel that is fed */
	struct softpt_engine engine;
	struct softpt_ring ring;
	struct softpt_sink sink;
	bool in_engine;
	bool losing;
	bool lossless;
	bool crowded;
	bool resync;
	bool running;
	bool gone;
	u32 flags;
	u32 count_seq;
	u64 count_tsc;
	u32 freezes;
	bool freeze_others;
	u64 hits;
	u64 noted;
	bool wrapped;
	struct softpt_retirement *records;
	const struct softpt_retire_cursor *recorded;
	atomic64_t dropped;
	u64 dropped_seen;
	u64 lost;
	struct softpt_event pending;
	bool has_pending;
	wait_queue_head_t readable;
	wait_queue_head_t writable;
	void (*notify)(struct softpt_channel *ch);
	struct irq_work wake;
	struct delayed_work room;
	void *source_data;
	struct hlist_node node;
	struct softpt_ring truth;
	struct softpt_truth_log log;
	wait_queue_head_t truth_polled;
	u8 scratch[SOFTPT_GROUP_MAX];
};

/**
 * struct softpt_retire_cursor - who retires instructions: a task's end of the retirement FIFO
 * @ch: that recorded its last instruction; NULL: none. Nobody looks into it
 */
struct softpt_retire_cursor {
	const struct softpt_channel *ch;
};

/* ---- what a source calls ---- */

/**
 * softpt_channel_event() - give a live event to the channel
 * @ch: of the CPU that this runs on: softpt_gate_channel()
 * @ev: the event; its time is the TSC, or the model clock's
 *
 * The head moves with each event, counts and flags with every 64th and when more happens than
 * the event. A time before the channel's last event counts as that event's time; events
 * before the start and after the stop are ignored. A full ring loses
 * packets, never the engine's state: the closing anchor goes into the reserve, and
 * OVF follows when there is room. Events that nest into another (NMI) are lost
 * and counted.
 *
 * Context: interrupts off, on the channel's CPU. Takes no lock and wakes nobody
 * itself, so it may run under the run queue's lock.
 */
void softpt_channel_event(struct softpt_channel *ch, const struct softpt_event *ev);

/**
 * softpt_channel_feed() - give events to a channel that can wait
 * @ch: the channel
 * @ev: the events
 * @n: how many
 *
 * Takes whole records until one is refused or the ring is full. A record whose gap
 * is longer than the room counts as taken: the rest of it follows by itself
 * before the next.
 *
 * Return: how many were taken; when that is none: -EAGAIN without room,
 * -EBADFD when the channel does not run or its input was finished, or what
 * softpt_engine_check() says.
 */
ssize_t softpt_channel_feed(struct softpt_channel *ch, const struct softpt_event *ev, size_t n);

/**
 * softpt_channel_finish() - no more input will come: close the stream
 * @ch: the channel
 *
 * Return: 0; -EBADFD when it does not run or was finished before, -EAGAIN without
 * room for the rest.
 */
int softpt_channel_finish(struct softpt_channel *ch);

void softpt_channel_retire(struct softpt_channel *ch, struct softpt_retire_cursor *by, u64 ip,
			   u32 n);
void softpt_channel_access(struct softpt_channel *ch, struct softpt_retire_cursor *by,
			   u64 address);
bool softpt_channel_crowded(struct softpt_channel *ch);
void softpt_channel_add_lost(struct softpt_channel *ch, u64 n);
bool softpt_channel_writable(struct softpt_channel *ch);
void softpt_channel_watch_room(struct softpt_channel *ch);
int softpt_channel_wait_room(struct softpt_channel *ch);
void softpt_channel_count_slow(struct softpt_channel *ch, u8 event_class, u16 submask, u8 cpl,
			       u8 thread);
void softpt_channel_follow_count(struct softpt_channel *ch);

/* Counters start and stop before the event at hand. One that is stopped is told by SOFTPT_COUNT. */
static inline void softpt_channel_recount(struct softpt_channel *ch)
{
	if (unlikely(READ_ONCE(ch->gate->count_seq) != ch->count_seq) && ch->running)
		softpt_channel_follow_count(ch);
}

/**
 * softpt_channel_count() - something happened that counters may count
 * @ch: of the CPU that this runs on: softpt_gate_channel()
 * @event_class: enum softpt_event_class
 * @submask: the subclasses that it belongs to
 * @cpl: who caused it
 * @thread: hardware thread
 *
 * Context: interrupts off, on the channel's CPU, not NMI. Takes no lock and wakes nobody
 * itself, so it may run under the run queue's lock.
 */
static inline void softpt_channel_count(struct softpt_channel *ch, u8 event_class, u16 submask,
					u8 cpl, u8 thread)
{
	softpt_channel_recount(ch);
	if (unlikely(ch->engine.counters.wanted >> event_class & 1))
		softpt_channel_count_slow(ch, event_class, submask, cpl, thread);
}

/* The time of the last event. A PSB on demand, which may come meanwhile, does not change it. */
static inline u64 softpt_channel_now(const struct softpt_channel *ch)
{
	return data_race(ch->engine.now);
}

/* The hardware thread that counts are of. Context: interrupts off, on the channel's CPU. */
static inline u8 softpt_channel_thread(const struct softpt_channel *ch)
{
	return ch->engine.thread;
}

/**
 * softpt_channel_take_break() - whether a counter met a micro-breakpoint since the last call
 * @ch: of the CPU that this runs on
 *
 * Context: interrupts off.
 */
static inline bool softpt_channel_take_break(struct softpt_channel *ch)
{
	if (likely(!ch->engine.counters.breaks))
		return false;
	ch->engine.counters.breaks = 0;
	return true;
}

/* ---- what front ends call ---- */

int softpt_channel_init(struct softpt_channel *ch, struct softpt_gate *gate,
			const struct softpt_config *config, u32 cpu);
void softpt_channel_free(struct softpt_channel *ch);
void softpt_channel_configure(struct softpt_channel *ch, const struct softpt_config *config);
int softpt_channel_start(struct softpt_channel *ch, const struct softpt_setup *setup, bool live);
void softpt_channel_stop(struct softpt_channel *ch);
void softpt_channel_on_owner(struct softpt_channel *ch, void (*fn)(void *arg), void *arg);
int softpt_channel_demand(struct softpt_channel *ch, u16 kind);
void softpt_channel_adopt_counters(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_arm_fifo(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_publish_counters(struct softpt_channel *ch);
void softpt_channel_read_counters(struct softpt_channel *ch, struct softpt_counter_values *values);
int softpt_channel_read_fifo(struct softpt_channel *ch, struct softpt_fifo_args *args,
			     struct softpt_retirement *to);
int softpt_channel_rearm_fifo(struct softpt_channel *ch, const struct softpt_setup *setup);
void softpt_channel_status(struct softpt_channel *ch, struct softpt_status *status);
void softpt_channel_freeze(struct softpt_channel *ch);
void softpt_channel_follow_gate(struct softpt_channel *ch);
bool softpt_channel_rearm(struct softpt_channel *ch, const u32 *freezes);
bool softpt_channel_readable(const struct softpt_channel *ch);
void softpt_channel_wake_readers(struct softpt_channel *ch);
void softpt_channel_wake_writers(struct softpt_channel *ch);
bool softpt_channel_may_resume(const struct softpt_channel *ch);
u64 softpt_channel_before_crowded(const struct softpt_ring *ring);
bool softpt_channel_truth_waits(const struct softpt_channel *ch);

int softpt_hotplug_init(void);
void softpt_hotplug_exit(void);
void softpt_hotplug_remove(struct softpt_channel *ch);

/**
 * softpt_channel_force_check() - leave no room: the next event does not go on where the last ended
 * @ch: of this CPU; may be inside of the engine, in an NMI
 */
static inline void softpt_channel_force_check(struct softpt_channel *ch)
{
	WRITE_ONCE(ch->sink.end, ch->sink.cur);
}

#endif /* _SOFTPT_CHANNEL_H */
