// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recording as tables of a SQLite database, for who asks in SQL or with pandas: calls, functions,
 * threads, events. (Documentation/guides/tables.rst)
 */
#include <errno.h>

#include "export/export.h"

#ifdef HAVE_SQLITE
#include "export/sqlite/database.h"
#include "export/tables/tables.h"

static int run_sqlite(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return tables_export(e, streams, nr, &database_format);
}
#else
static int run_sqlite(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	(void)streams;
	(void)nr;
	return error_tell(e->errors, e->output, -EOPNOTSUPP,
			  "no SQLite: built without libsqlite3: apt-get install libsqlite3-dev, then make clean all");
}
#endif

const struct exporter export_sqlite = { "sqlite", run_sqlite };
