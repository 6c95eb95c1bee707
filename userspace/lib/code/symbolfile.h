/* SPDX-License-Identifier: BSD-2-Clause */
/* A file with symbols: what symbols.c, source.c and lines.c know of it */
#ifndef SOFTPT_CODE_SYMBOLFILE_H
#define SOFTPT_CODE_SYMBOLFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include <softpt/flow.h>

#include "code/names/perfmap.h"
#include "code/names/symtab.h"
#include "code/symbolfiles.h"
#include "code/dwarf/units.h"

/* Addresses that have one answer: from @from up to the next. @made: its label, or NULL */
struct stretch {
	uint64_t from;
	bool known;
	struct softpt_symbol sym;
	char *made;
};

#define FRAMES_BITS	10	/* 2^n addresses whose lines are kept */

/* The lines of an address */
struct frames {
	uint64_t addr;
	bool known;
	unsigned int n;
	struct softpt_flow_line frame[SOFTPT_FLOW_LINES];
};

struct segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
};

/*
 * Addresses in it are as the file was linked. @made: names of code that no file holds; @told: they
 * were read
 */
struct symbol_file {
	struct symbol_files *files;
	char *path;
	bool read;
	unsigned int bits;	/* 32 or 64 */
	struct segment *segments;
	size_t nr;
	uint64_t plt_from;
	uint64_t plt_to;
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct stretch *stretches;	/* by address; the first is from 0 on */
	size_t nr_stretches;
	struct symtab symtab;
	struct perfmap made;
	bool told;
	struct units units;
	struct frames *frames;	/* a table, by the hash of an address */
	size_t newest;		/* of symbols_each(): number of its mapping, or 0 */
	struct symbol_file *next;
};

/*
 * Files are read and searched by who has the lock. symbols_find(), symbols_place() and
 * source_frames() take it: nothing else that looks into a file may go on beside them.
 */
void symbol_files_lock(struct symbol_files *files);
void symbol_files_unlock(struct symbol_files *files);

/* A file, of which nothing is read yet. Return: NULL without memory */
struct symbol_file *symbol_files_add(struct symbol_files *files, const char *path);

/* What can't be read has no names: the code that can't be read is told elsewhere. */
void symbol_file_read(struct symbol_files *files, struct symbol_file *f);

/* Where the file holds the code of an address. Return: whether it does */
bool symbol_file_offset(const struct symbol_file *f, uint64_t addr, uint64_t *offset);

/* The index of the stretch that an address is in; there is one at least */
size_t symbol_file_stretch(const struct symbol_file *f, uint64_t addr);

/* What is at an address; its name is NULL where nothing is */
const struct softpt_symbol *symbol_file_find(struct symbol_file *f, uint64_t addr);

#endif /* SOFTPT_CODE_SYMBOLFILE_H */
