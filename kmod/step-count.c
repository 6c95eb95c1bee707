// SPDX-License-Identifier: GPL-2.0-only
/* What a stepped task does, for the counters and the records of its session */

#include <linux/sched/signal.h>

#include "x86/insn.h"
#include "put.h"
#include "step.h"

static void stop(struct callback_head *work)
{
	struct softpt_step *step = container_of(work, struct softpt_step, stop);

	step->stop.func = NULL;
	send_sig(SIGSTOP, current, 1);
	softpt_step_put(step);
}

/**
 * softpt_step_halt() - a micro-breakpoint: stop the current task
 * @step: the task's, and @halt is set
 *
 * As by a debugger's SIGSTOP before its next instruction, with all of its process, until
 * SIGCONT.
 *
 * Context: any but under the run queue's lock, which task_work_add() may take.
 */
void softpt_step_halt(struct softpt_step *step)
{
	step->halt = false;
	if (step->stop.func)
		return;		/* it will */
	init_task_work(&step->stop, stop);
	kref_get(&step->ref);
	if (task_work_add(current, &step->stop, TWA_RESUME)) {
		step->stop.func = NULL;
		softpt_step_put(step);
	}
}

/* Whether something is missed when it happens on a CPU without a unit */
static bool is_wanted(const struct softpt_session *session, u8 event_class)
{
	const struct softpt_counters *c = &session->counters;
	unsigned int k;

	for (k = 0; k < SOFTPT_COUNTERS; k++)
		/* data_race(): set and started at any moment */
		if (data_race(c->running & BIT(k) &&
			      c->escr[c->escr_of[k]].event_class == event_class))
			return true;
	return session->triggers.classes >> event_class & 1;
}

/**
 * softpt_step_count() - the task did something that counters may count
 * @step: the task
 * @event_class: enum softpt_event_class
 * @submask: the subclasses that it belongs to
 * @cpl: who caused it
 *
 * A micro-breakpoint is left to who may add task work: softpt_step_halt().
 *
 * Context: interrupts off; may be under the run queue's lock.
 */
void softpt_step_count(struct softpt_step *step, u8 event_class, u16 submask, u8 cpl)
{
	struct softpt_session *session;
	struct softpt_unit *unit;

	if (likely(!atomic_read(&softpt_counting)))
		return;
	session = softpt_step_session(step);
	/* data_race(): started and stopped at any moment: each unit follows when it next counts */
	if (!session || !(data_race(READ_ONCE(session->counters.running)) ||
			  session->triggers.classes))
		return;
	unit = softpt_session_unit(session);
	if (likely(unit && unit->open))
		softpt_unit_count(unit, event_class, submask, cpl, step->thread);
	else if (is_wanted(session, event_class))
		step->lost++;
	if (unlikely(unit && unit->engine.counters.breaks)) {
		unit->engine.counters.breaks = 0;
		step->halt = true;
	}
}

/*
 * The unit that records what the task retires. Between two instructions in it may be others,
 * which nobody has told it: of another task, of this one on another CPU, or that were not
 * followed.
 */
static struct softpt_unit *recorder(struct softpt_step *step)
{
	struct softpt_session *session = softpt_step_session(step);
	struct softpt_unit *unit = session ? softpt_session_unit(session) : NULL;

	if (unit && !softpt_unit_takes_events(unit))
		unit = NULL;
	if (unit && unit->recorded && (unit->recorded != step || step->recorder != unit))
		softpt_fifo_flush(&unit->engine);
	if (unit)
		unit->recorded = step;
	step->recorder = unit;
	return unit;
}

/**
 * softpt_step_execute() - what is counted from now on is caused by an instruction
 * @step: the task
 * @ip: the instruction's; it has not retired
 *
 * Context: interrupts off.
 */
void softpt_step_execute(struct softpt_step *step, u64 ip)
{
	struct softpt_unit *unit;

	if (likely(!step->set->records))
		return;
	unit = recorder(step);
	if (unit)
		softpt_fifo_execute(&unit->engine, ip);
}

/**
 * softpt_step_access() - what is counted now is of an access to data
 * @step: the task, whose instruction softpt_step_execute() has told
 * @address: of the data
 *
 * Context: interrupts off.
 */
void softpt_step_access(struct softpt_step *step, u64 address)
{
	struct softpt_unit *unit;

	if (likely(!step->set->records))
		return;
	unit = recorder(step);
	if (unit)
		softpt_fifo_access(&unit->engine, address);
}

/**
 * softpt_step_record() - an instruction has retired, and what is counted now is its
 * @step: the task
 * @ip: the instruction's
 * @n: how many have; above 1: MOV SS at @ip, and the one behind it
 *
 * Context: interrupts off.
 */
void softpt_step_record(struct softpt_step *step, u64 ip, u32 n)
{
	struct softpt_unit *unit;

	if (likely(!step->set->records))
		return;
	unit = recorder(step);
	if (unit)
		softpt_fifo_retire(&unit->engine, ip, n);
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
	if (!branch && step->iterating)
		retired--;
	if (retired)
		softpt_step_record(step, step->ip, retired);
	while (retired--)
		softpt_step_count(step, SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_SUB_INSTRUCTIONS_RETIRED,
				  3);
	if (!branch)
		return;
	softpt_step_count(step, SOFTPT_CLASS_BRANCH_INSTRUCTIONS, branch, 3);
	softpt_step_count(step, SOFTPT_CLASS_BRANCHES,
			  taken ? SOFTPT_SUB_BRANCHES_TAKEN : SOFTPT_SUB_BRANCHES_NOT_TAKEN, 3);
}
