/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_TOOL_VDSO_H
#define SOFTPT_TOOL_VDSO_H

#include <stddef.h>

/* The code that this kernel maps into every process, whole pages. Return: NULL: none */
const void *vdso_here(size_t *len);

#endif /* SOFTPT_TOOL_VDSO_H */
