/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of `softpt flow` that know libipt share: *-ipt.c, built where that is installed */
#ifndef SOFTPT_CODE_IMAGE_IPT_H
#define SOFTPT_CODE_IMAGE_IPT_H

#include <intel-pt.h>

#include "flow/flow.h"

/* The code of a process as libipt takes it; changes with flow_code_add() */
struct pt_image *flow_code_image(struct flow_code *code);
/* How often it has changed: whoever walks through it looks again */
unsigned int flow_code_changes(const struct flow_code *code);

#endif /* SOFTPT_CODE_IMAGE_IPT_H */
