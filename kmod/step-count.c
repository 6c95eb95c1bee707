// SPDX-License-Identifier: GPL-2.0-only
/* What a stepped task does, for the counters of its session */

#include <linux/sched/signal.h>

#include "insn.h"
#include "put.h"
#include "step.h"

/**
 * softpt_step_halt() - a micro-breakpoint: stop the current task
 * @step: the task's, and @halt is set
 *
 * As by a debugger's SIGSTOP before its next instruction, with all of its process, until
 * SIGCONT.
 *
 * Context: not under the run queue's lock, which waking takes.
 */
void softpt_step_halt(struct softpt_step *step)
{
	step->halt = false;
	send_sig(SIGSTOP, current, 1);
}

/* Whether something is missed when it happens on a CPU without a unit */
static bool is_wanted(const struct softpt_session *session, u8 event_class)
{
	const struct softpt_counters *c = &session->counters;
	unsigned int k;

	for (k = 0; k < SOFTPT_COUNTERS; k++)
		if (c->running & BIT(k) && c->escr[c->escr_of[k]].event_class == event_class)
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
 * A micro-breakpoint is left to who may send signals: softpt_step_halt().
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
	if (!session || !(READ_ONCE(session->counters.running) || session->triggers.classes))
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
 * @step: the task
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
	while (retired--)
		softpt_step_count(step, SOFTPT_CLASS_INSTRUCTIONS, SOFTPT_SUB_INSTRUCTIONS_RETIRED,
				  3);
	if (!branch)
		return;
	softpt_step_count(step, SOFTPT_CLASS_BRANCH_INSTRUCTIONS, branch, 3);
	softpt_step_count(step, SOFTPT_CLASS_BRANCHES,
			  taken ? SOFTPT_SUB_BRANCHES_TAKEN : SOFTPT_SUB_BRANCHES_NOT_TAKEN, 3);
}
