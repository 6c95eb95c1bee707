/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a process, from its mappings */
#ifndef SOFTPT_CODE_IMAGE_H
#define SOFTPT_CODE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/perf.h>

#include "code/blocks.h"
#include "code/strides.h"

struct code_files;
struct code_image;

/* Gets what a process has executed */
typedef void (*code_ran_fn)(void *ctx, const struct code_image *code, const struct code_run *run);

/* Files with code, which processes share. Return: NULL without memory */
struct code_files *code_files_new(void);
/*
 * Count how often the code of processes is executed, before there is any. @ran gets code that goes,
 * and the rest from code_image_tell().
 */
void code_files_count(struct code_files *files, code_ran_fn ran, void *ctx);
/* Behind the last process that has code of them */
void code_files_free(struct code_files *files);

/* The code of a process: none yet. Return: NULL without memory */
struct code_image *code_image_new(struct code_files *files, const struct softpt_perf *perf);
/* That of a child, as fork leaves it. Return: NULL without memory */
struct code_image *code_image_copy(const struct code_image *code, const struct softpt_perf *perf);
/*
 * A mapping, which hides what was at its addresses. Return: 0; -ENOMEM; -ENOENT: its code is not
 * known
 */
int code_image_add(struct code_image *code, const struct softpt_perf_map *map, const char *path);
/*
 * Code that no file holds. @newer: it replaces what was there; else it is what was there first, as
 * far as nothing else is known. Return: 0 or -ENOMEM
 */
int code_image_put(struct code_image *code, const struct softpt_perf_code *made, bool newer);
/* Tell what was executed since the last time. */
void code_image_tell(struct code_image *code);
void code_image_free(struct code_image *code);

/* Whether there is any at an address */
bool code_image_has(const struct code_image *code, uint64_t ip);
/* Up to @size bytes of it. Return: how many there are in a row */
size_t code_image_read(struct code_image *code, uint64_t addr, uint8_t *buf, size_t size);
/* Its blocks, which change as it does */
struct code_blocks *code_image_blocks(struct code_image *code);
/* Strides of all processes, @branches: with those of each. Return: NULL without memory */
struct strides *code_image_strides(struct code_image *code, bool branches);

#endif /* SOFTPT_CODE_IMAGE_H */
