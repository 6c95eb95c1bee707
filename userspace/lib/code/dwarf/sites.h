/* SPDX-License-Identifier: BSD-2-Clause */
/* Places within functions of a file, and where the frames of these functions are there */
#ifndef SOFTPT_CODE_DWARF_SITES_H
#define SOFTPT_CODE_DWARF_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/dwarf/statements.h"

/**
 * struct code_site - an instruction
 * @offset: where it is in the file
 * @cfa: the canonical frame address (CFA) of its function, less a register. The return address is
 * right below the CFA. 0: it is not told
 * @by_rbp: that is RBP, else RSP
 */
struct code_site {
	uint64_t offset;
	int32_t cfa;
	bool by_rbp;
};

/**
 * struct site_list - such places
 * @site: each
 * @nr: how many
 * @semaphore: counters of probes among them: where each is in the file
 * @semaphores: how many
 */
struct site_list {
	struct code_site *site;
	size_t nr;
	uint64_t *semaphore;
	size_t semaphores;
};

/**
 * struct site_counts - what became of the places that were looked for
 * @nr: they were added
 * @inlined: of these: they are in a copy of an inlined function
 * @unframed: the frame is needed, and not told, or not by RSP or RBP: they were left out
 * @unframed_at: the first of those, as the file was linked
 * @failed: memory is out
 */
struct site_counts {
	size_t nr;
	size_t inlined;
	size_t unframed;
	uint64_t unframed_at;
	bool failed;
};

/**
 * sites_of_line() - add where the statements of a line begin
 * @path: of an ELF file; the file with its debug information is looked at, too
 * @s: the line, and set to what is known of it; its addresses are freed
 * @framed: places whose frame is not told by RSP or RBP are left out
 * @list: they are added to it; site_list_free(), whatever is returned
 * @counts: set
 *
 * Return: whether there is code, in an ELF file that can be read.
 */
bool sites_of_line(const char *path, struct statements *s, bool framed, struct site_list *list,
		   struct site_counts *counts);

/**
 * sites_of_probe() - add where a program has put a probe (USDT, notes of the kind stapsdt)
 * @path: of an ELF file
 * @name: PROVIDER:NAME, each a name or a pattern
 * @framed: as above
 * @list: as above
 * @counts: set
 *
 * Return: whether it is an ELF file that can be read.
 */
bool sites_of_probe(const char *path, const char *name, bool framed, struct site_list *list,
		    struct site_counts *counts);
void site_list_free(struct site_list *list);

#endif /* SOFTPT_CODE_DWARF_SITES_H */
