// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program maps, where perf events are refused: /proc/PID/maps is read again and
 * again, and what is not as it was at the last look is told. A mapping that comes and goes in
 * between is missed.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "sideband/maps.h"

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
	unsigned int major, minor;
};

struct look {
	struct seen *seen;
	size_t n;
	size_t alloc;
};

struct maps {
	pid_t pid;
	bool runs;		/* the first name is no exec's */
	char comm[16];
	struct look last, now;
};

struct maps *maps_open(pid_t pid, bool runs)
{
	struct maps *m = calloc(1, sizeof(*m));

	if (m) {
		m->pid = pid;
		m->runs = runs;
	}
	return m;
}

void maps_close(struct maps *m)
{
	if (!m)
		return;
	free(m->last.seen);
	free(m->now.seen);
	free(m);
}

static int keep(struct look *look, const struct mapping *map)
{
	struct seen *more;

	if (look->n == look->alloc) {
		more = reallocarray(look->seen, look->alloc + 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		look->seen = more;
		look->alloc += 64;
	}
	look->seen[look->n++] = (struct seen){
		map->from, map->to, map->offset, map->inode, map->major, map->minor,
	};
	return 0;
}

/* Return: whether it was there at the last look; @hides: whether something else was */
static bool was_there(const struct maps *m, const struct mapping *map, bool *hides)
{
	const struct look *last = &m->last;
	size_t i;

	*hides = false;
	for (i = 0; i < last->n; i++) {
		const struct seen *s = &last->seen[i];

		if (s->from == map->from && s->to == map->to && s->offset == map->offset &&
		    s->inode == map->inode && s->major == map->major && s->minor == map->minor)
			return true;
		*hides |= map->from < s->to && s->from < map->to;
	}
	return false;
}

static void put_id(pid_t pid, pid_t tid, void *to, uint64_t time)
{
	const struct softpt_perf_id id = { .pid = pid, .tid = tid, .time = time };

	memcpy(to, &id, sizeof(id));
}

static int put_mapping(const struct maps *m, struct softpt_perf_writer *w,
		       const struct mapping *map, uint64_t time)
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
	put_id(m->pid, m->pid, rec.name + len, time);
	rec.header.size = rec.name + len + sizeof(struct softpt_perf_id) - (char *)&rec;
	return softpt_perf_writer_record(w, &rec.header);
}

int comm_put(struct softpt_perf_writer *w, pid_t pid, pid_t tid, const char *comm, bool exec,
	     uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		struct softpt_perf_id id;
	} rec = {
		.header = {
			.type = PERF_RECORD_COMM,
			.misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			.size = sizeof(rec),
		},
		.pid = pid, .tid = tid,
	};

	snprintf(rec.comm, sizeof(rec.comm), "%s", comm);
	put_id(pid, tid, &rec.id, time);
	return softpt_perf_writer_record(w, &rec.header);
}

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

bool comm_read(pid_t tid, char comm[16])
{
	FILE *f = open_proc(tid, "comm");
	bool good;

	if (!f)
		return false;
	good = fgets(comm, 16, f);
	fclose(f);
	if (good)
		comm[strcspn(comm, "\n")] = '\0';
	return good && *comm;
}

/*
 * A new name means that it has exec'ed, or chosen one. Mappings before an exec don't count
 * behind it, so they are told again.
 */
static int drain_comm(struct maps *m, struct softpt_perf_writer *w, uint64_t time)
{
	bool exec = !m->runs || *m->comm;
	char comm[16];

	if (!comm_read(m->pid, comm) || !strcmp(comm, m->comm))
		return 0;
	strcpy(m->comm, comm);
	m->last.n = 0;
	return comm_put(w, m->pid, m->pid, m->comm, exec, time);
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

/*
 * When it came is not known, but that it was after the last look. From then on nothing is known of
 * what it hides, and it is known from now on. What hides nothing can't be taken for anything else.
 */
static int tell(const struct maps *m, struct softpt_perf_writer *w, const struct mapping *map,
		uint64_t before, uint64_t now)
{
	struct mapping unknown = { .from = map->from, .to = map->to, .name = "//anon" };
	bool hides;
	int err;

	if (was_there(m, map, &hides))
		return 0;
	if (!hides || before == now)
		return put_mapping(m, w, map, before);
	err = put_mapping(m, w, &unknown, before);
	return err ? err : put_mapping(m, w, map, now);
}

/* Of a process that is gone the file is empty. */
static void remember(struct maps *m)
{
	struct look last = m->last;

	if (!m->now.n)
		return;
	m->last = m->now;
	m->now = last;
	m->now.n = 0;
}

int maps_drain(struct maps *m, struct softpt_perf_writer *w, uint64_t before, uint64_t now)
{
	int err = drain_comm(m, w, before);
	char line[PATH_MAX + 128];
	struct mapping map;
	FILE *f = open_proc(m->pid, "maps");

	if (!f)
		return err;
	m->now.n = 0;
	while (!err && fgets(line, sizeof(line), f)) {
		if (!parse(line, &map) || !strchr(map.perm, 'x'))
			continue;
		err = tell(m, w, &map, before, now);
		if (!err)
			err = keep(&m->now, &map);
	}
	fclose(f);
	remember(m);
	return err;
}
