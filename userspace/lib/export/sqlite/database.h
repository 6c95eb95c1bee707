/* SPDX-License-Identifier: BSD-2-Clause */
/* A database that is written once, in one transaction: it is there when all of it is. */
#ifndef SOFTPT_EXPORT_SQLITE_DATABASE_H
#define SOFTPT_EXPORT_SQLITE_DATABASE_H

#include <stdint.h>

#include "export/export.h"

struct database;

/**
 * database_begin() - begin a database, in a file beside the one that it is for
 * @d: set to the database
 * @e: the file that database_end() replaces, and who is told of what fails, here and later on
 *
 * Return: 0, or -errno; -EINVAL: the file is none, but a pipe or a device.
 */
int database_begin(struct database **d, const struct export *e);

/**
 * database_end() - give a database its name, or remove it
 * @d: the database, freed
 * @err: 0, or why it is removed
 *
 * Return: @err; or the -errno of the first call that failed, and it is removed.
 */
int database_end(struct database *d, int err);

/* Execute a statement. Return: 0, or the -errno of the first call that failed */
int database_run(struct database *d, const char *sql);
/* Return: the same, of what was called so far */
int database_error(const struct database *d);

/* Rows of a table, written one by one */
struct rows;

/* @columns: how many of the table are written. Return: NULL: it failed */
struct rows *rows_begin(struct database *d, const char *table, unsigned int columns);
/* The columns of the next row, from the first on */
void rows_int(struct rows *r, int64_t value);
void rows_null(struct rows *r);
/* @text NULL: null. It is copied; what is no UTF-8 is U+FFFD */
void rows_text(struct rows *r, const char *text);
/* It is whole. What fails is in database_error(). */
void rows_put(struct rows *r);
/* @r may be NULL */
void rows_end(struct rows *r);

#endif /* SOFTPT_EXPORT_SQLITE_DATABASE_H */
