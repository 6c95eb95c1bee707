// SPDX-License-Identifier: BSD-2-Clause
/* Names of code that was made, in a jit-PID.dump */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/names/jitdump.h"
#include "selftests/kit/file.h"
#include "selftests/kit/kit.h"

#define MAGIC	0x4a695444

/* A file that is made */
struct dump {
	uint8_t bytes[32768];
	size_t len;
};

static void put(struct dump *f, const void *bytes, size_t len)
{
	memcpy(f->bytes + f->len, bytes, len);
	f->len += len;
}

static void put32(struct dump *f, uint32_t v)
{
	put(f, &v, sizeof(v));
}

static void put64(struct dump *f, uint64_t v)
{
	put(f, &v, sizeof(v));
}

static void begin(struct dump *f, uint32_t magic, uint32_t version)
{
	f->len = 0;
	put32(f, magic);
	put32(f, version);
	put32(f, 40);
	put(f, (uint8_t[28]){ 0 }, 28);
}

static void prefix(struct dump *f, uint32_t id, size_t size)
{
	put32(f, id);
	put32(f, 16 + size);
	put64(f, 0);
}

static void load(struct dump *f, uint64_t addr, uint64_t size, uint64_t number, const char *name)
{
	prefix(f, 0, 40 + strlen(name) + 1 + 8);
	put64(f, 0);
	put64(f, addr);
	put64(f, addr);
	put64(f, size);
	put64(f, number);
	put(f, name, strlen(name) + 1);
	put64(f, 0x9090909090909090);
}

static void move(struct dump *f, uint64_t from, uint64_t to, uint64_t size, uint64_t number)
{
	prefix(f, 1, 48);
	put64(f, 0);
	put64(f, to);
	put64(f, from);
	put64(f, to);
	put64(f, size);
	put64(f, number);
}

/* What a compiler would write, and some that it would not */
static void make(struct dump *f)
{
	char longer[6000];

	begin(f, MAGIC, 1);
	load(f, 0x1000, 0x20, 1, "first");
	load(f, 0x1040, 0x10, 2, "with blanks: file.js:1");
	prefix(f, 2, 24);				/* of lines */
	put(f, (uint8_t[24]){ 0 }, 24);
	load(f, 0x1010, 0x10, 3, "newer");
	move(f, 0x1040, 0x2000, 0x10, 2);
	move(f, 0x2000, 0x3000, 0x10, 2);
	move(f, 0x9000, 0x4000, 0x10, 99);		/* of what was never loaded */
	load(f, 0x5000, 0, 4, "empty");
	load(f, UINT64_MAX - 8, 0x20, 5, "beyond the end");
	load(f, 0x5000, 0x10, 6, "");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	load(f, 0x6000, 0x10, 7, longer);
	load(f, 0x7000, 0x10, 8, "last");
	prefix(f, 3, 0);
	load(f, 0x8000, 0x10, 9, "behind the end");
}

static const struct {
	uint64_t addr, start;
	const char *name;
} rows[] = {
	{ 0xfff, 0, NULL },
	{ 0x1000, 0x1000, "first" },
	{ 0x100f, 0x1000, "first" },
	{ 0x1010, 0x1010, "newer" },
	{ 0x1020, 0, NULL },
	{ 0x104f, 0x1040, "with blanks: file.js:1" },
	{ 0x2008, 0x2000, "with blanks: file.js:1" },
	{ 0x3000, 0x3000, "with blanks: file.js:1" },
	{ 0x4000, 0, NULL },
	{ 0x5000, 0, NULL },
	{ 0x700f, 0x7000, "last" },
	{ 0x8000, 0, NULL },
	{ UINT64_MAX, 0, NULL },
};

static void read_from(struct perfmap *map, const void *bytes, size_t len)
{
	struct file f;

	file_of(&f, bytes, len);
	jitdump_read(map, f.path);
	file_close(&f);
}

static void test_rows(const struct dump *f)
{
	struct perfmap map;
	const char *name;
	uint64_t start;
	size_t i;

	read_from(&map, f->bytes, f->len);
	kit_ok(map.n == 7, "%zu rows", map.n);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start = 0;
		name = perfmap_find(&map, rows[i].addr, &start);
		kit_ok(start == rows[i].start &&
		       (name && rows[i].name ? !strcmp(name, rows[i].name) : name == rows[i].name),
		       "%#llx: %s", (unsigned long long)rows[i].addr, name ? name : "nothing");
	}
	name = perfmap_find(&map, 0x6000, &start);
	kit_ok(name && strlen(name) == 4096, "a name that is too long is cut");
	perfmap_free(&map);
}

/* All that is found in a file. Return: how many rows it has */
static size_t use(const uint8_t *bytes, size_t len)
{
	struct perfmap map;
	uint64_t start;
	size_t i, n;

	read_from(&map, bytes, len);
	n = map.n;
	for (i = 0; i < n; i++) {
		const char *name = perfmap_find(&map, map.row[i].from, &start);

		n += name && strlen(name) > 4096 ? SIZE_MAX / 2 : 0;
	}
	perfmap_free(&map);
	return n;
}

static void test_hostile(const struct dump *f)
{
	size_t i, k, n, last = 0, bad = 0;
	uint8_t bytes[sizeof(f->bytes)];
	uint64_t seed = 1;

	for (i = 0; i <= f->len; i += i < 400 ? 1 : 97) {
		n = use(f->bytes, i);
		bad += n < last || n > 7;
		last = n;
	}
	kit_ok(!bad && last == 7, "cut to many lengths: what is there is read");
	for (i = 0; i < 2000; i++) {
		memcpy(bytes, f->bytes, f->len);
		for (k = 0; k <= i % 4; k++)
			bytes[kit_random(&seed) % 700] = kit_random(&seed);
		bad += use(bytes, f->len) > 16;
	}
	kit_ok(!bad, "2000 damaged files");
}

static void test_refused(struct dump *f)
{
	struct perfmap map;
	uint64_t start;

	begin(f, __builtin_bswap32(MAGIC), 1);
	load(f, 0x1000, 0x20, 1, "first");
	kit_ok(!use(f->bytes, f->len), "the other byte order");
	begin(f, MAGIC, 2);
	load(f, 0x1000, 0x20, 1, "first");
	kit_ok(!use(f->bytes, f->len), "another version");
	kit_ok(!use(f->bytes, 0), "an empty file");
	jitdump_read(&map, "/nonexistent");
	kit_ok(!perfmap_find(&map, 0, &start), "no file");
	perfmap_free(&map);
	jitdump_read(&map, "/tmp");
	kit_ok(!perfmap_find(&map, 0, &start), "a folder");
	perfmap_free(&map);
}

static void test_names(void)
{
	kit_ok(jitdump_named("/tmp/jit-123.dump") && jitdump_named("jit-0.dump"), "names of dumps");
	kit_ok(!jitdump_named("/tmp/jit-.dump") && !jitdump_named("/tmp/jit-1x.dump") &&
	       !jitdump_named("/jit-1.dump/x") && !jitdump_named("/tmp/jit-1.dumps") &&
	       !jitdump_named("/tmp/xjit-1.dump") && !jitdump_named(""), "names of others");
}

int main(void)
{
	static struct dump f;

	make(&f);
	test_rows(&f);
	test_hostile(&f);
	test_refused(&f);
	test_names();
	return kit_done();
}
