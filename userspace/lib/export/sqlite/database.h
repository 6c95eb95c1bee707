/* SPDX-License-Identifier: BSD-2-Clause */
/* A database that is written once, in one transaction: it is there when all of it is. */
#ifndef SOFTPT_EXPORT_SQLITE_DATABASE_H
#define SOFTPT_EXPORT_SQLITE_DATABASE_H

#include "export/tables/rows.h"

extern const struct table_format database_format;

#endif /* SOFTPT_EXPORT_SQLITE_DATABASE_H */
