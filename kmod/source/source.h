/* SPDX-License-Identifier: GPL-2.0-only */
/* What a source is to a front end: where events come from */
#ifndef _SOFTPT_SOURCE_H
#define _SOFTPT_SOURCE_H

#include <linux/softpt.h>
#include <linux/types.h>

struct softpt_channel;
struct softpt_gate;
struct softpt_setup;
struct task_struct;

/**
 * struct softpt_event_class_support - a class of events that a source can count
 * @event_class: the class
 * @submask: the subclasses that the source tells apart; each event has at least one of them. 0
 *	ends a table
 * @stops: a micro-breakpoint can stop the task right behind the event
 * @located: the instruction that causes the event is known
 */
struct softpt_event_class_support {
	u8 event_class;
	u16 submask;
	bool stops;
	bool located;
};

/**
 * struct softpt_source_ops - where events come from
 * @kind: enum softpt_source_kind
 * @name: as sysfs and the logs call it
 * @live: events happen now, on the channel's CPU, and cannot wait (softpt_channel_event())
 * @flags: which of struct softpt_source.flags it supports
 * @classes: what counters may count; NULL: the engine finds it in the events
 * @trigger_sources: a bit for each enum softpt_trigger_source that triggers may have; 0: the engine
 *	finds it in the events
 * @init: at module load, before any other; may be NULL
 * @exit: at module unload; may be NULL
 * @available: whether the source works on this machine; NULL: always
 * @check: checks the arguments of SOFTPT_SET_SOURCE, and the caller; may be NULL
 * @attach: SOFTPT_ENABLE, for each channel, which has been started. Events may come at once. @setup
 *	and @source stay as they are until @detach. May be NULL
 * @start: the same for all, after @attach. May be NULL
 * @stop: SOFTPT_DISABLE, or the trace goes. No event may come, and nothing of the source may use
 *	the gate, after it returned, but what @detach ends. May be NULL
 * @detach: as @stop, for each channel, after @stop, or when the unit's fd goes. May be NULL
 * @write: write() of the unit's fd; NULL: refused
 * @finish: SOFTPT_FINISH; NULL: refused
 * @arm_exec: SOFTPT_ARM_EXEC of a trace that was started; NULL: refused
 * @prepare: before the first @check_task of a SOFTPT_ATTACH
 * @unprepare: after the last @attach_task, if @prepare returned 0
 * @check_task: whether the caller may attach to a task, or to all threads of its process. It is
 *	asked without a lock, and before anybody waits for one
 * @attach_task: SOFTPT_ATTACH of a trace that was started. The task's cred_guard_mutex is held. It
 *	checks the task again. NULL: refused
 * @threads: SOFTPT_GET_THREADS of a trace that was started; NULL: refused
 *
 * Locks: the lock of the trace (struct softpt_gate.lock) is held around @attach, @start, @stop,
 * @detach, @arm_exec, @attach_task and @threads.
 */
struct softpt_source_ops {
	u32 kind;
	const char *name;
	bool live;
	u32 flags;
	const struct softpt_event_class_support *classes;
	u32 trigger_sources;
	int (*init)(void);
	void (*exit)(void);
	bool (*available)(void);
	int (*check)(const struct softpt_source *source);
	int (*attach)(struct softpt_channel *ch, const struct softpt_setup *setup,
		      const struct softpt_source *source);
	int (*start)(struct softpt_gate *gate, const struct softpt_setup *setup,
		     const struct softpt_source *source);
	void (*stop)(struct softpt_gate *gate);
	void (*detach)(struct softpt_channel *ch);
	ssize_t (*write)(struct softpt_channel *ch, const char __user *from, size_t n,
			 bool nonblock);
	long (*finish)(struct softpt_channel *ch, bool nonblock);
	int (*arm_exec)(struct softpt_gate *gate);
	int (*prepare)(void);
	void (*unprepare)(void);
	int (*check_task)(struct task_struct *task, bool threads);
	int (*attach_task)(struct softpt_gate *gate, struct task_struct *task, bool threads);
	void (*threads)(struct softpt_gate *gate, struct softpt_threads *threads);
};

/* What else a counter needs of the events that it counts */
enum softpt_need {
	SOFTPT_NEED_STOP	= 1,	/* to stop the task right behind them */
	SOFTPT_NEED_ADDRESS	= 2,	/* the instruction that caused them */
};

bool softpt_source_works(const struct softpt_source_ops *ops);
bool softpt_source_can_count(const struct softpt_source_ops *ops, u8 event_class, u16 mask,
			     unsigned int need);
bool softpt_source_can_trigger(const struct softpt_source_ops *ops,
			       const struct softpt_trigger *trigger);

extern const struct softpt_source_ops softpt_replay_ops;
extern const struct softpt_source_ops softpt_synth_ops;
extern const struct softpt_source_ops softpt_step_ops;
extern const struct softpt_source_ops softpt_kernel_ops;

#endif /* _SOFTPT_SOURCE_H */
