/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source "step": processes, single-stepped with the trap flag (TF).
 *
 * From top to bottom: a file calls only those below it.
 *
 *	source.c	traces: start, stop, arm
 *	attach.c	tasks that run already
 *	permit.c	who may attach to whom
 *	hook.c		probes and notifiers, as long as there is a step
 *	probe.c		exec, fork, exit, signals, switches and page faults
 *	trap.c		#DB: an instruction has retired; other exceptions; INT3
 *	task.c		a stepped task from its arming to its end
 *	wait.c		a task waits for room in the ring
 *	cpu.c		who is stepped on a CPU: a task of a trace, or (perf) any task
 *	ptwrite.c	PTWRITE, emulated
 *	fault.c		the signals that an emulated instruction may cause
 *	retire.c	what an instruction did
 *	event.c		event trace: the exceptions that it causes
 *	flow.c		into the kernel and back, onto a CPU and off it
 *	report.c	what the channel gets of it
 *	tf.c		whose TF it is, and how the program is kept from seeing ours
 *	fred.c		what differs with FRED
 *	life.c		a step's memory, references and work
 *	set.c		the tasks of a trace, and which tasks have a step
 *	read.c		the program's registers and memory
 *
 * Lifetimes: a step belongs to its task. @ref counts the task's reference and one for each of
 * @work, @stop and @wait that is to be done; the last put frees the step by irq_work. A step holds
 *	its set, the module and the hooks. A set does not hold its gate: set->gate is NULL once the
 *	trace has stopped, and the stop waits for all who have read it with preemption off (RCU).
 *	Then each task detaches its step by itself, on its way to user mode.
 *
 * Locks: a step has none. Only its task reads and changes it, on whatever CPU the task runs, with
 * interrupts off or where the task cannot be preempted. Who attaches makes it, and gives it to the
 * task by the table of all (table_lock in set.c) and task work. The step of a CPU is used on that
 * CPU with interrupts off. table_lock and the lock of waiters (wait.c) are raw spinlocks with
 * nothing below them. hook_lock (hook.c) and users_lock (cpu.c) are mutexes: they are taken under
 * the lock of a trace (struct softpt_gate.lock) or alone, and never both.
 */
#ifndef _SOFTPT_STEP_H
#define _SOFTPT_STEP_H

#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>

#include "channel/live.h"
#include "channel/retire.h"

struct softpt_insn;
struct softpt_operand;

/**
 * struct softpt_step_set - the tasks that a trace steps
 * @gate: of the trace; NULL once the trace has stopped
 * @ref: the trace's, and each step's
 * @tasks: how many are stepped, or wait for their exec; the trace ends with the last
 * @process: the first, whose exit code the trace's is; NULL before
 * @exit_code: of @process
 * @joined: how many tasks ever were stepped
 * @thread: who they are, in the order of their attaching: hardware threads
 * @inherit: threads and children are stepped, too
 * @model: the clock is the model's
 * @begin: where the clock goes on from an earlier run of the trace
 * @records: channels have a retirement FIFO
 *
 * @process is written under the lock of the trace. @inherit to @records do not change.
 */
struct softpt_step_set {
	struct softpt_gate __rcu *gate;
	struct kref ref;
	atomic_t tasks;
	struct pid *process;
	u32 exit_code;
	atomic_t joined;
	struct pid *thread[SOFTPT_THREADS];
	bool inherit;
	bool model;
	u64 begin;
	bool records;
};

/**
 * enum softpt_step_state - how far a step has come
 * @SOFTPT_STEP_ARMED: the task is to be stepped from its next exec on
 * @SOFTPT_STEP_PENDING: somebody has attached to the task, and the task has yet to begin
 * @SOFTPT_STEP_STEPPING: the task is stepped, until set->gate is NULL
 */
enum softpt_step_state {
	SOFTPT_STEP_ARMED,
	SOFTPT_STEP_PENDING,
	SOFTPT_STEP_STEPPING,
};

/**
 * struct softpt_step - a task that is, will be or was stepped; or any task that runs on a CPU
 * @set: the tasks of the trace
 * @task: whose step it is; NULL: the CPU's, which has no reference, no work, no preemption notifier
 *	and no entry in the table
 * @state: enum softpt_step_state
 * @thread: hardware thread: the order in which tasks were attached
 * @displaced: of a CPU's: a trace has stepped a task there meanwhile
 * @at: the next instruction that has not retired
 * @at.ip: its linear address
 * @at.ax: the accumulator: the number of a system call
 * @at.cx: the count that REP has left
 * @at.long_mode: 64-bit mode, as the channel knows it
 * @at.apart: 16 or 32: it is such code in a segment of the program's own; 0: it is flat
 * @flow: as the channel of this CPU has it
 * @flow.enabled: TraceEn
 * @flow.in_kernel: execution has left user mode
 * @clock: of the task's events
 * @clock.now: TSC of the last event
 * @clock.cycles: instructions and system calls so far: the model clock
 * @trap: what the next trap has to know
 * @trap.iterating: the instruction has trapped without getting on: REP
 * @trap.deferred: the instruction has retired, and waits to be read
 * @trap.leaked: an image of our TF stayed in the program's memory
 * @trap.early: #DB comes before an instruction retires: with FRED, where TF is not ours
 * @trap.halt: a micro-breakpoint was met: SIGSTOP is due
 * @trap.pushed_size: bytes of @trap.pushed
 * @trap.pushed: where an image of our TF waits to be taken out; 0: there is none
 * @trap.slots: the page where uprobes executes copies of instructions; 0: not met
 * @trap.dr6: virtual_dr6, which is what a debugger gets, when user mode went on
 * @retire: of the instruction before the one at @at.ip
 * @lost: events on CPUs without a channel, or that could not be read, not yet charged to one
 * @node: in the table of all
 * @exec_id: of the program that was checked, while @state is SOFTPT_STEP_PENDING
 * @preempt: follows the task from CPU to CPU
 * @work: begins the stepping, and later does what could not be done in a trap
 * @stop: stops the task
 * @wait: the task waits for room in the ring
 * @spare: for the task's next child, if that is to be stepped; NULL: not yet again
 * @ended: in the list of those that are to be freed
 * @ref: the task's, and those of @work, @stop and @wait while they are to be done
 */
struct softpt_step {
	struct softpt_step_set *set;
	struct task_struct *task;
	u8 state;
	u8 thread;
	bool displaced;
	struct {
		unsigned long ip;
		unsigned long ax;
		unsigned long cx;
		bool long_mode;
		u8 apart;
	} at;
	struct {
		bool enabled;
		bool in_kernel;
	} flow;
	struct {
		u64 now;
		u64 cycles;
	} clock;
	struct {
		bool iterating;
		bool deferred;
		bool leaked;
		bool early;
		bool halt;
		u8 pushed_size;
		unsigned long pushed;
		unsigned long slots;
		unsigned long dr6;
	} trap;
	struct softpt_retire_cursor retire;
	u64 lost;
	struct hlist_node node;
	u64 exec_id;
	struct preempt_notifier preempt;
	struct callback_head work;
	struct callback_head stop;
	struct callback_head wait;
	struct softpt_step *spare;
	struct llist_node ended;
	struct kref ref;
};

/* The gate of the trace; NULL: the trace has stopped. Context: not preemptible. */
static inline struct softpt_gate *softpt_step_gate(const struct softpt_step *step)
{
	return rcu_dereference_sched(step->set->gate);
}

static inline bool softpt_step_is_stepping(const struct softpt_step *step)
{
	return step->state == SOFTPT_STEP_STEPPING;
}

/*
 * The current task cannot be preempted here. Checked where lockdep is, and where a test of a kernel
 * without lockdep asks for it (SOFTPT_ASSERT).
 */
static inline void softpt_assert_stays(void)
{
#ifdef SOFTPT_ASSERT
	WARN_ON_ONCE(preemptible());
#else
	lockdep_assert_preemption_disabled();
#endif
}

/* attach.c */
int softpt_step_check_task(struct task_struct *task, bool threads);
int softpt_step_attach_task(struct softpt_gate *gate, struct task_struct *task, bool threads);

/* permit.c */
bool softpt_step_permitted(struct task_struct *task);
bool softpt_step_may_follow(struct task_struct *task);

/* hook.c */
void softpt_step_hooks_init(void);
void softpt_step_hooks_exit(void);
int softpt_step_hooks_get(void);

/* probe.c */
bool softpt_step_probes_found(void);
int softpt_step_probes_register(void);
void softpt_step_probes_unregister(void);

/* trap.c */
extern struct notifier_block softpt_step_die_notifier;
extern struct notifier_block softpt_step_int3_notifier;

/* task.c */
void softpt_step_attach(struct softpt_step *step);
void softpt_step_inherit(struct softpt_step *parent, struct task_struct *child);
void softpt_step_end(struct softpt_step *step, struct pt_regs *regs, bool exits);
void softpt_step_cancel(struct softpt_step *step);

/* wait.c */
int softpt_step_add_waiter(void);
void softpt_step_remove_waiter(void);
void softpt_step_wait(struct softpt_step *step);

/* cpu.c */
struct softpt_step *softpt_step_on_cpu(void);
struct softpt_step *softpt_step_of_current(void);
void softpt_step_cpu_set(struct softpt_step *step);
void softpt_step_cpu_clear(void);
void softpt_step_remove(struct softpt_step *step);
void softpt_step_detach(struct softpt_step *step, struct pt_regs *regs);
bool softpt_step_detach_stopped(void);
void softpt_step_cpu_get(void);
void softpt_step_cpu_put(void);
bool softpt_step_cpu_ready(void);
int softpt_step_cpus_init(void);
void softpt_step_cpus_exit(void);
void softpt_step_cpu_start(struct softpt_step *step, struct softpt_step_set *set);
void softpt_step_cpu_stop(void);
void softpt_step_cpu_switch(void);

/* ptwrite.c */
bool softpt_step_undefined(struct softpt_step *step, struct pt_regs *regs);

/* fault.c */
void softpt_step_raise_debug(const struct pt_regs *regs);
void softpt_step_raise_undefined(const struct pt_regs *regs);
void softpt_step_raise_access(unsigned long address, unsigned int size, unsigned int left,
			      bool stack);

/* retire.c */
bool softpt_step_retire(struct softpt_step *step, struct pt_regs *regs, const u8 *code,
			unsigned int n);
void softpt_step_retire_apart(struct softpt_step *step, struct pt_regs *regs);

/* event.c */
void softpt_step_page_fault(struct softpt_step *step, const struct pt_regs *regs, u64 address);
void softpt_step_exception(struct softpt_step *step, const struct pt_regs *regs, u8 vector);
void softpt_step_breakpoint(struct softpt_step *step, const struct pt_regs *regs);
void softpt_step_signal(struct softpt_step *step, const struct pt_regs *regs, int sig, int code);

/* flow.c */
bool softpt_step_is_followed(struct softpt_step *step, const struct pt_regs *regs);
void softpt_step_leave(struct softpt_step *step, struct pt_regs *regs);
void softpt_step_resume(struct softpt_step *step, struct pt_regs *regs);
void softpt_step_pause(struct softpt_step *step, struct pt_regs *regs);
void softpt_step_syscall(struct softpt_step *step, bool call);
void softpt_step_interrupt(struct softpt_step *step);
void softpt_step_interrupt_now(struct softpt_step *step);
void softpt_step_report(struct softpt_step *step, struct pt_regs *regs, struct softpt_event *ev);
void softpt_step_report_data(struct softpt_step *step, u64 address, u64 ip);

/* report.c */
void softpt_step_tick(struct softpt_step *step);
void softpt_step_send(struct softpt_step *step, struct softpt_event *ev);
void softpt_step_send_mode(struct softpt_step *step, bool long_mode);
void softpt_step_send_transfer(struct softpt_step *step, u16 kind, u64 ip, u64 target, u8 cpl);
bool softpt_step_wanted(const struct softpt_step *step, u32 source);
bool softpt_step_traces_events(const struct softpt_step *step);
bool softpt_step_traces_flow(const struct softpt_step *step);
void softpt_step_charge(struct softpt_step *step, struct softpt_channel *ch);
void softpt_step_halt(struct softpt_step *step);
void softpt_step_count(struct softpt_step *step, u8 event_class, u16 submask, u8 cpl);
void softpt_step_count_retired(struct softpt_step *step, struct softpt_insn insn,
			       unsigned int retired, bool taken);
void softpt_step_fifo_execute(struct softpt_step *step, u64 ip);
void softpt_step_fifo_access(struct softpt_step *step, u64 address);
void softpt_step_fifo_retire(struct softpt_step *step, u64 ip, u32 n);

/* tf.c */
bool softpt_step_owns_tf(void);
bool softpt_step_arm_tf(struct pt_regs *regs, bool sigreturn);
void softpt_step_drop_tf(struct pt_regs *regs);
void softpt_step_hide_tf(struct pt_regs *regs);
void softpt_step_hide_copied(struct pt_regs *regs);
void softpt_step_flags_loaded(struct pt_regs *regs);
void softpt_step_hide_late(struct softpt_step *step);
void softpt_step_after_flags(struct softpt_step *step, struct softpt_insn insn,
			     struct pt_regs *regs);

/* fred.c */
bool softpt_step_tf_known(void);
void softpt_step_eretu(struct softpt_step *step, struct pt_regs *regs, bool ours);

/* life.c */
extern struct delayed_work softpt_step_hooks_work;
void softpt_step_hooks_get_again(void);
bool softpt_step_hooks_used(void);
void softpt_step_hooks_put(void);
struct softpt_step *softpt_step_new(struct softpt_step_set *set);
struct softpt_step *softpt_step_new_child(struct softpt_step *parent);
void softpt_step_refill(struct softpt_step *step);
void softpt_step_put(struct softpt_step *step);
bool softpt_step_defer(struct softpt_step *step, task_work_func_t fn);
void softpt_step_life_exit(void);

/* set.c */
struct softpt_step_set *softpt_step_set_new(struct softpt_gate *gate,
					    const struct softpt_setup *setup,
					    const struct softpt_source *source);
void softpt_step_set_put(struct softpt_step_set *set);
void softpt_step_set_remove(struct softpt_step_set *set, bool exits);
bool softpt_step_is_attached(const struct task_struct *task);
bool softpt_step_table_add(struct softpt_step *step, struct task_struct *task);
void softpt_step_table_remove(struct softpt_step *step);
struct softpt_step *softpt_step_pending(void);

/* read.c */
bool softpt_step_is_flat(const struct pt_regs *regs);
unsigned long softpt_step_linear(const struct pt_regs *regs);
unsigned long softpt_step_stack(struct pt_regs *regs);
void softpt_step_place(struct softpt_step *step, const struct pt_regs *regs);
bool softpt_step_fetch(unsigned long ip, u8 *code, unsigned int *n);
bool softpt_step_operand_at(const struct softpt_operand *op, struct pt_regs *regs, u64 next,
			    u64 *address);
bool softpt_step_operand_read(const struct softpt_operand *op, struct pt_regs *regs, u64 next,
			      u64 *value);

#endif /* _SOFTPT_STEP_H */
