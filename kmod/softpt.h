/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's objects: a session, its units, and where their events come from.
 *
 *	/dev/softpt (main.c) -> session fd (session.c) -> unit fds (unit.c)
 *	perf_event_open() -> perf events (pmu.c) -> a unit for each AUX area (pmu-aux.c)
 *	source-*.c -> softpt_unit_live() or softpt_unit_feed() -> engine -> ring.c
 *
 * Locks, outermost first: softpt_session.lock, softpt_unit.lock. No user memory is touched
 * under either (user.h), and no close() waits for the first (session-lock.c). A live source
 * takes neither: its events reach the unit of the CPU that they happen on, with
 * interrupts off, and whoever else wants that unit asks that CPU to do it
 * (softpt_unit_run()).
 */
#ifndef _SOFTPT_H
#define _SOFTPT_H

#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "engine/engine.h"
#include "ring.h"

struct softpt_session;
struct softpt_unit;

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
 * @live: events happen now, on the unit's CPU, and cannot wait (softpt_unit_live())
 * @flags: which of struct softpt_source.flags it knows
 * @sees: what counters may count; NULL: whatever its events say
 * @tells: a bit for each enum softpt_trigger_source that it can tell; 0: whatever its events say
 * @init: at module load, before any other; may be NULL
 * @exit: at module unload; may be NULL
 * @available: whether the source works on this machine; NULL: always
 * @check: judges the arguments of SOFTPT_SET_SOURCE, and the caller; may be NULL
 * @start: SOFTPT_ENABLE, under the session's lock. Events may come at once. May be
 *	NULL.
 * @stop: SOFTPT_DISABLE, or the session goes, under the session's lock. No event
 *	may come, and nothing of the source may use the session, after it returned, but
 *	what @detach ends. May be NULL.
 * @attach: as @start, for each unit, before @start; may be NULL
 * @detach: as @stop, for each unit, after @stop, or when the unit's fd goes; may be
 *	NULL
 * @arm_exec: SOFTPT_ARM_EXEC of a live session, under its lock; NULL: refused
 * @attach_task: SOFTPT_ATTACH of a session that was live a moment ago; takes its lock, and
 *	looks again; NULL: refused
 * @threads: SOFTPT_GET_THREADS of a live session, under its lock; NULL: refused
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
	int (*start)(struct softpt_session *session);
	void (*stop)(struct softpt_session *session);
	int (*attach)(struct softpt_unit *unit);
	void (*detach)(struct softpt_unit *unit);
	int (*arm_exec)(struct softpt_session *session);
	int (*attach_task)(struct softpt_session *session, pid_t nr, bool threads);
	void (*threads)(struct softpt_session *session, struct softpt_threads *threads);
};

/**
 * enum softpt_owed - what is to be done under a session's lock, by whoever has it
 * @SOFTPT_OWED_FREEZE: units follow the triggers of others
 * @SOFTPT_OWED_END: units are closed, for their source has ended
 * @SOFTPT_OWED_RELEASE: the fd's last close
 */
enum softpt_owed {
	SOFTPT_OWED_FREEZE,
	SOFTPT_OWED_END,
	SOFTPT_OWED_RELEASE,
};

/**
 * struct softpt_session - configuration, source and units that are switched together
 * @ref: the session's fd holds one, and each unit one
 * @lock: guards all that has no rule of its own (session-lock.c)
 * @owed: a bit for each enum softpt_owed
 * @leaving: units whose fds have gone, and that are to be removed
 * @later: sees to it that what is owed is done
 * @config: as set; it cannot change while @enabled
 * @config_seq: counts changes of @config and @ops, so that a unit knows when to start
 *	its engine afresh
 * @source: as set, for @ops
 * @ops: the source
 * @source_data: the source's own, between its start and its stop
 * @enabled: between SOFTPT_ENABLE and SOFTPT_DISABLE
 * @on: TSC of the last SOFTPT_ENABLE: live events before it are dropped
 * @off: TSC of SOFTPT_DISABLE, U64_MAX before: live events after it are dropped
 * @enables: how often SOFTPT_ENABLE was done
 * @ending: it has, since the last SOFTPT_ENABLE
 * @exit_code: of a stepped process
 * @flags: SOFTPT_SESSION_*
 * @counters: as set for all units; they count nothing themselves
 * @triggers: as set for all units, which arm their own at each SOFTPT_ENABLE
 * @freezes: how often a trigger of one unit froze all
 * @count: what SOFTPT_COUNT last asked for
 * @count_seq: counts its changes
 * @freeze: what freezes the records of each unit; no stages: they record nothing
 * @nr_units: how many of @units there are
 * @units: by CPU; changed under @lock, and read by live sources on that CPU with
 *	interrupts off
 */
struct softpt_session {
	struct kref ref;
	struct mutex lock;	/* all that has no rule of its own */
	unsigned long owed;
	struct llist_head leaving;
	struct work_struct later;
	struct softpt_config config;
	u32 config_seq;
	struct softpt_source source;
	const struct softpt_source_ops *ops;
	void *source_data;
	bool enabled;
	u64 on;
	u64 off;
	u64 enables;
	bool ending;
	u32 exit_code;
	u32 flags;
	struct softpt_counters counters;
	struct softpt_triggers triggers;
	atomic_t freezes;
	struct softpt_count_args count;
	u32 count_seq;
	struct softpt_freeze_args freeze;
	u32 nr_units;
	struct softpt_unit __rcu *units[];
};

/**
 * struct softpt_unit - the emulated trace unit of one CPU
 * @session: holds a reference
 * @leaving: in the list of those that are to be removed
 * @rcu: to free it
 * @cpu: whose unit it is
 * @config_seq: of the configuration that @engine runs with
 * @lock: guards engine and ring of a unit that is fed from process context
 * @engine: the unit proper. Of a live source: its CPU's, with interrupts off.
 * @ring: where the packets go; same rule
 * @sink: where the engine writes: of a live unit, behind the last event, as far as there was
 *	room when somebody looked. No room at all (softpt_unit_shut()) makes the next event look:
 *	while the unit is closed, loses packets or is a snapshot, and when an NMI's event is lost
 * @busy: the CPU is inside the engine: an NMI's event is dropped
 * @losing: the ring was full and packets are being lost (live), until it has room
 * @lossless: whoever is traced waits for room (step-wait.c)
 * @crowded: it is to: what is left is for what comes before it does
 * @resync: bytes of the engine went to @scratch, so that a PSB+ is owed
 * @open: between enable and close: events are taken
 * @gone: closed because its CPU went; @lock, but for the CPU's going
 * @flags: SOFTPT_ST_*, shown in the control page
 * @count_seq: struct softpt_session.count_seq that was followed
 * @count_tsc: when, on the unit's clock
 * @freezes: struct softpt_session.freezes that was followed
 * @spread: the other units are to follow
 * @hits: occurrences that page 1 shows
 * @noted: trigger events, of those
 * @wrapped: a counter has, since the last SOFTPT_READ_COUNTERS
 * @record: of the engine's FIFO; NULL: it has been enabled without
 * @recorded: who retired the last of them; nobody looks into it
 * @dropped: live events that never reached the engine
 * @dropped_seen: how many of @dropped the engine knows of
 * @lost: counts.events_lost, for poll()
 * @lost_seen: that which SOFTPT_GET_STATUS has reported
 * @pending: a record that was taken while its gap did not fit the ring
 * @has_pending: @pending waits for room
 * @readable: readers wait here, for bytes, a freeze or the end
 * @writable: writers wait here, for room
 * @tell: after each live event, instead of waking who waits for @readable; or NULL. As
 *	softpt_unit_live()
 * @wake: wakes readers from a context that must not
 * @room: looks for room when the reader moves the tail without a system call
 * @mapped: the data was mapped: read() is refused
 * @source_data: the source's own, between its start and its stop
 * @node: CPU hotplug, while a live source is enabled
 * @truth: where what really happened goes; @size 0: nobody asked
 * @told: the engine's end of it
 * @truth_polled: those of @readable who wait for the truth, too
 * @scratch: what the engine writes while packets are lost
 */
struct softpt_unit {
	struct softpt_session *session;
	struct llist_node leaving;
	struct rcu_head rcu;
	u32 cpu;
	u32 config_seq;
	struct mutex lock;	/* engine and ring of a unit that is fed */
	struct softpt_engine engine;
	struct softpt_ring ring;
	struct softpt_sink sink;
	bool busy;
	bool losing;
	bool lossless;
	bool crowded;
	bool resync;
	bool open;
	bool gone;
	u32 flags;
	u32 count_seq;
	u64 count_tsc;
	u32 freezes;
	bool spread;
	u64 hits;
	u64 noted;
	bool wrapped;
	struct softpt_retirement *record;
	const void *recorded;
	atomic64_t dropped;
	u64 dropped_seen;
	u64 lost;
	u64 lost_seen;
	struct softpt_event pending;
	bool has_pending;
	wait_queue_head_t readable;
	wait_queue_head_t writable;
	void (*tell)(struct softpt_unit *unit);
	struct irq_work wake;
	struct delayed_work room;
	bool mapped;
	void *source_data;
	struct hlist_node node;
	struct softpt_ring truth;
	struct softpt_truth_log told;
	wait_queue_head_t truth_polled;
	u8 scratch[SOFTPT_GROUP_MAX];
};

/* An ioctl of one of the three kinds of file; commands without a struct get 0 */
struct softpt_ioctl {
	unsigned int cmd;
	long (*fn)(struct file *file, void __user *arg);
};

/* args.c */
long softpt_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
		  const struct softpt_ioctl *table, unsigned int n);
int softpt_args_in(void *args, size_t size, const void __user *from);
int softpt_args_size(size_t size, const void __user *from, u32 *usize);
int softpt_args_out(void __user *to, u32 usize, const void *args, size_t size);

/* source.c */
const struct softpt_source_ops *softpt_source_find(u32 kind);
bool softpt_source_works(const struct softpt_source_ops *ops);
u32 softpt_source_mask(void);
int softpt_sources_init(void);
void softpt_sources_exit(void);

extern const struct softpt_source_ops softpt_replay_ops;
extern const struct softpt_source_ops softpt_synth_ops;
extern const struct softpt_source_ops softpt_step_ops;
extern const struct softpt_source_ops softpt_kernel_ops;

/* synth-user.c */
struct softpt_synth_user;
int softpt_synth_charge(struct softpt_synth_user **to);
void softpt_synth_uncharge(struct softpt_synth_user *user);

/* source-replay.c */
ssize_t softpt_replay_write(struct softpt_unit *unit, const char __user *from, size_t n,
			    bool nonblock);
long softpt_replay_finish(struct softpt_unit *unit, bool nonblock);

/* sysfs.c */
extern const struct attribute_group *softpt_groups[];
void softpt_caps(struct softpt_caps *caps);

/* hotplug.c */
int softpt_hotplug_init(void);
void softpt_hotplug_exit(void);
int softpt_hotplug_add(struct softpt_unit *unit);
void softpt_hotplug_remove(struct softpt_unit *unit);

/* pmu.c */
#if IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER) && IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS)
int softpt_pmu_init(void);
void softpt_pmu_exit(void);
#else
static inline int softpt_pmu_init(void) { return 0; }
static inline void softpt_pmu_exit(void) { }
#endif

static inline bool softpt_session_wall_clock(const struct softpt_session *session)
{
	return session->ops->live && session->config.clock == SOFTPT_CLOCK_WALL;
}

/* main.c */
extern struct workqueue_struct *softpt_queue;	/* works of the module, on any CPU */

/* session-lock.c */
void softpt_session_lock_init(struct softpt_session *session);
void softpt_session_lock(struct softpt_session *session);
int softpt_session_lock_killable(struct softpt_session *session);
void softpt_session_unlock(struct softpt_session *session);
void softpt_session_owe(struct softpt_session *session, enum softpt_owed what);
void softpt_session_owe_later(struct softpt_session *session, enum softpt_owed what);
void softpt_session_owe_unit(struct softpt_unit *unit);

/* session.c */
int softpt_session_create(u32 flags);
struct softpt_unit *softpt_session_next(struct softpt_session *session, unsigned int *cpu);
void softpt_session_put(struct softpt_session *session);
void softpt_session_close_units(struct softpt_session *session);
void softpt_session_leave(struct softpt_session *session);
void softpt_unit_stop(struct softpt_unit *unit);

/* counters.c */
extern atomic_t softpt_counting;	/* sessions that count or record: look at it first */
bool softpt_session_counts(const struct softpt_session *session);
void softpt_counters_free(struct softpt_session *session);
void softpt_counters_freeze(struct softpt_session *session, const struct softpt_freeze_args *args);
bool softpt_counters_sees(const struct softpt_source_ops *ops, const struct softpt_select *select,
			  unsigned int need);
bool softpt_counters_seen(const struct softpt_session *session,
			  const struct softpt_source_ops *ops);
long softpt_session_set_escr(struct file *file, void __user *arg);
long softpt_session_set_counter(struct file *file, void __user *arg);
long softpt_session_count(struct file *file, void __user *arg);
long softpt_session_threads(struct file *file, void __user *arg);
long softpt_unit_read_counters(struct file *file, void __user *arg);
void softpt_unit_adopt_counters(struct softpt_unit *unit);
void softpt_unit_follow_count(struct softpt_unit *unit);
void softpt_unit_show_counters(struct softpt_unit *unit);
void softpt_unit_count_slow(struct softpt_unit *unit, u8 event_class, u16 submask, u8 cpl,
			    u8 thread);

/* freeze.c */
long softpt_session_set_freeze(struct file *file, void __user *arg);
long softpt_unit_read_fifo(struct file *file, void __user *arg);
long softpt_unit_rearm_fifo(struct file *file, void __user *arg);
int softpt_unit_alloc_fifo(struct softpt_unit *unit);
void softpt_unit_arm_fifo(struct softpt_unit *unit);
/* triggers.c */
bool softpt_triggers_fit(const struct softpt_session *session);
bool softpt_triggers_seen(const struct softpt_session *session,
			  const struct softpt_source_ops *ops);
long softpt_session_set_trigger(struct file *file, void __user *arg);
long softpt_session_rearm(struct file *file, void __user *arg);
long softpt_unit_trigger(struct file *file, void __user *arg);
void softpt_session_follow_triggers(struct softpt_session *session);
void softpt_unit_arm(struct softpt_unit *unit);
void softpt_unit_show_triggers(struct softpt_unit *unit);
void softpt_unit_triggered(struct softpt_unit *unit);

/* unit.c */
int softpt_unit_create(struct softpt_session *session, u32 cpu);
void softpt_unit_remove(struct softpt_unit *unit);
int softpt_unit_open(struct softpt_unit *unit);
void softpt_unit_close(struct softpt_unit *unit);
void softpt_unit_reopen(struct softpt_unit *unit);
void softpt_unit_end(struct softpt_unit *unit);
void softpt_unit_wake_readers(struct softpt_unit *unit);

/* unit-truth.c */
int softpt_unit_alloc_truth(struct softpt_unit *unit, const struct softpt_config *config);
void softpt_unit_free_truth(struct softpt_unit *unit);
void softpt_unit_renew_truth(struct softpt_unit *unit);
void softpt_unit_arm_truth(struct softpt_unit *unit);
void softpt_unit_show_truth(struct softpt_unit *unit);
bool softpt_unit_truth_waits(const struct softpt_unit *unit);
bool softpt_unit_truth_wakes(struct softpt_unit *unit);

/* unit-io.c */
ssize_t softpt_unit_read(struct file *file, char __user *to, size_t n, loff_t *pos);
ssize_t softpt_unit_write(struct file *file, const char __user *from, size_t n, loff_t *pos);
__poll_t softpt_unit_poll(struct file *file, struct poll_table_struct *wait);
int softpt_unit_mmap(struct file *file, struct vm_area_struct *vma);

/* unit-ioctl.c */
long softpt_unit_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
void softpt_unit_freeze(struct softpt_unit *unit);
void softpt_unit_rearm(struct softpt_unit *unit);

/* feed.c */
int softpt_unit_step(struct softpt_unit *unit, const struct softpt_event *ev, u64 keep);
int softpt_unit_finish(struct softpt_unit *unit);
ssize_t softpt_unit_feed(struct softpt_unit *unit, const struct softpt_event *ev, size_t n);
int softpt_unit_end_input(struct softpt_unit *unit);
void softpt_unit_close_fed(void *unit);
int softpt_unit_demand(struct softpt_unit *unit, u16 kind);
bool softpt_unit_writable(struct softpt_unit *unit);
void softpt_unit_wake_writers(struct softpt_unit *unit);
void softpt_unit_watch_room(struct softpt_unit *unit);
void softpt_unit_room_work(struct work_struct *work);
int softpt_unit_wait_room(struct softpt_unit *unit);

/**
 * softpt_session_unit() - the unit of the CPU that this runs on
 * @session: a live session
 *
 * Context: interrupts off until the last use of the answer.
 * Return: the unit, or NULL where the session has none.
 */
static inline struct softpt_unit *softpt_session_unit(struct softpt_session *session)
{
	return rcu_dereference_check(session->units[smp_processor_id()], irqs_disabled());
}

/**
 * softpt_session_end() - the source has ended: no event will come any more
 * @session: a live session, which the source's stop() has not left yet
 * @exit_code: of a stepped process, as wait() has it
 *
 * The units are closed (TNT flush, closing anchor) and readers see the end.
 *
 * Context: any but NMI.
 */
void softpt_session_end(struct softpt_session *session, u32 exit_code);

/* live.c */

/**
 * softpt_unit_live() - give a live event to the unit
 * @unit: of the CPU that this runs on: softpt_session_unit()
 * @ev: the event; its time is the TSC, or the model clock's
 *
 * The head moves with each event, counts and flags with every 64th and when more happens than
 * the event. A time before the unit's last event counts as that event's time; events
 * outside of SOFTPT_ENABLE and SOFTPT_DISABLE are ignored. A full ring loses
 * packets, never the unit's state: the closing anchor goes into the reserve, and
 * OVF follows when there is room. Events that nest into another (NMI) are dropped
 * and counted.
 *
 * Context: interrupts off, on the unit's CPU. Takes no lock and wakes nobody
 * itself, so it may run under the run queue's lock.
 */
void softpt_unit_live(struct softpt_unit *unit, const struct softpt_event *ev);
void softpt_unit_close_live(void *unit);
void softpt_unit_freeze_live(struct softpt_unit *unit);
void softpt_unit_demand_live(struct softpt_unit *unit, u16 kind);
bool softpt_unit_may_resume(const struct softpt_unit *unit);
u64 softpt_unit_before_crowded(const struct softpt_ring *ring);
bool softpt_unit_crowded(struct softpt_unit *unit);
void softpt_unit_run(struct softpt_unit *unit, void (*fn)(void *arg), void *arg);

#endif /* _SOFTPT_H */
