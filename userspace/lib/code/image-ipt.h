/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a process as libipt takes it: for image-ipt.c and flow/ipt.c */
#ifndef SOFTPT_CODE_IMAGE_IPT_H
#define SOFTPT_CODE_IMAGE_IPT_H

#include <intel-pt.h>

#include "code/image.h"

/* It changes with code_image_add(). */
struct pt_image *code_image_ipt(struct code_image *code);
/* How often it has changed: whoever walks through it looks again */
unsigned int code_image_changes(const struct code_image *code);

#endif /* SOFTPT_CODE_IMAGE_IPT_H */
