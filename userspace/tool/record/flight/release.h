/* SPDX-License-Identifier: BSD-2-Clause */
/* What a flight recorder holds becomes a file, when a trigger event comes or the program ends. */
#ifndef SOFTPT_TOOL_RECORD_RELEASE_H
#define SOFTPT_TOOL_RECORD_RELEASE_H

#include "../translation.h"

/* After each look at records. An error is latched. Return: whether there are more to look at */
bool release_look(struct translation *t);

/* The program has ended. */
void release_end(struct translation *t);

#endif /* SOFTPT_TOOL_RECORD_RELEASE_H */
