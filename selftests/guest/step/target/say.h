/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stepped program says */
#ifndef SOFTPT_TARGET_SAY_H
#define SOFTPT_TARGET_SAY_H

#include <stdbool.h>

/* Under ptrace a program sees TF, so what it says of that differs. */
extern bool quiet;

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
