/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt: the device. A thin layer over <linux/softpt.h>, where the calls and
 * their errors are explained, and a reader for the mapped ring.
 *
 *	dev = softpt_device_open();
 *	session = softpt_session_create(dev);
 *	softpt_session_configure(session, &cfg);
 *	softpt_session_source(session, SOFTPT_SOURCE_REPLAY);
 *	softpt_unit_open(&unit, session, cpu);
 *	softpt_session_enable(session, NULL);
 *	while ((n = softpt_unit_peek(unit, &bytes)) || !softpt_unit_done(unit))
 *		...
 *		softpt_unit_consume(unit, n);
 *
 * Device and session are file descriptors (close() them); a unit is an object with
 * one inside. One thread may read a unit while another writes to it.
 */
#ifndef SOFTPT_DEVICE_H
#define SOFTPT_DEVICE_H

#include <sys/types.h>

#include "softpt.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define SOFTPT_DEVICE	"/dev/softpt"

/**
 * softpt_device_open() - open /dev/softpt
 *
 * Return: a file descriptor; -ENOENT: the module is not loaded; -EACCES.
 */
int softpt_device_open(void);

/**
 * softpt_device_caps() - what the module and this machine can do
 * @dev: the device
 * @caps: filled in
 *
 * Return: 0 or -errno.
 */
int softpt_device_caps(int dev, struct softpt_caps *caps);

/**
 * softpt_session_create() - a session: configuration, source, and units that are
 * switched together
 * @dev: the device
 *
 * Return: a file descriptor or -errno.
 */
int softpt_session_create(int dev);

/* Each of these returns 0 or what the ioctl says, as -errno. */
int softpt_session_configure(int session, const struct softpt_config *cfg);
int softpt_session_config(int session, struct softpt_config *cfg);
/* @kind: enum softpt_source_kind, any but SOFTPT_SOURCE_SYNTH */
int softpt_session_source(int session, unsigned int kind);
/* Source step; @flags: SOFTPT_STEP_* */
int softpt_session_step(int session, unsigned int flags);
int softpt_session_synth(int session, const struct softpt_synth *synth);
/* @tsc: set to the instant; may be NULL */
int softpt_session_enable(int session, uint64_t *tsc);
int softpt_session_disable(int session, uint64_t *tsc);
/* The calling process is traced from its next exec on */
int softpt_session_arm_exec(int session);
/* A task that runs is traced from its next return to user mode; @flags: SOFTPT_ATTACH_* */
int softpt_session_attach(int session, pid_t pid, unsigned int flags);

/* Event counters of all units; sizes are set here */
int softpt_session_set_escr(int session, const struct softpt_escr *escr);
int softpt_session_set_counter(int session, const struct softpt_counter *counter);
/* @args: @tsc is set to the instant */
int softpt_session_count(int session, struct softpt_count_args *args);
/* Which counter's overflow freezes the records of retired instructions (softpt-address.h) */
int softpt_session_freeze(int session, unsigned int counter, const struct softpt_pipeline *p);
/* What a trigger waits for, until the next enable; its size is set here */
int softpt_session_set_trigger(int session, const struct softpt_trigger *trigger);
/* All units that are frozen run on; -EINVAL when none is */
int softpt_session_rearm(int session);
/* Who the hardware threads are */
int softpt_session_threads(int session, struct softpt_threads *threads);

struct softpt_unit;

/**
 * softpt_unit_open() - create the unit of a CPU and map its ring
 * @unit: set to it
 * @session: configured: the ring gets its size
 * @cpu: whose
 *
 * Return: 0; -ENXIO: the CPU is offline; -ENOSPC, -ENOMEM: no memory for the ring, or
 * more than the module's limit or RLIMIT_MEMLOCK; -EPROTO: the module is of another
 * version; else -errno.
 */
int softpt_unit_open(struct softpt_unit **unit, int session, unsigned int cpu);

void softpt_unit_close(struct softpt_unit *unit);	/* NULL is fine */

/*
 * For poll(): POLLIN, POLLRDBAND (truth), POLLHUP at the end, POLLERR after a loss, POLLOUT
 * (replay)
 */
int softpt_unit_fd(const struct softpt_unit *unit);
unsigned int softpt_unit_cpu(const struct softpt_unit *unit);

/**
 * softpt_unit_peek() - what there is to be read
 * @unit: the unit
 * @bytes: set to the first byte; all are contiguous
 *
 * A snapshot ring has something to read when it is frozen.
 *
 * Return: how many, 0 for none. They stay until softpt_unit_consume().
 */
size_t softpt_unit_peek(const struct softpt_unit *unit, const uint8_t **bytes);

/**
 * softpt_unit_consume() - bytes were read: their room is free again
 * @unit: the unit
 * @n: at most what softpt_unit_peek() returned
 */
void softpt_unit_consume(struct softpt_unit *unit, size_t n);

/* poll() reports POLLIN from so many unread bytes on */
void softpt_unit_watermark(struct softpt_unit *unit, size_t bytes);

/* No more will come: what softpt_unit_peek() sees after this is the rest. */
bool softpt_unit_done(const struct softpt_unit *unit);

/* Whether it is a snapshot that stays as it is until it is rearmed */
bool softpt_unit_frozen(const struct softpt_unit *unit);

/**
 * softpt_unit_truth() - what really happened, where the configuration asks for it
 * @unit: the unit
 * @truth: set to the first record; all are contiguous
 *
 * What wrote the bytes of an earlier softpt_unit_peek() is there after a softpt_unit_status().
 *
 * Return: how many, 0 for none. They stay until softpt_unit_truth_consume().
 */
size_t softpt_unit_truth(const struct softpt_unit *unit, const struct softpt_truth **truth);

/**
 * softpt_unit_truth_consume() - records were read: their room is free again
 * @unit: the unit
 * @n: at most what softpt_unit_truth() returned
 */
void softpt_unit_truth_consume(struct softpt_unit *unit, size_t n);

/* Records that had no room */
uint64_t softpt_unit_truth_lost(const struct softpt_unit *unit);

/**
 * softpt_unit_write() - give events to a unit of the replay source
 * @unit: the unit
 * @ev: the events
 * @n: how many
 *
 * Waits for room, unless the fd is O_NONBLOCK.
 *
 * Return: how many were taken; fewer than @n: the next call says why. -EINVAL or
 * -ERANGE: the first is no valid event; -EAGAIN; -EINTR; else -errno.
 */
ssize_t softpt_unit_write(struct softpt_unit *unit, const struct softpt_event *ev, size_t n);

/* Each of these returns 0 or what the ioctl says, as -errno. */
int softpt_unit_finish(struct softpt_unit *unit);
int softpt_unit_psb(struct softpt_unit *unit);
int softpt_unit_freeze(struct softpt_unit *unit);
int softpt_unit_rearm(struct softpt_unit *unit);
/* An occurrence of SOFTPT_ON_DEMAND */
int softpt_unit_trigger(struct softpt_unit *unit);
int softpt_unit_status(struct softpt_unit *unit, struct softpt_status *status);
/* @thread: what that has counted; -1: the counters themselves */
int softpt_unit_counters(struct softpt_unit *unit, int thread, struct softpt_counter_values *v);

/**
 * softpt_unit_fifo() - read the records of retired instructions that an event froze
 * @unit: the unit
 * @freeze: set to the event
 * @record: where they go, the oldest first
 * @n: room at @record; the pipeline's depth is enough
 *
 * Return: how many; -EAGAIN: no event has frozen them; else -errno.
 */
int softpt_unit_fifo(struct softpt_unit *unit, struct softpt_freeze *freeze,
		     struct softpt_retirement *record, size_t n);

/* Forget them, and wait for the next event. Return: 0 or -errno */
int softpt_unit_rearm_fifo(struct softpt_unit *unit);

/**
 * softpt_unit_glance() - read the counters in the mapped page: no system call
 * @unit: the unit
 * @page: filled in, all at one instant; zero where the session does not show them
 */
void softpt_unit_glance(const struct softpt_unit *unit, struct softpt_counter_page *page);

/**
 * softpt_unit_triggers() - read in the mapped page what triggers have done
 * @unit: the unit
 * @page: filled in, all at one instant
 */
void softpt_unit_triggers(const struct softpt_unit *unit, struct softpt_trigger_page *page);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_DEVICE_H */
