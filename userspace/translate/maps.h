/* SPDX-License-Identifier: BSD-2-Clause */
/* What is mapped, as the kernel tells it */
#ifndef SOFTPT_XL_MAPS_H
#define SOFTPT_XL_MAPS_H

#include "types.h"

/**
 * struct mapping - a line of /proc/self/maps
 * @from: where it begins
 * @to: where it ends
 * @prot: PROT_READ and the others
 * @has_file: a file is mapped
 * @name: the file, or "[vdso]" and the like, or ""
 */
struct mapping {
	u64 from, to;
	long prot;
	bool has_file;
	const char *name;
};

/*
 * @each is called for each mapping that has something of [@from, @to), in the order of their
 * addresses. Where nothing can be read all of it may be code.
 */
void maps_each(u64 from, u64 to, void (*each)(const struct mapping *m, void *arg), void *arg);

#endif /* SOFTPT_XL_MAPS_H */
