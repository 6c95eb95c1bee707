/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace that a subcommand reads */
#ifndef SOFTPT_CLI_INPUT_H
#define SOFTPT_CLI_INPUT_H

#include "input/input.h"
#include "input/relative.h"

/**
 * open_input() - input_open() for a subcommand
 * @in: filled in
 * @path: the file
 *
 * A file that becomes shorter while it is read ends the command with a message.
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int open_input(struct input *in, const char *path);

/* There is no trace of CPU @cpu; -1: of none. Return: EXIT_REFUSED after a message */
int refuse_no_trace(const char *path, int cpu);

/* relative_find() of --relative. Return: 0, or EXIT_REFUSED after a message */
int find_te(struct trigger_event *te, const struct input *in, const struct softpt_config *cfg);

#endif /* SOFTPT_CLI_INPUT_H */
