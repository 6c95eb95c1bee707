// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

static bool is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == geteuid());
}

/* It may grow meanwhile: what was there at first is read. */
static char *read_text(int fd, size_t size)
{
	char *text = malloc(size + 1);
	size_t n = 0;
	ssize_t got = 1;

	while (text && n < size && got) {
		got = read(fd, text + n, size - n);
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? got : 0;
	}
	if (text)
		text[n] = '\0';
	return text;
}

/* A number in hex and the blanks behind it. Return: false: it is none */
static bool take_number(char **at, uint64_t *value)
{
	char *end;

	if (strchr("+- \t", **at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 16);
	if (errno || end == *at || (*end != ' ' && *end != '\t'))
		return false;
	*at = end + strspn(end, " \t");
	return true;
}

static bool take_row(char *line, struct perfmap_row *row)
{
	if (!take_number(&line, &row->from) || !take_number(&line, &row->size))
		return false;
	row->name = line;
	return *line && row->size && row->from + row->size > row->from;
}

static void take_rows(struct perfmap *map)
{
	char *line = map->text, *end;

	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (take_row(line, &map->row[map->n])) {
			map->row[map->n].order = map->n;
			map->n++;
		}
	}
}

static int by_address(const void *a, const void *b)
{
	const struct perfmap_row *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void perfmap_sort(struct perfmap *map)
{
	uint64_t reach = 0;
	size_t i;

	if (!map->n)
		return;
	qsort(map->row, map->n, sizeof(*map->row), by_address);
	for (i = 0; i < map->n; i++) {
		if (reach < map->row[i].from + map->row[i].size)
			reach = map->row[i].from + map->row[i].size;
		map->row[i].reach = reach;
	}
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

int perfmap_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && is_ours(&st)))
		return fd;
	close(fd);
	return -1;
}

void perfmap_read(struct perfmap *map, const char *path)
{
	int fd = perfmap_open(path);
	struct stat st;

	*map = (struct perfmap){ 0 };
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		map->text = read_text(fd, st.st_size);
	close(fd);
	if (map->text)
		map->row = calloc(count_lines(map->text), sizeof(*map->row));
	if (!map->row)
		return;
	take_rows(map);
	perfmap_sort(map);
}

void perfmap_free(struct perfmap *map)
{
	free(map->text);
	free(map->row);
}

/* ---- finding ---- */

/* How many rows begin at @addr or before it */
static size_t rows_to(const struct perfmap *map, uint64_t addr)
{
	size_t low = 0, high = map->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (map->row[mid].from <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *perfmap_find(const struct perfmap *map, uint64_t addr, uint64_t *start)
{
	const struct perfmap_row *found = NULL, *row;
	size_t i;

	for (i = rows_to(map, addr); i-- > 0 && map->row[i].reach > addr;) {
		row = &map->row[i];
		if (addr - row->from < row->size && (!found || row->order > found->order))
			found = row;
	}
	if (found)
		*start = found->from;
	return found ? found->name : NULL;
}
