/* SPDX-License-Identifier: BSD-2-Clause */
/* An address as a person reads it */
#ifndef SOFTPT_DIFF_PLACE_H
#define SOFTPT_DIFF_PLACE_H

#include <stdint.h>

#include <softpt/flow.h>

/**
 * struct diff_place - an address, valid longer than the walk that it came from
 * @function: its symbol without the version, NULL: not known
 * @label: the symbol as people write it
 * @module: last part of the file's name, NULL: no file is mapped there
 * @offset: from the begin of the function; without @function the address in the file
 * @source: file of its line, NULL: not known
 * @line: in @source
 */
struct diff_place {
	char *function;
	char *label;
	char *module;
	uint64_t offset;
	char *source;
	int line;
};

/* In the call that gets @row. Return: 0 or -ENOMEM */
int diff_place_find(struct diff_place *place, const struct softpt_flow_row *row, uint64_t address);
void diff_place_free(struct diff_place *place);

#endif /* SOFTPT_DIFF_PLACE_H */
