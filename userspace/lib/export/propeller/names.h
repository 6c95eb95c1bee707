/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions of a BB address map are called */
#ifndef SOFTPT_EXPORT_PROPELLER_NAMES_H
#define SOFTPT_EXPORT_PROPELLER_NAMES_H

#include <stddef.h>

#include "export/propeller/blockmap.h"

struct function_name {
	const char *name;
	uint64_t addr;
	bool spare;		/* another function is called so, too; or the same once more */
};

/**
 * struct function_names - symbols of functions
 * @name: by address
 * @n: how many
 */
struct function_names {
	struct function_name *name;
	size_t n;
};

/* They are valid as long as @elf; free them, whatever is returned. Return: 0 or -ENOMEM */
int function_names_read(struct function_names *names, Elf *elf);
void function_names_free(struct function_names *names);

/* A name of the function at @addr alone, from @name on; NULL: the first. Return: NULL: no more */
const struct function_name *function_names_next(const struct function_names *names, uint64_t addr,
						const struct function_name *name);

#endif /* SOFTPT_EXPORT_PROPELLER_NAMES_H */
