// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "export/sqlite/library.h"

/* A file that did not become whole is removed: nothing is kept to go back to. */
#define SETTINGS \
	"PRAGMA journal_mode = OFF;" \
	"PRAGMA synchronous = OFF;" \
	"PRAGMA locking_mode = EXCLUSIVE;" \
	"PRAGMA cache_size = -65536;" \
	"BEGIN"

struct database {
	const struct sqlite *lib;
	const struct export *e;
	sqlite3 *db;
	char *path;	/* that it is for */
	char *part;	/* where it is meanwhile */
	int err;	/* of the first call that failed */
};

struct rows {
	struct database *d;
	sqlite3_stmt *insert;
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
	if (d->err)
		return d->err;
	d->err = errno_of(d);
	if (d->err)
		return error_tell_errno(d->e->errors, d->e->output, d->err);
	d->err = -EIO;
	return error_tell(d->e->errors, d->e->output, d->err, "SQLite: %s",
			  d->lib->sqlite3_errmsg(d->db));
}

int database_error(const struct database *d)
{
	return d->err;
}

int database_run(struct database *d, const char *sql)
{
	if (!d->err && d->lib->sqlite3_exec(d->db, sql, NULL, NULL, NULL))
		fail(d);
	return d->err;
}

/* ---- the file ---- */

/* Beside the file that a link leads to: it may be replaced by a name only. */
static int name_files(struct database *d)
{
	char *real = realpath(d->e->output, NULL);

	d->path = real ? real : strdup(d->e->output);
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

int database_begin(struct database **to, const struct export *e)
{
	const struct sqlite *lib;
	struct database *d;
	int err;

	if (!can_be(e->output))
		return error_tell(e->errors, e->output, -EINVAL,
				  "a database is a file: no pipe, no device, no folder");
	lib = sqlite_load(e->errors, e->output);
	if (!lib)
		return -ENOENT;
	d = calloc(1, sizeof(*d));
	if (!d)
		return error_tell_errno(e->errors, e->output, -ENOMEM);
	d->lib = lib;
	d->e = e;
	err = name_files(d);
	if (!err)
		err = make_part(d);
	if (err) {
		free_database(d);
		return error_tell_errno(e->errors, e->output, err);
	}
	if (lib->sqlite3_open_v2(d->part, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				 NULL))
		fail(d);
	err = database_run(d, SETTINGS);
	if (err)
		return database_end(d, err);
	*to = d;
	return 0;
}

int database_end(struct database *d, int err)
{
	if (!err)
		err = database_run(d, "COMMIT");
	if (d->lib->sqlite3_close(d->db) && !err)
		err = fail(d);
	if (!err && rename(d->part, d->path))
		err = error_tell_errno(d->e->errors, d->e->output, -errno);
	if (err)
		unlink(d->part);
	free_database(d);
	return err;
}

/* ---- rows ---- */

struct rows *rows_begin(struct database *d, const char *table, unsigned int columns)
{
	struct rows *r = calloc(1, sizeof(*r));
	char sql[256];
	int len = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);

	while (--columns)
		len += snprintf(sql + len, sizeof(sql) - len, ",?");
	snprintf(sql + len, sizeof(sql) - len, ")");
	if (!r) {
		d->err = error_tell_errno(d->e->errors, d->e->output, -ENOMEM);
		return NULL;
	}
	r->d = d;
	if (!d->err && d->lib->sqlite3_prepare_v2(d->db, sql, -1, &r->insert, NULL))
		fail(d);
	if (!d->err)
		return r;
	free(r);
	return NULL;
}

void rows_int(struct rows *r, int64_t value)
{
	r->d->lib->sqlite3_bind_int64(r->insert, ++r->column, value);
}

void rows_null(struct rows *r)
{
	r->d->lib->sqlite3_bind_null(r->insert, ++r->column);
}

static void bind_text(struct rows *r, const char *text)
{
	if (r->d->lib->sqlite3_bind_text(r->insert, ++r->column, text, -1, SQLITE_TRANSIENT))
		fail(r->d);
}

/* Of another text readers say that the file is damaged. */
void rows_text(struct rows *r, const char *text)
{
	char *copy;

	if (!text || !text[utf8_length(text)]) {
		bind_text(r, text);
		return;
	}
	copy = utf8_copy(text);
	if (!copy && !r->d->err)
		r->d->err = error_tell_errno(r->d->e->errors, r->d->e->output, -ENOMEM);
	bind_text(r, copy);
	free(copy);
}

void rows_put(struct rows *r)
{
	r->column = 0;
	if (r->d->err)
		return;
	if (r->d->lib->sqlite3_step(r->insert) != SQLITE_DONE)
		fail(r->d);
	r->d->lib->sqlite3_reset(r->insert);
}

void rows_end(struct rows *r)
{
	if (!r)
		return;
	r->d->lib->sqlite3_finalize(r->insert);
	free(r);
}
