// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/jitdump.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

#define MAGIC		0x4a695444	/* "JiTD" */
#define VERSION		1
#define NAME_MOST	4096		/* bytes of a name that are kept */

/* As the specification has them */
struct header {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t machine;
	uint32_t pad;
	uint32_t pid;
	uint64_t time;
	uint64_t flags;
};

enum { LOAD, MOVE, DEBUG_INFO, CLOSE };

struct prefix {
	uint32_t id;
	uint32_t size;
	uint64_t time;
};

/* A name and the code follow. */
struct load {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t addr;
	uint64_t size;
	uint64_t number;
};

struct move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t to;
	uint64_t size;
	uint64_t number;
};

/* A row that is made, and the number of its code. Its name is @at in the text. */
struct made {
	uint64_t from;
	uint64_t size;
	uint64_t number;
	size_t at;
	bool moved;	/* it has no name yet */
};

struct dump {
	FILE *file;
	FILE *text;
	char *names;
	size_t len;
	struct made *made;
	size_t n;
};

bool jitdump_named(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4) || !isdigit((unsigned char)name[4]))
		return false;
	return !strcmp(name + 4 + strspn(name + 4, "0123456789"), ".dump");
}

/* ---- reading ---- */

static bool add(struct dump *d, const struct made *made)
{
	struct made *more;

	if (!made->size || made->from + made->size < made->from)
		return true;
	more = array_more(d->made, d->n, sizeof(*more));
	if (!more)
		return false;
	d->made = more;
	d->made[d->n++] = *made;
	return true;
}

static bool read_load(struct dump *d, uint32_t size)
{
	char name[NAME_MOST];
	struct made made;
	struct load load;
	size_t most, got, n;

	if (size < sizeof(load) || fread(&load, sizeof(load), 1, d->file) != 1)
		return false;
	size -= sizeof(load);
	most = size < sizeof(name) ? size : sizeof(name);
	got = fread(name, 1, most, d->file);
	n = strnlen(name, got);
	if (n == got && got < sizeof(name))
		return false;
	made = (struct made){ load.addr, load.size, load.number, ftello(d->text), false };
	if (!n)
		return true;
	if (fwrite(name, 1, n, d->text) != n || fputc('\0', d->text) == EOF)
		return false;
	return add(d, &made);
}

static bool read_move(struct dump *d, uint32_t size)
{
	struct move move;

	if (size < sizeof(move) || fread(&move, sizeof(move), 1, d->file) != 1)
		return false;
	return add(d, &(struct made){ move.to, move.size, move.number, 0, true });
}

/* Return: false: it is the last, or damaged */
static bool read_record(struct dump *d, off_t *at)
{
	struct prefix p;
	uint32_t size;

	if (fseeko(d->file, *at, SEEK_SET) || fread(&p, sizeof(p), 1, d->file) != 1 ||
	    p.size < sizeof(p) || p.id == CLOSE)
		return false;
	*at += p.size;
	size = p.size - sizeof(p);
	if (p.id == LOAD)
		return read_load(d, size);
	return p.id != MOVE || read_move(d, size);
}

static void read_records(struct dump *d)
{
	struct header h;
	off_t at;

	if (fread(&h, sizeof(h), 1, d->file) != 1 || h.magic != MAGIC || h.version != VERSION ||
	    h.size < sizeof(h))
		return;
	at = h.size;
	while (read_record(d, &at))
		;
}

/* ---- rows ---- */

static int by_number(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Code that has moved is called what it was. Return: NULL: such code was never loaded */
static const struct made *loaded(const struct made *sorted, size_t n, const struct made *made)
{
	return made->moved ? bsearch(made, sorted, n, sizeof(*sorted), by_number) : made;
}

static void make_rows(const struct dump *d, struct perfmap *map)
{
	struct made *sorted = calloc(d->n + 1, sizeof(*sorted));
	const struct made *made;
	size_t i, n = 0;

	map->row = calloc(d->n + 1, sizeof(*map->row));
	for (i = 0; sorted && i < d->n; i++)
		if (!d->made[i].moved)
			sorted[n++] = d->made[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_number);
	for (i = 0; sorted && map->row && i < d->n; i++) {
		made = loaded(sorted, n, &d->made[i]);
		if (made)
			map->row[map->n++] = (struct perfmap_row){
				.from = d->made[i].from, .size = d->made[i].size, .order = i,
				.name = map->text + made->at,
			};
	}
	free(sorted);
	perfmap_sort(map);
}

void jitdump_read(struct perfmap *map, const char *path)
{
	int fd = perfmap_open(path);
	struct dump d = { .file = fd < 0 ? NULL : fdopen(fd, "r") };

	*map = (struct perfmap){ 0 };
	if (d.file)
		d.text = open_memstream(&d.names, &d.len);
	if (d.text)
		read_records(&d);
	if (d.text && fclose(d.text))
		d.n = 0;
	map->text = d.names;
	if (d.n)
		make_rows(&d, map);
	free(d.made);
	if (d.file)
		fclose(d.file);
	else if (fd >= 0)
		close(fd);
}
