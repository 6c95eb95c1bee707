/* SPDX-License-Identifier: BSD-2-Clause */
/* Build ids: a note in a program's file, or of the kernel */
#ifndef SOFTPT_PERFDATA_BUILDID_H
#define SOFTPT_PERFDATA_BUILDID_H

#include <stddef.h>
#include <stdint.h>

#define BUILDID_MAX	20

/* Of a program's file, of the kernel that runs. Return: bytes; 0: none */
size_t buildid_of_file(const char *path, uint8_t id[BUILDID_MAX]);
size_t buildid_of_kernel(uint8_t id[BUILDID_MAX]);

#endif /* SOFTPT_PERFDATA_BUILDID_H */
