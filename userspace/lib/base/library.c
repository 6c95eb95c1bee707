// SPDX-License-Identifier: BSD-2-Clause
#include "base/library.h"

#include <dlfcn.h>

const char *library_load(const char *library, const struct library_function *wanted, size_t n)
{
	void *so = dlopen(library, RTLD_LAZY);
	size_t i;

	if (!so)
		return library;
	for (i = 0; i < n; i++) {
		*wanted[i].where = dlsym(so, wanted[i].name);
		if (!*wanted[i].where)
			return wanted[i].name;
	}
	return NULL;
}
