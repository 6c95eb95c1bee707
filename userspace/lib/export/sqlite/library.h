/* SPDX-License-Identifier: BSD-2-Clause */
/* libsqlite3, which is loaded when a database is written: no other command waits for it */
#ifndef SOFTPT_EXPORT_SQLITE_LIBRARY_H
#define SOFTPT_EXPORT_SQLITE_LIBRARY_H

#include <sqlite3.h>

#include "base/error.h"

#define SQLITE_FUNCTIONS(X) \
	X(sqlite3_open_v2) \
	X(sqlite3_close) \
	X(sqlite3_exec) \
	X(sqlite3_prepare_v2) \
	X(sqlite3_step) \
	X(sqlite3_reset) \
	X(sqlite3_finalize) \
	X(sqlite3_bind_int64) \
	X(sqlite3_bind_null) \
	X(sqlite3_bind_text) \
	X(sqlite3_errcode) \
	X(sqlite3_errmsg) \
	X(sqlite3_system_errno)

struct sqlite {
#define X(name) __typeof__(name) *name;
	SQLITE_FUNCTIONS(X)
#undef X
};

/* Return: NULL: it is missing; @errors was told, of @file */
const struct sqlite *sqlite_load(const struct error_sink *errors, const char *file);

#endif /* SOFTPT_EXPORT_SQLITE_LIBRARY_H */
