/* SPDX-License-Identifier: BSD-2-Clause */
/* A program is started to be taken over before its first instruction */
#ifndef SOFTPT_TOOL_RECORD_TAKEOVER_LAUNCH_H
#define SOFTPT_TOOL_RECORD_TAKEOVER_LAUNCH_H

#include <stdbool.h>

#include "../record.h"

/* Whether children may be traced, and have no filter of system calls */
bool launch_can(void);

/**
 * launch_start() - fork a program, and trace it; launch_go() lets it
 * @t: all zero
 * @argv: the program
 * @cpu: the only one that it may run on, or -1
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int launch_start(struct target *t, char **argv, int cpu);

/**
 * launch_go() - let it exec, and no more: it is for takeover_begin()
 * @t: the program
 * @name: of the command, for a message
 *
 * Return: 0; or the exit status after a message, 127 not found, 126 not executable; or that of a
 * program which a signal has ended before.
 */
int launch_go(struct target *t, const char *name);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_LAUNCH_H */
