/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_EXPORT_SWITCHES_H
#define SOFTPT_EXPORT_SWITCHES_H

#include "input/input.h"
#include "export/perfetto.h"

/* A track per CPU with who ran. Return: 0 or -ENOMEM */
int perfetto_switches(struct perfetto *p, const struct input *in);

#endif /* SOFTPT_EXPORT_SWITCHES_H */
