// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/library.h"

#include <errno.h>
#include <string.h>

#include "base/library.h"

#define LIBRARY	"libsqlite3.so.0"

static struct sqlite lib;

const struct sqlite *sqlite_load(const struct error_sink *errors, const char *file)
{
	static const struct library_function wanted[] = {
#define X(name) { #name, (void **)&lib.name },
		SQLITE_FUNCTIONS(X)
#undef X
	};
	const char *missing = library_load(LIBRARY, wanted, sizeof(wanted) / sizeof(wanted[0]));

	if (!missing)
		return &lib;
	if (!strcmp(missing, LIBRARY))
		error_tell(errors, file, -ENOENT,
			   "no SQLite: %s is missing: apt-get install libsqlite3-0", LIBRARY);
	else
		error_tell(errors, file, -ENOENT, "no SQLite: %s has no %s: is it older than 3.31?",
			   LIBRARY, missing);
	return NULL;
}
