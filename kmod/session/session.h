/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first front end: file descriptors.
 *
 *	/dev/softpt (main.c) -> session fd (session.c) -> unit fds (unit.c)
 *
 * Locks, outermost first: softpt_session.lock, softpt_channel.lock. No user memory is touched under
 * either (user.h), and no close() waits for the first (lock.c). The cred_guard_mutex of a task that
 * is attached to is held together with the first, and nobody waits for one with the other
 * (attach.c).
 */
#ifndef _SOFTPT_SESSION_H
#define _SOFTPT_SESSION_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "channel/channel.h"
#include "source/source.h"

/**
 * enum softpt_owed - what is to be done under a session's lock, by whoever has it
 * @SOFTPT_OWED_FOLLOW: channels follow the gate: the triggers of others, or the end of the source
 * @SOFTPT_OWED_RELEASE: the fd's last close
 */
enum softpt_owed {
	SOFTPT_OWED_FOLLOW,
	SOFTPT_OWED_RELEASE,
};

/**
 * struct softpt_session - setup, source and units that are switched together
 * @ref: the session's fd holds one, and each unit one
 * @lock: guards all that has no rule of its own (lock.c)
 * @owed: a bit for each enum softpt_owed
 * @leaving: units whose fds have gone, and that are to be removed
 * @later: sees to it that what is owed is done
 * @setup: what channels are started with; @setup.config cannot change while @enabled
 * @source: as set, for @ops
 * @ops: the source. Read without @lock by who reads or writes a unit
 * @enabled: between SOFTPT_ENABLE and SOFTPT_DISABLE
 * @enables: how often SOFTPT_ENABLE was done
 * @counting: it is one of @softpt_counting
 * @flags: SOFTPT_SESSION_*
 * @nr_units: how many channels @gate has
 * @gate: what the channels follow. Last, for its array
 */
struct softpt_session {
	struct kref ref;
	struct mutex lock;	/* all that has no rule of its own */
	unsigned long owed;
	struct llist_head leaving;
	struct work_struct later;
	struct softpt_setup setup;
	struct softpt_source source;
	const struct softpt_source_ops *ops;
	bool enabled;
	u64 enables;
	bool counting;
	u32 flags;
	u32 nr_units;
	struct softpt_gate gate;
};

/**
 * struct softpt_unit - a unit's fd, and its channel
 * @session: holds a reference
 * @leaving: in the list of those that are to be removed
 * @rcu: to free it
 * @ch: the channel
 * @mapped: the data was mapped: read() is refused
 * @lost_seen: events lost that SOFTPT_GET_STATUS has reported
 */
struct softpt_unit {
	struct softpt_session *session;
	struct llist_node leaving;
	struct rcu_head rcu;
	struct softpt_channel ch;
	bool mapped;
	u64 lost_seen;
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

/* sources.c */
const struct softpt_source_ops *softpt_source_find(u32 kind);
u32 softpt_source_mask(void);
int softpt_sources_init(void);
void softpt_sources_exit(void);

/* lock.c */
void softpt_session_lock_init(struct softpt_session *session);
void softpt_session_lock(struct softpt_session *session);
int softpt_session_lock_killable(struct softpt_session *session);
void softpt_session_unlock(struct softpt_session *session);
void softpt_session_owe(struct softpt_session *session, enum softpt_owed what);
void softpt_session_owe_later(struct softpt_session *session, enum softpt_owed what);
void softpt_session_owe_unit(struct softpt_unit *unit);

/* ioctl.c */
long softpt_session_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* session.c */
int softpt_session_create(u32 flags);
void softpt_session_put(struct softpt_session *session);
void softpt_session_leave(struct softpt_session *session);

/* start.c */
int softpt_session_enable(struct softpt_session *session, u64 *tsc);
int softpt_session_disable(struct softpt_session *session, u64 *tsc);
void softpt_session_follow(struct softpt_session *session);
void softpt_session_stop_channel(struct softpt_session *session, struct softpt_channel *ch);

/* attach.c */
int softpt_session_attach(struct softpt_session *session, const struct softpt_source_ops *ops,
			  pid_t nr, bool threads);

/* counter.c */
void softpt_session_publish_counting(struct softpt_session *session);
bool softpt_session_can_count(const struct softpt_session *session,
			      const struct softpt_source_ops *ops);
long softpt_session_set_escr(struct file *file, void __user *arg);
long softpt_session_set_counter(struct file *file, void __user *arg);
long softpt_session_count(struct file *file, void __user *arg);
long softpt_session_threads(struct file *file, void __user *arg);
long softpt_unit_read_counters(struct file *file, void __user *arg);

/* retire.c */
long softpt_session_set_freeze(struct file *file, void __user *arg);
long softpt_unit_read_fifo(struct file *file, void __user *arg);
long softpt_unit_rearm_fifo(struct file *file, void __user *arg);

/* trigger.c */
bool softpt_session_can_trigger(const struct softpt_session *session,
				const struct softpt_source_ops *ops);
bool softpt_triggers_fit(const struct softpt_session *session);
long softpt_session_set_trigger(struct file *file, void __user *arg);
long softpt_session_rearm(struct file *file, void __user *arg);
long softpt_unit_trigger(struct file *file, void __user *arg);

/* unit.c */
int softpt_unit_create(struct softpt_session *session, u32 cpu);
void softpt_unit_remove(struct softpt_unit *unit);

/* unit-io.c */
ssize_t softpt_unit_read(struct file *file, char __user *to, size_t n, loff_t *pos);
ssize_t softpt_unit_write(struct file *file, const char __user *from, size_t n, loff_t *pos);
__poll_t softpt_unit_poll(struct file *file, struct poll_table_struct *wait);
int softpt_unit_mmap(struct file *file, struct vm_area_struct *vma);

/* unit-ioctl.c */
long softpt_unit_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

static inline struct softpt_channel *softpt_file_channel(const struct file *file)
{
	struct softpt_unit *unit = file->private_data;

	return &unit->ch;
}

#endif /* _SOFTPT_SESSION_H */
