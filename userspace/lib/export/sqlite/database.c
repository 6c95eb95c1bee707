// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/sqlite/library.h"
#include "export/sqlite/schema.h"

/* A file that did not become whole is removed: nothing is kept to go back to. */
#define SETTINGS \
	"PRAGMA journal_mode = OFF;" \
	"PRAGMA synchronous = OFF;" \
	"PRAGMA locking_mode = EXCLUSIVE;" \
	"PRAGMA cache_size = -65536;" \
	"BEGIN"

struct database {
	struct table_writer writer;
	const struct sqlite *lib;
	const struct perf_clock *clock;
	sqlite3 *db;
	char *path;	/* that it is for */
	char *part;	/* where it is meanwhile */
};

struct insert {
	struct rows rows;
	sqlite3_stmt *statement;
	int column;	/* that was set last, from 1 on */
};

/* ---- what fails ---- */

static int errno_of(const struct database *d)
{
	const int code = d->db ? d->lib->sqlite3_errcode(d->db) : SQLITE_NOMEM;

	if (code == SQLITE_FULL)
		return -ENOSPC;
	if (code == SQLITE_NOMEM)
		return -ENOMEM;
	return -d->lib->sqlite3_system_errno(d->db);
}

/* Only the first is told: others follow from it. */
static int fail(struct database *d)
{
	struct table_writer *w = &d->writer;
	const int err = w->err ? w->err : errno_of(d);

	if (err)
		return tables_fail(w, err);
	w->err = -EIO;
	return error_tell(w->e->errors, w->e->output, w->err, "SQLite: %s",
			  d->lib->sqlite3_errmsg(d->db));
}

static int run(struct database *d, const char *sql)
{
	if (!d->writer.err && d->lib->sqlite3_exec(d->db, sql, NULL, NULL, NULL))
		fail(d);
	return d->writer.err;
}

/* SQL that was made, NULL: for want of memory it was not. It is freed. */
static int run_made(struct database *d, char *sql)
{
	int err = sql ? run(d, sql) : tables_fail(&d->writer, -ENOMEM);

	free(sql);
	return err;
}

/* ---- the file ---- */

/* Beside the file that a link leads to: it may be replaced by a name only. */
static int name_files(struct database *d)
{
	const char *output = d->writer.e->output;
	char *real = realpath(output, NULL);

	d->path = real ? real : strdup(output);
	if (!d->path || asprintf(&d->part, "%s.part%d", d->path, (int)getpid()) < 0) {
		d->part = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* An empty file with the mode of the one that it replaces */
static int make_part(const struct database *d)
{
	struct stat before;
	bool there = !stat(d->path, &before);
	int fd, err = 0;

	if (there && access(d->path, W_OK))
		return -errno;
	fd = open(d->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	if (there && fchmod(fd, before.st_mode & 07777))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(d->part);
	return err;
}

static void free_database(struct database *d)
{
	free(d->path);
	free(d->part);
	free(d);
}

static bool can_be(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode));
}

static int end_database(struct database *d, int err)
{
	if (!err)
		err = run(d, "COMMIT");
	if (d->lib->sqlite3_close(d->db) && !err)
		err = fail(d);
	if (!err && rename(d->part, d->path))
		err = tables_fail(&d->writer, -errno);
	if (err)
		unlink(d->part);
	free_database(d);
	return err;
}

static int begin_database(struct database *d)
{
	int err = name_files(d);

	if (!err)
		err = make_part(d);
	if (err) {
		tables_fail(&d->writer, err);
		free_database(d);
		return err;
	}
	if (d->lib->sqlite3_open_v2(d->part, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				    NULL))
		fail(d);
	run(d, SETTINGS);
	err = run_made(d, schema_tables(d->writer.e->branches));
	return err ? end_database(d, err) : 0;
}

static int open_database(struct table_writer **w, const struct export *e,
			 const struct perf_clock *clock)
{
	const struct sqlite *lib;
	struct database *d;

	if (!can_be(e->output))
		return error_tell(e->errors, e->output, -EINVAL,
				  "a database is a file: no pipe, no device, no folder");
	lib = sqlite_load(e->errors, e->output);
	if (!lib)
		return -ENOENT;
	d = calloc(1, sizeof(*d));
	if (!d)
		return error_tell_errno(e->errors, e->output, -ENOMEM);
	d->writer = (struct table_writer){ .format = &database_format, .e = e };
	d->lib = lib;
	d->clock = clock;
	*w = &d->writer;
	return begin_database(d);
}

static struct database *database_of(struct table_writer *w)
{
	return (struct database *)w;
}

static int close_database(struct table_writer *w, int err)
{
	struct database *d = database_of(w);

	if (!err)
		err = run_made(d, schema_columns(d->clock, w->e->branches));
	return end_database(d, err);
}

/* ---- rows ---- */

static const struct sqlite *library_of(const struct rows *r)
{
	return database_of(r->to)->lib;
}

static struct insert *insert_of(struct rows *r)
{
	return (struct insert *)r;
}

/* "INSERT INTO calls VALUES(?,?,...)" */
static void prepare(struct database *d, struct insert *r, const struct table *table)
{
	char sql[256];
	int len = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table->name);
	unsigned int i;

	for (i = 1; i < table->columns && !table->column[i].computed; i++)
		len += snprintf(sql + len, sizeof(sql) - len, ",?");
	snprintf(sql + len, sizeof(sql) - len, ")");
	if (d->lib->sqlite3_prepare_v2(d->db, sql, -1, &r->statement, NULL))
		fail(d);
}

static void end_rows(struct rows *r)
{
	library_of(r)->sqlite3_finalize(insert_of(r)->statement);
	free(insert_of(r));
}

static struct rows *begin_rows(struct table_writer *w, const struct table *table)
{
	struct insert *r;

	if (w->err || (table == &table_branches && !w->e->branches))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r) {
		tables_fail(w, -ENOMEM);
		return NULL;
	}
	r->rows.to = w;
	prepare(database_of(w), r, table);
	if (!w->err)
		return &r->rows;
	end_rows(&r->rows);
	return NULL;
}

static void put_number(struct rows *rows, int64_t value)
{
	struct insert *r = insert_of(rows);

	library_of(rows)->sqlite3_bind_int64(r->statement, ++r->column, value);
}

static void put_null(struct rows *rows)
{
	struct insert *r = insert_of(rows);

	library_of(rows)->sqlite3_bind_null(r->statement, ++r->column);
}

static void put_text(struct rows *rows, const char *text)
{
	struct insert *r = insert_of(rows);

	if (library_of(rows)->sqlite3_bind_text(r->statement, ++r->column, text, -1,
						SQLITE_TRANSIENT))
		fail(database_of(rows->to));
}

static void put_row(struct rows *rows)
{
	struct insert *r = insert_of(rows);

	r->column = 0;
	if (rows->to->err)
		return;
	if (library_of(rows)->sqlite3_step(r->statement) != SQLITE_DONE)
		fail(database_of(rows->to));
	library_of(rows)->sqlite3_reset(r->statement);
}

const struct table_format database_format = {
	.open = open_database,
	.begin = begin_rows,
	.number = put_number,
	.null = put_null,
	.text = put_text,
	.put = put_row,
	.end = end_rows,
	.close = close_database,
};
