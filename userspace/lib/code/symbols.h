/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the addresses of a process */
#ifndef SOFTPT_CODE_SYMBOLS_H
#define SOFTPT_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>
#include <softpt/perf.h>

#include "code/symbolfiles.h"

struct symbols;

/* Return: NULL without memory */
struct symbols *symbols_new(struct symbol_files *files);
/* Those of a child, as fork leaves it. Return: NULL without memory */
struct symbols *symbols_copy(const struct symbols *s);
/*
 * The same names for one more thread, as long as nothing is added: threads may find names in
 * different ones of the same files at the same time. Return: NULL without memory
 */
struct symbols *symbols_clone(const struct symbols *s);
/* @map's name must stay. Return: 0 or -ENOMEM */
int symbols_add(struct symbols *s, const struct softpt_perf_map *map, const char *path);
/*
 * Names of code that the process has made: of @path, which is read when they are asked for, and
 * then of what a parent had. Return: 0 or -ENOMEM
 */
int symbols_add_made(struct symbols *s, const char *path);
/* The same of a file that jitdump_named() knows: a mapping of it was told. Return: 0 or -ENOMEM */
int symbols_add_dump(struct symbols *s, const char *path);
void symbols_find(struct symbols *s, uint64_t addr, struct softpt_symbol *sym);
/* How many mappings were added: an address keeps its name while the number is the same */
size_t symbols_mappings(const struct symbols *s);

/**
 * struct symbol_place - where an address is in a file
 * @file: that is mapped there, NULL: none
 * @address: as the file was linked; where @file is NULL, the address itself
 */
struct symbol_place {
	struct symbol_file *file;
	uint64_t address;
};

void symbols_place(struct symbols *s, uint64_t addr, struct symbol_place *place);

/*
 * Gets a file that is mapped, and its addresses less those as it was linked. Return: false:
 * enough
 */
typedef bool (*symbols_file_fn)(void *ctx, const char *path, uint64_t bias);

/* Each file that is mapped still, where it was mapped last, in the order of first mappings */
void symbols_each(struct symbols *s, symbols_file_fn fn, void *ctx);

void symbols_free(struct symbols *s);

#endif /* SOFTPT_CODE_SYMBOLS_H */
