// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is told of mappings that are looked at again and again: those that are not as they were,
 * from the last look on. Of what took the place of other code nothing is known in between.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/lib/sideband/maps.h"
#include "selftests/kit/kit.h"

#define PAGE	4096
#define HERE	((char *)0x10000000)

static char names[2][32];

struct told {
	uint64_t time, addr, len, pgoff;
	char name[32];
};

static struct softpt_perf_writer *writer;
static int files[2], out;
static size_t seen;

static void open_all(void)
{
	static struct softpt_config cfg;
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	char path[] = "/tmp/softpt-maps-XXXXXX";
	int i;

	softpt_config_init(&cfg);
	out = mkstemp(path);
	unlink(path);
	for (i = 0; i < 2; i++) {
		snprintf(names[i], sizeof(names[i]), "/tmp/softpt-maps-%d-%d", i, (int)getpid());
		files[i] = open(names[i], O_RDWR | O_CREAT, 0600);
		if (files[i] < 0 || ftruncate(files[i], 2 * PAGE))
			kit_bail("a temporary file");
	}
	if (out < 0 || softpt_perf_writer_new(&writer, out, &setup))
		kit_bail("a file to write to");
}

/* One page of a file, or two */
static void map(int file, int page, int pages, int at)
{
	if (mmap(HERE + at * PAGE, pages * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
		 files[file], page * PAGE) == MAP_FAILED)
		kit_bail("mmap");
}

/* Records of these addresses that are new in the file. Return: how many, the first few in @to */
static size_t read_back(struct told *to, size_t most)
{
	size_t size = lseek(out, 0, SEEK_END), i, n = 0;
	struct softpt_perf_record rec;
	struct softpt_perf_map m;
	struct softpt_perf *perf;
	void *buf = malloc(size);

	if (!buf || pread(out, buf, size, 0) != (ssize_t)size ||
	    softpt_perf_open(&perf, buf, size, NULL))
		kit_bail("reading back");
	for (i = seen; softpt_perf_record(perf, i, &rec); i++) {
		if (!softpt_perf_map_of(&rec, &m) || m.addr - (uintptr_t)HERE > 8 * PAGE)
			continue;
		if (n < most) {
			to[n] = (struct told){ rec.id.time, m.addr, m.len, m.pgoff, "" };
			snprintf(to[n].name, sizeof(to[n].name), "%s", m.name);
		}
		n++;
	}
	seen = i;
	softpt_perf_free(perf);
	free(buf);
	return n;
}

static bool is(const struct told *t, uint64_t time, int at, int pages, int page, const char *name)
{
	bool same = t->time == time && t->addr == (uintptr_t)HERE + at * PAGE &&
		    t->len == (uint64_t)pages * PAGE && t->pgoff == (uint64_t)page * PAGE &&
		    !strcmp(t->name, name);

	if (!same)
		kit_note("time %lu addr %#lx len %#lx pgoff %#lx %s", (long)t->time, (long)t->addr,
			 (long)t->len, (long)t->pgoff, t->name);
	return same;
}

static size_t look(struct maps *m, uint64_t before, uint64_t now, struct told *t)
{
	if (maps_drain(m, writer, before, now))
		kit_bail("maps_drain()");
	return read_back(t, 4);
}

int main(void)
{
	struct told t[4];
	struct maps *m;

	open_all();
	m = maps_open(getpid(), true);
	map(0, 0, 2, 0);
	kit_ok(look(m, 1, 2, t) == 1 && is(t, 1, 0, 2, 0, names[0]), "the first, from before");
	kit_ok(!look(m, 2, 3, t), "once");
	map(1, 0, 2, 0);
	kit_ok(look(m, 3, 4, t) == 2 && is(t, 3, 0, 2, 0, "//anon") &&
	       is(t + 1, 4, 0, 2, 0, names[1]), "another one over it: nothing is known before");
	map(0, 0, 2, 0);
	kit_ok(look(m, 5, 5, t) == 1 && is(t, 5, 0, 2, 0, names[0]),
	       "the first one again, at a moment that is known");
	munmap(HERE, 2 * PAGE);
	kit_ok(!look(m, 6, 7, t), "none");
	map(0, 0, 2, 0);
	kit_ok(look(m, 7, 8, t) == 1 && is(t, 7, 0, 2, 0, names[0]), "the same where none was");
	map(1, 1, 1, 0);
	kit_ok(look(m, 9, 9, t) == 2 && is(t, 9, 0, 1, 1, names[1]) &&
	       is(t + 1, 9, 1, 1, 1, names[0]), "over the half of it");
	if (mremap(HERE + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, HERE + 4 * PAGE) ==
	    MAP_FAILED)
		kit_bail("mremap");
	kit_ok(look(m, 10, 10, t) == 1 && is(t, 10, 4, 1, 1, names[0]), "moved");
	maps_close(m);
	softpt_perf_writer_end(writer);
	unlink(names[0]);
	unlink(names[1]);
	return kit_done();
}
