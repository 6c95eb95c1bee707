/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate: what all channels of one trace follow, and what a source asks for.
 *
 * A session has one, and the PMU has one. Channels and sources know the gate, and so neither knows
 * who has it.
 */
#ifndef _SOFTPT_GATE_H
#define _SOFTPT_GATE_H

#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/softpt.h>

struct softpt_channel;

/**
 * struct softpt_gate - what all channels of one trace follow
 * @on: TSC of the last start: live events before it are ignored; U64_MAX: the start is to come
 * @off: TSC of the stop: live events after it are ignored; U64_MAX: the stop is to come
 * @wall_clock: the clock of live events is the TSC, else it is the events' own
 * @count: what SOFTPT_COUNT last asked for; written before @count_seq
 * @count_seq: counts the changes of @count
 * @counter_classes: a bit for each class of events that a running counter counts
 * @trigger_classes: a bit for each class of events that a trigger counts
 * @trigger_sources: a bit for each enum softpt_trigger_source that a trigger has
 * @freezes: how often a trigger of one channel froze all
 * @ending: the source has ended since the last start
 * @exit_code: of a stepped process
 * @notify: called when @freezes or @ending has changed, in any context but NMI. The owner
 *	then has its channels follow. NULL: neither ever changes
 * @source_data: of the source, between its start and its stop
 * @lock: of the owner. It guards all that has no rule of its own
 * @channel: by CPU. Changed under @lock, and read on that CPU with interrupts off, or under
 *	RCU (sched). The PMU changes an entry on its CPU with interrupts off
 *
 * The gate lives as long as each of its channels, and until RCU readers have left that
 * found it by a source.
 */
struct softpt_gate {
	u64 on;
	u64 off;
	bool wall_clock;
	struct softpt_count_args count;
	u32 count_seq;
	u64 counter_classes;
	u64 trigger_classes;
	u32 trigger_sources;
	atomic_t freezes;
	bool ending;
	u32 exit_code;
	void (*notify)(struct softpt_gate *gate);
	void *source_data;
	struct mutex *lock;	/* of the owner */
	struct softpt_channel __rcu *channel[];
};

/* Traces that count or record. Sources look at this first. */
extern atomic_t softpt_counting;

/**
 * softpt_gate_channel() - the channel of the CPU that this runs on
 * @gate: between start and stop of its source
 *
 * Context: interrupts off until the last use of the answer.
 * Return: the channel, or NULL where the trace has none.
 */
static inline struct softpt_channel *softpt_gate_channel(struct softpt_gate *gate)
{
	return rcu_dereference_check(gate->channel[smp_processor_id()], irqs_disabled());
}

struct softpt_channel *softpt_gate_any_channel(struct softpt_gate *gate);
struct softpt_channel *softpt_gate_next(struct softpt_gate *gate, unsigned int *cpu);
void softpt_gate_end(struct softpt_gate *gate, u32 exit_code);

#endif /* _SOFTPT_GATE_H */
