/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of code that a compiler has made while the program ran: /tmp/perf-PID.map, as perf has it
 * (jit-interface.txt of its sources)
 */
#ifndef SOFTPT_CODE_NAMES_PERFMAP_H
#define SOFTPT_CODE_NAMES_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of the file */
struct perfmap_row {
	uint64_t from;
	uint64_t size;
	uint64_t reach;		/* the largest end of this one and all before it */
	size_t order;		/* of the file: the newest of those that overlap counts */
	const char *name;
};

/**
 * struct perfmap - names by address; all zero: there are none
 * @text: the file
 * @row: sorted by @from
 * @n: how many
 */
struct perfmap {
	char *text;
	struct perfmap_row *row;
	size_t n;
};

/*
 * What is no line of such a file is left out. A file that is neither the caller's nor root's is not
 * read: anybody can write to /tmp. There are no names without memory.
 */
void perfmap_read(struct perfmap *map, const char *path);
void perfmap_free(struct perfmap *map);

/* For who makes rows otherwise: a file that may be read, or -1; and rows, as they are found by */
int perfmap_open(const char *path);
void perfmap_sort(struct perfmap *map);

/* The name of an address, and where its code begins. Return: NULL: it has none */
const char *perfmap_find(const struct perfmap *map, uint64_t addr, uint64_t *start);

#endif /* SOFTPT_CODE_NAMES_PERFMAP_H */
