/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of ipt-oracle */
#ifndef SOFTPT_IPT_ORACLE_H
#define SOFTPT_IPT_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include <intel-pt.h>

/* A whole file on the heap; NULL: it is empty or cannot be read */
uint8_t *oracle_load(const char *path, size_t *size);
/* Say why libipt stopped there. Return: the exit status */
int oracle_refuse(int status, uint64_t offset);
/* Each instruction, of the code in the file @path, which was at @address. Return: exit status */
int oracle_print_path(const struct pt_config *config, const char *address, const char *path);

#endif
