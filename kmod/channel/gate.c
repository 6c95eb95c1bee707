// SPDX-License-Identifier: GPL-2.0-only
/* The gate: what all channels of one trace follow (gate.h) */

#include <linux/cpumask.h>
#include <linux/lockdep.h>

#include "channel/gate.h"

atomic_t softpt_counting;

/**
 * softpt_gate_next() - walk through the channels
 * @gate: its lock held
 * @cpu: where to begin; set to the CPU of the channel
 *
 * Return: the channel of @cpu or of the next CPU that has one; NULL at the end.
 */
struct softpt_channel *softpt_gate_next(struct softpt_gate *gate, unsigned int *cpu)
{
	struct softpt_channel *ch = NULL;

	for (; *cpu < nr_cpu_ids; (*cpu)++) {
		ch = rcu_dereference_protected(gate->channel[*cpu], lockdep_is_held(gate->lock));
		if (ch)
			break;
	}
	return ch;
}

/**
 * softpt_gate_any_channel() - the channel of this CPU, or the first that there is
 * @gate: between start and stop of its source
 *
 * Context: interrupts off until the last use of the answer. To the channel of another CPU
 * losses may be added (softpt_channel_add_lost()), and nothing else may be done.
 * Return: NULL if there is no channel.
 */
struct softpt_channel *softpt_gate_any_channel(struct softpt_gate *gate)
{
	struct softpt_channel *ch = softpt_gate_channel(gate);
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids && !ch; cpu++)
		ch = rcu_dereference_sched(gate->channel[cpu]);
	return ch;
}

/**
 * softpt_gate_end() - the source has ended: no event will come any more
 * @gate: between start and stop of its source
 * @exit_code: of a stepped process, as wait() has it
 *
 * The owner stops the channels (TNT flush, closing anchor), and readers see the end.
 *
 * Context: any but NMI.
 */
void softpt_gate_end(struct softpt_gate *gate, u32 exit_code)
{
	WRITE_ONCE(gate->exit_code, exit_code);
	WRITE_ONCE(gate->ending, true);
	gate->notify(gate);
}
