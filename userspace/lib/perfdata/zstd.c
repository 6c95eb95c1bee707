// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/zstd.h"

#ifdef HAVE_ZSTD
#include "base/library.h"

#define LIBRARY	"libzstd.so.1"

static struct zstd lib;

const struct zstd *zstd_load(void)
{
	static const struct library_function wanted[] = {
#define X(name) { #name, (void **)&lib.name },
		ZSTD_FUNCTIONS(X)
#undef X
	};
	static bool tried, there;

	if (!tried)
		there = !library_load(LIBRARY, wanted, sizeof(wanted) / sizeof(wanted[0]));
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
