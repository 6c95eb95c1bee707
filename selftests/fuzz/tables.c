// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: tables of any bytes. The first byte says of what: of true times, or of retired
 * instructions. Written and read again they are the same.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/lib/retire/text.h"
#include "userspace/lib/truth/file.h"
#include "fuzz.h"

#define NAME	32

/* Return: a file of these bytes, or -1; @name: where it is */
static int file_of(const void *data, size_t size, char name[NAME])
{
	int fd = memfd_create("table", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	snprintf(name, NAME, "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -1;
}

/* What is written becomes a file. */
struct text {
	FILE *to;
	char *bytes;
	size_t len;
};

static bool text_begin(struct text *t)
{
	t->to = open_memstream(&t->bytes, &t->len);
	return t->to;
}

static int text_end(struct text *t, char name[NAME])
{
	int fd;

	fclose(t->to);
	fd = file_of(t->bytes, t->len, name);
	free(t->bytes);
	return fd;
}

static bool same_row(const struct truth_row *a, const struct truth_row *b)
{
	return a->event == b->event && a->tsc == b->tsc && a->cycles == b->cycles &&
	       a->kind == b->kind && a->known == b->known && a->flags == b->flags &&
	       a->event_kind == b->event_kind;
}

static bool same_rows(const struct truth_rows *a, const struct truth_rows *b)
{
	size_t i;

	if (!b || a->cpu != b->cpu || a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (!same_row(&a->v[i], &b->v[i]))
			return false;
	return true;
}

/* Written once more, CPU by CPU. Return: a file, or -1 */
static int write_truth(const struct truth_file *truth, char name[NAME])
{
	struct text text;
	unsigned int i;
	size_t k;

	if (!text_begin(&text))
		return -1;
	truth_file_begin(text.to);
	for (i = 0; i < truth->nr; i++)
		for (k = 0; k < truth->cpus[i].n; k++)
			truth_file_put(text.to, truth->cpus[i].cpu, &truth->cpus[i].v[k]);
	return text_end(&text, name);
}

/* Only a recording's has all that is written. */
static void read_truth(const char *name)
{
	struct truth_file first, again;
	char copy[NAME];
	unsigned int i;
	int fd = -1;

	if (!truth_file_read(&first, name, NULL) && truth_file_is(name))
		fd = write_truth(&first, copy);
	if (fd >= 0) {
		if (truth_file_read(&again, copy, NULL) || first.nr != again.nr)
			abort();
		for (i = 0; i < first.nr; i++)
			if (!same_rows(&first.cpus[i], truth_file_rows(&again, first.cpus[i].cpu)))
				abort();
		truth_file_free(&again);
		close(fd);
	}
	truth_file_free(&first);
}

static bool same_ear(const struct ear_file *a, const struct ear_file *b)
{
	return a->frozen.n == b->frozen.n && a->has_pipeline == b->has_pipeline &&
	       !memcmp(&a->frozen.pipeline, &b->frozen.pipeline, sizeof(a->frozen.pipeline)) &&
	       (!a->frozen.n ||
		!memcmp(a->record, b->record, a->frozen.n * sizeof(*a->record)));
}

static int write_ear(const struct ear_file *ear, char name[NAME])
{
	struct text text;

	if (!text_begin(&text))
		return -1;
	ear_write(text.to, &ear->frozen);
	return text_end(&text, name);
}

/* Without a pipeline there is less than what is written. */
static void read_ear(const char *name)
{
	struct ear_file first, again;
	char copy[NAME];
	int fd;

	if (ear_read(&first, name, NULL))
		return;
	fd = first.has_pipeline ? write_ear(&first, copy) : -1;
	if (fd >= 0) {
		if (ear_read(&again, copy, NULL) || !same_ear(&first, &again))
			abort();
		ear_free(&again);
		close(fd);
	}
	ear_free(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[NAME];
	int fd;

	if (!size)
		return 0;
	fd = file_of(data + 1, size - 1, name);
	if (fd < 0)
		return 0;
	if (*data & 1)
		read_truth(name);
	else
		read_ear(name);
	close(fd);
	return 0;
}
