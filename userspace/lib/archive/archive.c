// SPDX-License-Identifier: BSD-2-Clause
#include "archive/archive.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <softpt/perf.h>

#include "archive/copy.h"
#include "code/names/jitdump.h"
#include "code/source.h"
#include "report/index.h"

#define PATH_LENGTH	4096

/* An archive that is written */
struct job {
	struct archive *a;
	struct symbol_files *symbols;
	struct report_index pids;	/* that were seen */
	struct report_index names;	/* the hash of each name */
};

/* Return: 1, the first time; 0; -ENOMEM, which was told */
static int is_new(struct job *job, struct report_index *index, uint64_t what)
{
	uint32_t *seen = index_at(index, what, 0);

	if (!seen)
		return error_tell_errno(job->a->errors, job->a->folder, -ENOMEM);
	if (*seen != INDEX_NEW)
		return 0;
	*seen = 0;
	return 1;
}

/* ---- names ---- */

/* A recording may come from anybody: no name leads out of the folder. */
static bool is_inside(const char *name)
{
	const size_t length = strlen(name);

	return name[0] == '/' && name[1] != '/' && !strstr(name, "/../") &&
	       (length < 3 || strcmp(name + length - 3, "/.."));
}

static int put_path(char *buf, const char *a, const char *b, const char *c, const char *d)
{
	const int n = snprintf(buf, PATH_LENGTH, "%s%s%s%s", a, b, c, d);

	return n < PATH_LENGTH ? 0 : -ENAMETOOLONG;
}

/* Nor does it say what is read: a program is no secret of the machine, a core file is. */
static bool is_program(int fd)
{
	Elf64_Ehdr head;	/* what is looked at lies as in that of 32 bits */

	return pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	       !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	       (head.e_type == ET_EXEC || head.e_type == ET_DYN);
}

/* ---- files ---- */

/* Return: 0 or -errno, which was told; @count: one more */
static int pack(struct job *job, int from, const char *to, unsigned int *count)
{
	int err = copy_file(from, to, &job->a->bytes);

	if (err)
		return error_tell_errno(job->a->errors, to, err);
	++*count;
	return 0;
}

/* libdw looks in the folder ".debug" beside a file for its debug information. */
static int pack_debug(struct job *job, const char *name, const char *from)
{
	struct symbol_file *file = symbol_files_get(job->symbols, from);
	const char *debug, *link, *slash = strrchr(name, '/');
	char folder[PATH_LENGTH], to[PATH_LENGTH];
	int fd, err;

	debug = file ? source_debug(file, &link) : NULL;
	if (!debug)
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - name), name);
	if (strchr(link, '/') || put_path(to, job->a->folder, "/root", folder, ".debug/") ||
	    strlen(to) + strlen(link) >= sizeof(to))
		return 0;
	strcat(to, link);
	fd = copy_open(debug, 0);
	if (fd < 0)
		return 0;
	err = pack(job, fd, to, &job->a->debug);
	close(fd);
	return err;
}

static int pack_mapped(struct job *job, const char *name)
{
	char from[PATH_LENGTH], to[PATH_LENGTH];
	int fd, err;

	if (!is_inside(name))
		return 0;
	err = is_new(job, &job->names, index_hash(name));
	if (err <= 0)
		return err;
	fd = put_path(from, job->a->root, name, "", "") ||
	     put_path(to, job->a->folder, "/root", name, "") ? -ENAMETOOLONG : copy_open(from, 0);
	if (fd < 0 || !is_program(fd)) {
		error_tell(job->a->errors, name, 0, "not packed: it is not there, or no ELF file");
		err = 0;
	} else {
		err = pack(job, fd, to, &job->a->files);
		if (!err)
			err = pack_debug(job, name, from);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * What a compiler has told perf of the code that it made. Anybody can have put a link there, to
 * what the caller alone may read.
 */
static int pack_names(struct job *job, const char *name)
{
	char from[PATH_LENGTH], to[PATH_LENGTH];
	int fd, err;

	if (put_path(from, job->a->root, name, "", "") ||
	    put_path(to, job->a->folder, "/root", name, ""))
		return 0;
	fd = copy_open(from, O_NOFOLLOW);
	if (fd < 0)
		return 0;
	err = pack(job, fd, to, &job->a->maps);
	close(fd);
	return err;
}

static int pack_names_of(struct job *job, uint32_t pid)
{
	char name[64];
	const int err = is_new(job, &job->pids, pid);

	snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
	return err <= 0 ? err : pack_names(job, name);
}

static int pack_dump(struct job *job, const char *name)
{
	const int err = is_inside(name) ? is_new(job, &job->names, index_hash(name)) : 0;

	return err <= 0 ? err : pack_names(job, name);
}

static int pack_all(struct job *job)
{
	struct softpt_perf_record rec;
	struct softpt_perf_map map;
	int err = 0;
	size_t i;

	for (i = 0; !err && softpt_perf_record(job->a->in->perf, i, &rec); i++) {
		if (!softpt_perf_map_of(&rec, &map) || map.pid == UINT32_MAX)
			continue;
		err = pack_names_of(job, map.pid);
		if (!err && map.prot & PROT_EXEC)
			err = jitdump_named(map.name) ? pack_dump(job, map.name) :
							pack_mapped(job, map.name);
	}
	return err;
}

/* ---- the folder ---- */

/* Of the folder of perf record --kcore, the file in it */
static int open_recording(const struct archive *a)
{
	char data[PATH_LENGTH];
	int fd = copy_open(a->in->path, 0);

	if (fd < 0 && !put_path(data, a->in->path, "/data", "", ""))
		fd = copy_open(data, 0);
	return fd < 0 ? error_tell_errno(a->errors, a->in->path, fd) : fd;
}

static int pack_recording(struct archive *a, const char *to)
{
	int fd = open_recording(a), err;

	if (fd < 0)
		return fd;
	err = copy_file(fd, to, &a->bytes);
	close(fd);
	return err ? error_tell_errno(a->errors, to, err) : 0;
}

static int begin(struct archive *a)
{
	char path[PATH_LENGTH];

	if (put_path(path, a->folder, "/root", "", ""))
		return error_tell_errno(a->errors, a->folder, -ENAMETOOLONG);
	if (mkdir(a->folder, 0777))
		return errno == EEXIST ?
		       error_tell(a->errors, a->folder, -EEXIST,
				  "it is there already (rm -r it, or -o another one)") :
		       error_tell_errno(a->errors, a->folder, -errno);
	if (mkdir(path, 0777))
		return error_tell_errno(a->errors, path, -errno);
	put_path(path, a->folder, "/data", "", "");
	return pack_recording(a, path);
}

int archive_write(struct archive *a)
{
	struct job job = { .a = a, .symbols = symbol_files_new() };
	int err;

	if (!job.symbols)
		return error_tell_errno(a->errors, a->folder, -ENOMEM);
	err = begin(a);
	if (!err)
		err = pack_all(&job);
	symbol_files_free(job.symbols);
	index_free(&job.pids);
	index_free(&job.names);
	return err;
}
