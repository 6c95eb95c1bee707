// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stepped task reports to the channel of its CPU: events, and what is counted and recorded
 * of it. Where the CPU has no channel, that is a loss.
 */

#include <linux/sched/signal.h>
#include <asm/tsc.h>

#include "channel/loss.h"
#include "step.h"
#include "x86/branch.h"

/*
 * Sets the time of the next events. The model's core clock stays at P1's ratio: a cycle is a tick.
 */
void softpt_step_tick(struct softpt_step *step)
{
	step->clock.now = step->set->model ? step->clock.cycles : rdtsc_ordered();
}

/**
 * softpt_step_send() - give an event to the channel of this CPU
 * @step: the task
 * @ev: the event; its time is that of softpt_step_tick()
 *
 * Without a channel the event is lost (softpt_step_charge()).
 *
 * Context: interrupts off; may be under the run queue's lock.
 */
void softpt_step_send(struct softpt_step *step, struct softpt_event *ev)
{
	struct softpt_gate *gate = softpt_step_gate(step);
	struct softpt_channel *ch;

	if (!gate)
		return;
	ev->tsc = step->clock.now;
	ch = softpt_gate_channel(gate);
	if (likely(ch && ch->running))
		softpt_channel_event(ch, ev);
	else
		step->lost++;
}

void softpt_step_send_mode(struct softpt_step *step, bool long_mode)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_MODE, .arg = long_mode ? 64 : 32 };

	step->at.long_mode = long_mode;
	softpt_step_send(step, &ev);
}

void softpt_step_send_transfer(struct softpt_step *step, u16 kind, u64 ip, u64 target, u8 cpl)
{
	struct softpt_event ev = {
		.kind = kind, .ip = ip, .target = target, .cpl = cpl,
	};

	softpt_step_send(step, &ev);
}

/* Whether a trigger of the trace waits for such an event: a SOFTPT_ON_* */
bool softpt_step_wanted(const struct softpt_step *step, u32 source)
{
	const struct softpt_gate *gate = softpt_step_gate(step);

	return gate && gate->trigger_sources & BIT(source);
}

/* The channel of this CPU; NULL: none */
static struct softpt_channel *channel_of(const struct softpt_step *step)
{
	struct softpt_gate *gate = softpt_step_gate(step);

	return gate ? softpt_gate_channel(gate) : NULL;
}

static bool is_configured(const struct softpt_step *step, u32 flag)
{
	const struct softpt_channel *ch = channel_of(step);

	return ch && ch->running && ch->engine.flags & flag;
}

/* EventEn. Context: interrupts off. */
bool softpt_step_traces_events(const struct softpt_step *step)
{
	return is_configured(step, SOFTPT_F_EVENT);
}

/* BranchEn. Context: interrupts off. */
bool softpt_step_traces_flow(const struct softpt_step *step)
{
	return is_configured(step, SOFTPT_F_BRANCH);
}

/**
 * softpt_step_charge() - events on CPUs without a channel are losses of another channel
 * @step: the task
 * @ch: a channel of the trace; NULL: it has none
 *
 * Context: interrupts off.
 */
void softpt_step_charge(struct softpt_step *step, struct softpt_channel *ch)
{
	if (likely(!step->lost) || !ch)
		return;
	softpt_channel_add_lost(ch, step->lost);
	step->lost = 0;
}

static void stop(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, stop);

	step->stop.func = NULL;
	send_sig(SIGSTOP, current, 1);
	softpt_step_put(step);
}

/**
 * softpt_step_halt() - a micro-breakpoint: stop the current task
 * @step: the task's; @trap.halt is set
 *
 * As SIGSTOP does: before the task's next instruction, with all of its process, until SIGCONT.
 *
 * Context: any but under the run queue's lock, which task_work_add() may take.
 */
void softpt_step_halt(struct softpt_step *step)
{
	step->trap.halt = false;
	if (step->stop.func)
		return;		/* it is to stop already */
	init_task_work(&step->stop, stop);
	kref_get(&step->ref);
	if (task_work_add(current, &step->stop, TWA_RESUME)) {
		step->stop.func = NULL;
		softpt_step_put(step);
	}
}

/**
 * softpt_step_count() - counters may count something that the task did
 * @step: the task
 * @event_class: enum softpt_event_class
 * @submask: its subclasses
 * @cpl: of who caused it
 *
 * A micro-breakpoint sets @trap.halt; a caller that may add task work calls softpt_step_halt().
 *
 * Context: interrupts off; may be under the run queue's lock.
 */
void softpt_step_count(struct softpt_step *step, u8 event_class, u16 submask, u8 cpl)
{
	struct softpt_gate *gate;
	struct softpt_channel *ch;
	u64 wanted;

	if (likely(!atomic_read(&softpt_counting)))
		return;
	gate = softpt_step_gate(step);
	if (!gate)
		return;
	/* Started and stopped at any moment: each channel follows when it next counts */
	wanted = READ_ONCE(gate->counter_classes) | gate->trigger_classes;
	if (!wanted)
		return;
	ch = softpt_gate_channel(gate);
	if (likely(ch && ch->running))
		softpt_channel_count(ch, event_class, submask, cpl, step->thread);
	else if (wanted >> event_class & 1)
		step->lost++;		/* missed, for there is no channel */
	if (ch && softpt_channel_take_break(ch))
		step->trap.halt = true;
}

/**
 * softpt_step_fifo_execute() - what is counted from now on is caused by an instruction
 * @step: the task
 * @ip: the instruction's; it has not retired
 *
 * Context: interrupts off.
 */
void softpt_step_fifo_execute(struct softpt_step *step, u64 ip)
{
	if (unlikely(step->set->records))
		softpt_channel_retire(channel_of(step), &step->retire, ip, 0);
}

/**
 * softpt_step_fifo_access() - what is counted now is of an access to data
 * @step: the task; its instruction is that of softpt_step_fifo_execute()
 * @address: of the data
 *
 * Context: interrupts off.
 */
void softpt_step_fifo_access(struct softpt_step *step, u64 address)
{
	if (unlikely(step->set->records))
		softpt_channel_access(channel_of(step), &step->retire, address);
}

/**
 * softpt_step_fifo_retire() - an instruction has retired, and what is counted now is its
 * @step: the task
 * @ip: the instruction's
 * @n: how many have; above 1: MOV SS at @ip, and the one behind it
 *
 * Context: interrupts off.
 */
void softpt_step_fifo_retire(struct softpt_step *step, u64 ip, u32 n)
{
	if (unlikely(step->set->records))
		softpt_channel_retire(channel_of(step), &step->retire, ip, n);
}

/* Subclasses of SOFTPT_CLASS_BRANCH_INSTRUCTIONS; 0: no branch */
static const u16 branch_of[] = {
	[SOFTPT_INSN_JCC]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_CONDITIONAL,
	[SOFTPT_INSN_JMP]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_JUMP,
	[SOFTPT_INSN_CALL]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_CALL,
	[SOFTPT_INSN_IJMP]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_JUMP |
				  SOFTPT_SUB_BRANCH_INSTRUCTIONS_INDIRECT,
	[SOFTPT_INSN_ICALL]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_CALL |
				  SOFTPT_SUB_BRANCH_INSTRUCTIONS_INDIRECT,
	[SOFTPT_INSN_RET]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_RETURN,
	[SOFTPT_INSN_FAR]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_FAR,
	[SOFTPT_INSN_IRET]	= SOFTPT_SUB_BRANCH_INSTRUCTIONS_FAR,
	[SOFTPT_INSN_SHORT]	= 0,
};

/**
 * softpt_step_count_retired() - instructions that counters may count have retired
 * @step: the task; its @ip is still the first one's
 * @insn: the last of them
 * @retired: how many; those before @insn are no branches
 * @taken: execution went on elsewhere, if it is a branch
 *
 * REP retires once, with its last iteration.
 */
void softpt_step_count_retired(struct softpt_step *step, struct softpt_insn insn,
			       unsigned int retired, bool taken)
{
	u16 branch = branch_of[insn.kind];

	if (likely(!atomic_read(&softpt_counting)))
		return;
	if (!branch && step->trap.iterating)
		retired--;
	if (retired)
		softpt_step_fifo_retire(step, step->at.ip, retired);
	while (retired--)
		softpt_step_count(step, SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_SUB_INSTRUCTIONS_RETIRED,
				  3);
	if (!branch)
		return;
	softpt_step_count(step, SOFTPT_CLASS_BRANCH_INSTRUCTIONS, branch, 3);
	softpt_step_count(step, SOFTPT_CLASS_BRANCHES,
			  taken ? SOFTPT_SUB_BRANCHES_TAKEN : SOFTPT_SUB_BRANCHES_NOT_TAKEN, 3);
}
