/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_CODE_VDSO_H
#define SOFTPT_CODE_VDSO_H

#include <stddef.h>

#include <softpt/perf.h>

/* The code that this kernel maps into every process, whole pages. Return: NULL: none */
const void *vdso_here(size_t *len);

/* What a recording has of them, 64-bit and 32-bit */
void vdso_record(struct softpt_perf_setup *setup);

#endif /* SOFTPT_CODE_VDSO_H */
