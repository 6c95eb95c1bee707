/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first front end: file descriptors.
 *
 *	/dev/softpt (main.c) -> session fd (create.c) -> unit fds (unit.c)
 *
 * A file of this room calls only those further down:
 *
 *	create.c	a session begins; what is owed to it is done
 *	ioctl.c		its commands
 *	attach.c	SOFTPT_ATTACH
 *	unit.c		a unit's fd; unit-io.c, unit-ioctl.c: as a file
 *	retire.c	commands for the retirement FIFO
 *	start.c		channels start and stop together
 *	trigger.c	commands for triggers
 *	counter.c	commands for counters
 *	lock.c		the lock, and what is owed
 *	session.h	the structs
 *	sources.c	the table of sources
 *	args.c		commands and their structs
 *
 * Locks, outermost first: softpt_session.lock, softpt_channel.lock. No user memory is touched under
 * either (user.h), and no close() waits for the first (lock.c). The cred_guard_mutex of a task that
 * is attached to is held together with the first, and nobody waits for one with the other
 * (attach.c).
 */
#ifndef _SOFTPT_SESSION_H
#define _SOFTPT_SESSION_H

#include <linux/cache.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "channel/channel.h"
#include "source/source.h"

/**
 * enum softpt_owed - what is to be done under a session's lock, by its holder
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
 * @pay: does what is owed, under @lock
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
	void (*pay)(struct softpt_session *session);
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
 * @mapped: the data was mapped: read() is refused
 * @lost_seen: events lost that SOFTPT_GET_STATUS has reported
 * @ch: the channel
 */
struct softpt_unit {
	struct softpt_session *session;
	struct llist_node leaving;
	struct rcu_head rcu;
	bool mapped;
	u64 lost_seen;
	struct softpt_channel ch ____cacheline_aligned;
};

void softpt_session_put(struct softpt_session *session);
void softpt_session_publish_counting(struct softpt_session *session);

static inline struct softpt_channel *softpt_file_channel(const struct file *file)
{
	struct softpt_unit *unit = file->private_data;

	return &unit->ch;
}

#endif /* _SOFTPT_SESSION_H */
