// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/zstd.h"

#ifdef HAVE_ZSTD
#include <dlfcn.h>

#define LIBRARY	"libzstd.so.1"

static struct zstd lib;

static bool load(void *so)
{
	static const struct {
		const char *name;
		void **where;
	} wanted[] = {
#define X(name) { #name, (void **)&lib.name },
		ZSTD_FUNCTIONS(X)
#undef X
	};
	size_t i;

	for (i = 0; so && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		*wanted[i].where = dlsym(so, wanted[i].name);
		if (!*wanted[i].where)
			return false;
	}
	return so;
}

const struct zstd *zstd_load(void)
{
	static bool tried, there;

	if (!tried)
		there = load(dlopen(LIBRARY, RTLD_NOW));
	tried = true;
	return there ? &lib : NULL;
}

bool zstd_is_there(void)
{
	return zstd_load();
}
#else
bool zstd_is_there(void)
{
	return false;
}
#endif
