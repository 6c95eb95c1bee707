// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program maps, where perf events are refused: /proc/PID/maps is read again and
 * again. A mapping that comes and goes in between is missed.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "record.h"

/* One line of the file */
struct mapping {
	uint64_t from, to, offset, inode;
	unsigned int major, minor;
	char perm[8];
	char name[PATH_MAX];
};

/* Enough to know it again */
struct seen {
	uint64_t from, to, offset, inode;
};

struct maps {
	pid_t pid;
	char comm[16];
	struct seen *seen;
	size_t n;
	size_t alloc;
};

struct maps *maps_open(pid_t pid)
{
	struct maps *m = calloc(1, sizeof(*m));

	if (m)
		m->pid = pid;
	return m;
}

void maps_close(struct maps *m)
{
	if (!m)
		return;
	free(m->seen);
	free(m);
}

static bool is_new(struct maps *m, const struct mapping *map)
{
	const struct seen now = { map->from, map->to, map->offset, map->inode };
	size_t i;
	void *more;

	for (i = 0; i < m->n; i++)
		if (!memcmp(&m->seen[i], &now, sizeof(now)))
			return false;
	if (m->n == m->alloc) {
		more = reallocarray(m->seen, m->alloc + 64, sizeof(now));
		if (!more)
			return false;
		m->seen = more;
		m->alloc += 64;
	}
	m->seen[m->n++] = now;
	return true;
}

static void put_id(const struct maps *m, void *to, uint64_t time)
{
	const struct softpt_perf_id id = { .pid = m->pid, .tid = m->pid, .time = time };

	memcpy(to, &id, sizeof(id));
}

static int put_mapping(struct maps *m, struct softpt_perf_writer *w, const struct mapping *map,
		       uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, ino_generation;
		uint32_t prot, flags;
		char name[PATH_MAX + sizeof(struct softpt_perf_id)];
	} rec = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = m->pid, .tid = m->pid,
		.addr = map->from, .len = map->to - map->from, .pgoff = map->offset,
		.maj = map->major, .min = map->minor, .ino = map->inode,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};
	size_t len = (strlen(map->name) + 8) & ~(size_t)7;

	memcpy(rec.name, map->name, strlen(map->name));
	put_id(m, rec.name + len, time);
	rec.header.size = rec.name + len + sizeof(struct softpt_perf_id) - (char *)&rec;
	return softpt_perf_writer_record(w, &rec.header);
}

static int put_comm(struct maps *m, struct softpt_perf_writer *w, uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		struct softpt_perf_id id;
	} rec = {
		.header = {
			.type = PERF_RECORD_COMM,
			.misc = PERF_RECORD_MISC_COMM_EXEC,
			.size = sizeof(rec),
		},
		.pid = m->pid, .tid = m->pid,
	};

	memcpy(rec.comm, m->comm, sizeof(rec.comm));
	put_id(m, &rec.id, time);
	return softpt_perf_writer_record(w, &rec.header);
}

static FILE *open_proc(const struct maps *m, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)m->pid, name);
	return fopen(path, "re");
}

/* A new name means that it has exec'ed, or chosen one. */
static int drain_comm(struct maps *m, struct softpt_perf_writer *w, uint64_t time)
{
	FILE *f = open_proc(m, "comm");
	char comm[16] = "";

	if (!f)
		return 0;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	if (!*comm || !strcmp(comm, m->comm))
		return 0;
	strcpy(m->comm, comm);
	return put_comm(m, w, time);
}

static bool parse(const char *line, struct mapping *map)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &map->from,
		   &map->to, map->perm, &map->offset, &map->major, &map->minor, &map->inode,
		   &at) != 7 || !at)
		return false;
	snprintf(map->name, sizeof(map->name), "%s", line[at] && line[at] != '\n' ? line + at : "//anon");
	map->name[strcspn(map->name, "\n")] = '\0';
	return true;
}

int maps_drain(struct maps *m, struct softpt_perf_writer *w, uint64_t time)
{
	int err = drain_comm(m, w, time);
	char line[PATH_MAX + 128];
	struct mapping map;
	FILE *f = open_proc(m, "maps");

	if (!f)
		return err;
	while (!err && fgets(line, sizeof(line), f))
		if (parse(line, &map) && strchr(map.perm, 'x') && is_new(m, &map))
			err = put_mapping(m, w, &map, time);
	fclose(f);
	return err;
}
