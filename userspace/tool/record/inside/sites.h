/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines and probes: where they are in a file, and what is told where they are nowhere */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_SITES_H
#define SOFTPT_TOOL_RECORD_INSIDE_SITES_H

#include "code/dwarf/sites.h"
#include "names.h"

/*
 * Add the places of a line, or of a probe, in the file @path, and note in @name what is known of
 * it. @is_program: the file is the program's.
 */
void site_look(struct inside_name *name, const char *path, bool is_program,
	       struct site_list *list, struct site_counts *counts);
/* Tell of what was found in @file, what is not as one may think. */
void site_tell(const struct inside_name *name, const char *file, const struct site_counts *counts);
/*
 * Why there is no place yet; NULL: there is one. @final: set to whether no other file can have one.
 * The text is valid until the next call.
 */
const char *site_missing(const struct inside_name *name, const char *program, bool *final);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_SITES_H */
