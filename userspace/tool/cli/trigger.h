/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggers on the command line: --trigger, --before and --after */
#ifndef SOFTPT_TOOL_CLI_TRIGGER_H
#define SOFTPT_TOOL_CLI_TRIGGER_H

#include "trigger/text.h"

struct command;

/* --trigger, --before, --after as given. Return: 0, or EXIT_USAGE after a message */
int trigger_option(const struct command *cmd, struct triggers *t, const char *text);
int before_option(const struct command *cmd, struct triggers *t, const char *text);
int after_option(const struct command *cmd, struct triggers *t, const char *text);

/* Of packets: no key of the trace port's alone. Return: 0, or EXIT_USAGE after a message */
int triggers_are_of_packets(const struct command *cmd, const struct triggers *t);

/**
 * triggers_done() - after the last option: let all of them freeze, and find the ring for it
 * @cmd: for messages
 * @t: as given
 * @cfg: its psb_freq and ring count
 * @ring: set to the bytes that must not be overwritten when it freezes
 *
 * Return: 0, or EXIT_USAGE after a message.
 */
int triggers_done(const struct command *cmd, struct triggers *t, const struct softpt_config *cfg,
		  uint64_t *ring);

#endif /* SOFTPT_TOOL_CLI_TRIGGER_H */
