// SPDX-License-Identifier: BSD-2-Clause
/* Names of code that was made */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/names/perfmap.h"
#include "selftests/kit/file.h"
#include "selftests/kit/kit.h"

static const char text[] =
	"1000 20 first\n"
	"1020 10 JS:*with blanks file.js:1:2\n"
	"1008 8 newer\n"
	"0x2000 10\tprefixed\n"
	"3000 1000 wide\n"
	"3100 10 within\n"
	"3100 10 within, newer\n"
	"\n"
	"4000\n"
	"4000 10\n"
	"4000 10\t\n"
	"4000 0 empty\n"
	"-1 10 negative\n"
	"x 10 no number\n"
	"4000 y no number\n"
	"fffffffffffffff0 20 beyond the end\n"
	"10000000000000000 10 too large\n"
	"5000 10 last";

static const struct {
	uint64_t addr, start;
	const char *name;
} rows[] = {
	{ 0xfff, 0, NULL },
	{ 0x1000, 0x1000, "first" },
	{ 0x1007, 0x1000, "first" },
	{ 0x1008, 0x1008, "newer" },
	{ 0x100f, 0x1008, "newer" },
	{ 0x1010, 0x1000, "first" },
	{ 0x1020, 0x1020, "JS:*with blanks file.js:1:2" },
	{ 0x1030, 0, NULL },
	{ 0x2004, 0x2000, "prefixed" },
	{ 0x3000, 0x3000, "wide" },
	{ 0x3105, 0x3100, "within, newer" },
	{ 0x3fff, 0x3000, "wide" },
	{ 0x4000, 0, NULL },
	{ 0x500f, 0x5000, "last" },
	{ 0, 0, NULL },
	{ UINT64_MAX, 0, NULL },
};

static void read_from(struct perfmap *map, const void *bytes, size_t len)
{
	struct file f;

	file_of(&f, bytes, len);
	perfmap_read(map, f.path);
	file_close(&f);
}

static void test_rows(void)
{
	struct perfmap map;
	const char *name;
	uint64_t start;
	size_t i;

	read_from(&map, text, strlen(text));
	kit_ok(map.n == 8, "%zu rows", map.n);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start = 0;
		name = perfmap_find(&map, rows[i].addr, &start);
		kit_ok(name && rows[i].name ? !strcmp(name, rows[i].name) : name == rows[i].name,
		       "%#llx: %s", (unsigned long long)rows[i].addr, name ? name : "nothing");
		kit_ok(start == rows[i].start, "from %#llx on", (unsigned long long)start);
	}
	perfmap_free(&map);
}

/* Bytes in a row without any sense; and none */
static void test_hostile(void)
{
	uint8_t bytes[4096];
	struct perfmap map;
	uint64_t seed = 1, start;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = "0f\n \tx\0-"[kit_random(&seed) % 8];
	read_from(&map, bytes, sizeof(bytes));
	for (i = 0; i < 256; i++)
		perfmap_find(&map, i, &start);
	kit_ok(true, "%zu rows of bytes at random", map.n);
	perfmap_free(&map);
	read_from(&map, "", 0);
	kit_ok(!map.n && !perfmap_find(&map, 0, &start), "an empty file");
	perfmap_free(&map);
}

static void test_refused(void)
{
	struct perfmap map;
	uint64_t start;

	perfmap_read(&map, "/nonexistent");
	kit_ok(!perfmap_find(&map, 0, &start), "no file");
	perfmap_free(&map);
	perfmap_read(&map, "/tmp");
	kit_ok(!perfmap_find(&map, 0, &start), "a folder");
	perfmap_free(&map);
}

int main(void)
{
	test_rows();
	test_hostile();
	test_refused();
	return kit_done();
}
