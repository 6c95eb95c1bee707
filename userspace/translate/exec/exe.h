/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of programs: for the kernel each is the runtime */
#ifndef SOFTPT_XL_EXE_H
#define SOFTPT_XL_EXE_H

#include "../types.h"

/* This process runs the program @path, whose addresses are those of its file and @base. */
void exe_init(const char *path, u64 base);

/* Whether @pid is a recorded process */
bool exe_is_recorded(u64 pid);

/* The program that /proc/self/exe and /proc/PID/exe are natively. Return: NULL: @path is another */
const char *exe_named(const char *path);

#endif /* SOFTPT_XL_EXE_H */
