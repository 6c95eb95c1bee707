/* SPDX-License-Identifier: BSD-2-Clause */
/* What the values of rows of the kernel are called */
#ifndef SOFTPT_FLOW_KERNEL_NAMES_H
#define SOFTPT_FLOW_KERNEL_NAMES_H

#include <stdint.h>

/* Of a system call of x86-64: "read". Return: NULL: it has none here */
const char *kernel_call_name(uint64_t number);
/* Why a thread left its CPU, enum softpt_left: "sleeps". Return: NULL: none is known */
const char *kernel_left_name(uint64_t why);

#endif /* SOFTPT_FLOW_KERNEL_NAMES_H */
