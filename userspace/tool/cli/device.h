/* SPDX-License-Identifier: BSD-2-Clause */
/* The device, with messages that say what to do */
#ifndef SOFTPT_TOOL_CLI_DEVICE_H
#define SOFTPT_TOOL_CLI_DEVICE_H

#include <linux/softpt.h>

#include <softpt/spec.h>
#include <softpt/device.h>

/**
 * device_open() - open /dev/softpt
 *
 * Return: a file descriptor, or -1 after a message.
 */
int device_open(void);

/* The same for what nothing but the module can do: an option, or what else a message calls it */
int device_open_for(const char *option);

/**
 * device_session() - a session with a configuration and a source
 * @dev: of device_open()
 * @cfg: set
 * @kind: enum softpt_source_kind
 *
 * Return: a file descriptor, or -1 after a message.
 */
int device_session(int dev, const struct softpt_config *cfg, unsigned int kind);

/**
 * device_unit() - the unit of a CPU
 * @session: a session
 * @cpu: the CPU
 *
 * Return: NULL after a message.
 */
struct softpt_unit *device_unit(int session, unsigned int cpu);

/**
 * device_counters() - set the registers of a plan
 * @session: a session
 * @plan: the registers
 * @teller: who tells of events, for a message
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int device_counters(int session, const struct softpt_plan *plan, const char *teller);

/* Start or stop counters, all at one instant. Return: 0, or EXIT_REFUSED after a message */
int device_count(int session, uint32_t counters, bool on);

const char *device_source_name(unsigned int kind);	/* NULL behind the last */

#endif /* SOFTPT_TOOL_CLI_DEVICE_H */
