/* SPDX-License-Identifier: GPL-2.0-only */
/* What a source is, as a front end sees it */
#ifndef _SOFTPT_SOURCE_H
#define _SOFTPT_SOURCE_H

#include <linux/softpt.h>
#include <linux/types.h>

struct softpt_channel;
struct softpt_gate;
struct softpt_setup;
struct task_struct;

/**
 * struct softpt_sight - what a source knows of a class of events
 * @event_class: the class
 * @submask: its subclasses that the source can tell; each event has one of them at
 *	least. 0 ends a table.
 * @stops: a micro-breakpoint can stop the task right behind it
 * @located: which instruction causes it is known
 */
struct softpt_sight {
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
 * @flags: which of struct softpt_source.flags it knows
 * @sees: what counters may count; NULL: whatever its events say
 * @tells: a bit for each enum softpt_trigger_source that it can tell; 0: whatever its events say
 * @init: at module load, before any other; may be NULL
 * @exit: at module unload; may be NULL
 * @available: whether the source works on this machine; NULL: always
 * @check: judges the arguments of SOFTPT_SET_SOURCE, and the caller; may be NULL
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
	const struct softpt_sight *sees;
	u32 tells;
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

/* What else a source must know of the events that a counter counts */
enum softpt_need {
	SOFTPT_NEED_STOP	= 1,	/* it can stop who caused them */
	SOFTPT_NEED_ADDRESS	= 2,	/* which instruction that was */
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
