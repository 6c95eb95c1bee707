/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_XL_VDSO_H
#define SOFTPT_XL_VDSO_H

#include "../types.h"

/* The vdso, which is at @at, goes below 2 GB. Return: where it is, or 0: it cannot be used */
u64 vdso_move(u64 at);

#endif /* SOFTPT_XL_VDSO_H */
