/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a process, from its mappings: image-ipt.c, built where libipt is installed */
#ifndef SOFTPT_CODE_IMAGE_H
#define SOFTPT_CODE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/perf.h>

struct code_files;
struct code_image;

#ifdef HAVE_LIBIPT
/* Files with code, which processes share. Return: NULL without memory */
struct code_files *code_files_new(void);
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
void code_image_free(struct code_image *code);

/* Whether there is any at an address */
bool code_image_has(const struct code_image *code, uint64_t ip);
#else
#define code_files_new() ((struct code_files *)1)
#define code_files_free(files) ((void)(files))
#define code_image_new(files, perf) ((void)(files), (void)(perf), (struct code_image *)1)
#define code_image_copy(code, perf) code_image_new(code, perf)
#define code_image_add(code, map, path) ((void)(code), 0)
#define code_image_put(code, made, newer) ((void)(code), 0)
#define code_image_free(code) ((void)(code))
#define code_image_has(code, ip) ((void)(code), (void)(ip), false)
#endif

#endif /* SOFTPT_CODE_IMAGE_H */
