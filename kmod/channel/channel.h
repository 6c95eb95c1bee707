/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A channel: the engine, the ring and the losses of one CPU. Events go in, packets come out.
 *
 *	source -> live.h or feed.h -> pass.c -> emit.h -> engine -> ring
 *
 * A file of this room calls only those further down:
 *
 *	start.c		a channel starts and stops; what its owner asks of it
 *	hotplug.c	its CPU goes, and comes back
 *	live.c		events that cannot wait
 *	feed.c		events that can
 *	pass.c		one event, and the PSB+ that a snapshot wants before it
 *	freeze.c	a ring freezes, by command or by a trigger
 *	wait.c		who waits for bytes or for room
 *	loss.c		packets are lost, or a task waits instead
 *	truth.c		the ring of the truth
 *	emit.h		the engine writes behind the last event
 *	count.c		counters follow SOFTPT_COUNT
 *	retire.c	the retirement FIFO
 *	page.c		page 1 of the ring
 *	owner.c		on whose CPU
 *	gate.h		what all channels of one trace follow
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
 * @retire: what freezes the retirement FIFO; no stages: nothing is recorded
 */
struct softpt_setup {
	struct softpt_config config;
	u32 seq;
	struct softpt_counters counters;
	struct softpt_triggers triggers;
	struct softpt_freeze_args retire;
};

/**
 * struct softpt_retire_cursor - who retires instructions: a task's end of the retirement FIFO
 * @ch: that recorded the last instruction; NULL: none. Nobody looks into it
 */
struct softpt_retire_cursor {
	const struct softpt_channel *ch;
};

/**
 * struct softpt_channel - engine, ring and losses of one CPU
 * @sink: where the engine writes: of a live channel, behind the last event, as far as there was
 *	room when somebody looked. No room at all (softpt_channel_force_check()) makes the next
 *	event look: while the channel is stopped, loses packets or is a snapshot, and when an NMI's
 *	event is lost
 * @gate: what it follows; NULL: nothing yet
 * @in_engine: the CPU is inside the engine: an NMI's event is lost
 * @running: between start and stop: events are taken
 * @notify: called after each live event, in its context, instead of waking who waits for
 *	@wait.rd_wait; NULL for units
 * @dropped: live events that never reached the engine. Any CPU adds
 * @dropped_seen: how many of @dropped the engine knows of
 * @follow: what was followed of the setup and of the gate
 * @follow.count_seq: struct softpt_gate.count_seq
 * @follow.setup_seq: struct softpt_setup.seq of what @engine runs with
 * @follow.count_tsc: when, on the channel's clock
 * @follow.freezes: struct softpt_gate.freezes
 * @follow.freeze_others: the other channels are to follow a freeze of this one
 * @wait: who waits
 * @wait.rd_wait: readers, for bytes, a freeze or the end
 * @wait.wr_wait: writers, for room
 * @wait.truth_wait: those of @wait.rd_wait who wait for the truth, too
 * @wait.wake: wakes readers from a context that must not
 * @wait.room: looks for room when the reader moves the tail without a system call
 * @ring: where the packets go
 * @engine: the state machine
 * @psb_at: of a snapshot: no PSB is newer than this position plus what one event writes
 * @shown: what page 1 shows
 * @shown.hits: of triggers
 * @shown.events: trigger events that were marked
 * @shown.wrapped: a counter has wrapped since softpt_channel_read_counters()
 * @fed: a channel whose events can wait
 * @fed.pending: an event that was taken while its gap did not fit the ring
 * @fed.has_pending: @fed.pending waits for room
 * @truth: what really happened
 * @truth.ring: where it goes; size 0: nobody asked
 * @truth.log: the engine's end of it
 * @retire: the retirement FIFO
 * @retire.records: its memory; NULL: nothing has been recorded yet
 * @retire.by: whose the last of them is. Nobody looks into it
 * @flags: SOFTPT_ST_*, as published. Others read it without the owner
 * @cpu: whose channel it is
 * @gone: stopped because its CPU went. Changes under @lock, but for the CPU's going
 * @no_counter_page: counters are not published
 * @lock: see below
 * @node: of CPU hotplug, between start and stop of a live channel
 * @source_data: of the source, between its attach and its detach
 * @loss: what happens when there is no room
 * @loss.losing: the ring was full, and packets are lost until it has room (live)
 * @loss.lossless: who is traced waits for room
 * @loss.crowded: it is to wait: what is left is for what comes before it does
 * @loss.resync: bytes of the engine went to @loss.scratch, so that a PSB+ is owed
 * @loss.lost: counts.events_lost, for poll()
 * @loss.scratch: where the engine writes while packets are lost
 *
 * Whose it is: engine, ring and all that has no other rule here are the owner's. Of a live channel
 * that is who runs on @cpu with interrupts off, and while @cpu is offline the holder of @lock. Of a
 * fed one it is the holder of @lock. Who is not the owner takes @lock and calls
 * softpt_channel_on_owner(). @lock comes after softpt_gate.lock.
 *
 * Lifetime: as of what it is embedded in: a unit's until the last close, and until RCU (sched)
 * readers have left that found it by softpt_gate_any_channel(); an AUX area's likewise.
 */
struct softpt_channel {
	struct softpt_sink sink;
	struct softpt_gate *gate;
	bool in_engine;
	bool running;
	void (*notify)(struct softpt_channel *ch);
	atomic64_t dropped;
	u64 dropped_seen;
	struct {
		u32 count_seq;
		u32 setup_seq;
		u64 count_tsc;
		u32 freezes;
		bool freeze_others;
	} follow;
	struct {
		wait_queue_head_t rd_wait;
		wait_queue_head_t wr_wait;
		wait_queue_head_t truth_wait;
		struct irq_work wake;
		struct delayed_work room;
	} wait;
	struct softpt_ring ring;
	struct softpt_engine engine;
	u64 psb_at;
	struct {
		u64 hits;
		u64 events;
		bool wrapped;
	} shown;
	struct {
		struct softpt_event pending;
		bool has_pending;
	} fed;
	struct {
		struct softpt_ring ring;
		struct softpt_truth_log log;
	} truth;
	struct {
		struct softpt_retirement *records;
		const struct softpt_retire_cursor *by;
	} retire;
	u32 flags;
	u32 cpu;
	bool gone;
	bool no_counter_page;
	struct mutex lock;	/* engine and ring of a channel that is fed */
	struct hlist_node node;
	void *source_data;
	struct {
		bool losing;
		bool lossless;
		bool crowded;
		bool resync;
		u64 lost;
		u8 scratch[SOFTPT_GROUP_MAX];
	} loss;
};

/* owner.c */
void softpt_channel_on_owner(struct softpt_channel *ch, void (*fn)(void *arg), void *arg);

/* The time of the last event */
static inline u64 softpt_channel_now(const struct softpt_channel *ch)
{
	/* data_race(): a PSB on demand, which may come meanwhile, does not change it */
	return data_race(ch->engine.now);
}

/* The hardware thread that counts are of. Context: interrupts off, on the channel's CPU. */
static inline u8 softpt_channel_thread(const struct softpt_channel *ch)
{
	return ch->engine.context.thread;
}

#endif /* _SOFTPT_CHANNEL_H */
