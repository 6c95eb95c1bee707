// SPDX-License-Identifier: BSD-2-Clause
/* Truth as CSV, written and read */
#include "truth/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "events/text.h"

#define SIM_HEADER	"event,kind,tsc,cycles"
#define HEADER		SIM_HEADER ",cpu,from"
#define FIELDS		6

/* Before the keyword of what has ended: no event of its own */
#define END		"end:"

int truth_file_name(char *name, size_t size, const char *path)
{
	int len = snprintf(name, size, "%s.truth", path);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

bool truth_file_is(const char *name)
{
	char line[sizeof(HEADER "\n")];
	FILE *f = fopen(name, "re");
	bool is;

	if (!f)
		return false;
	is = fgets(line, sizeof(line), f) && !strcmp(line, HEADER "\n");
	fclose(f);
	return is;
}

int truth_file_begin(FILE *to)
{
	return fputs(HEADER "\n", to) < 0 ? -errno : 0;
}

int truth_file_put(FILE *to, int cpu, const struct truth_row *row)
{
	const char *kind = softpt_record_kind_name(row->kind);
	int n;

	if (row->known)
		n = fprintf(to, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%d,%s%s\n", row->event,
			    kind, row->tsc, row->cycles, cpu,
			    row->flags & SOFTPT_TRUTH_END ? END : "",
			    event_keyword(row->event_kind));
	else
		n = fprintf(to, ",%s,,,%d,\n", kind, cpu);
	return n < 0 ? -errno : 0;
}

/* ---- reading ---- */

static int kind_of(const char *name)
{
	int i;

	for (i = 0; i < SOFTPT_REC_NR; i++)
		if (!strcmp(softpt_record_kind_name(i), name))
			return i;
	return -1;
}

/* Cut a line at its commas. Return: how many fields */
static unsigned int split(char *line, char *field[FIELDS])
{
	unsigned int n = 0;
	char *p = line;

	line[strcspn(line, "\r\n")] = '\0';
	while (p && n < FIELDS) {
		field[n++] = p;
		p = strchr(p, ',');
		if (p)
			*p++ = '\0';
	}
	return p ? FIELDS + 1 : n;
}

/* @row: its kind is set; "" and "" and "": nothing else is known */
static bool read_times(struct truth_row *row, char *const field[FIELDS])
{
	if (!*field[0] && !*field[2] && !*field[3])
		return true;
	row->known = true;
	return softpt_number_within(field[0], 0, UINT64_MAX, &row->event) &&
	       softpt_number_within(field[2], 0, UINT64_MAX, &row->tsc) &&
	       softpt_number_within(field[3], 0, UINT64_MAX, &row->cycles);
}

/* What event a row is from, where the file says it */
static bool read_from(struct truth_row *row, const char *from)
{
	bool end = !strncmp(from, END, strlen(END));
	int kind = event_keyword_find(end ? from + strlen(END) : from);

	if (!*from)
		return !row->known;
	row->event_kind = kind;
	row->flags = end ? SOFTPT_TRUTH_END : 0;
	return kind >= 0 && row->known;
}

static bool read_row(struct truth_row *row, int *cpu, char *line, unsigned int fields)
{
	char *field[FIELDS];
	uint64_t number;
	int kind;

	*row = (struct truth_row){ .event_kind = SOFTPT_EV_NR };
	*cpu = -1;
	if (split(line, field) != fields)
		return false;
	kind = kind_of(field[1]);
	row->kind = kind;
	if (kind < 0 || !read_times(row, field))
		return false;
	if (fields < FIELDS)
		return row->known;
	if (!softpt_number_within(field[4], 0, INT32_MAX, &number))
		return false;
	*cpu = number;
	return read_from(row, field[5]);
}

static struct truth_rows *rows_of(struct truth_file *t, int cpu)
{
	struct truth_rows *cpus;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->cpus[i].cpu == cpu)
			return &t->cpus[i];
	cpus = reallocarray(t->cpus, t->nr + 1, sizeof(*cpus));
	if (!cpus)
		return NULL;
	t->cpus = cpus;
	cpus[t->nr] = (struct truth_rows){ .cpu = cpu };
	return &cpus[t->nr++];
}

static int add(struct truth_file *t, int cpu, const struct truth_row *row)
{
	struct truth_rows *rows = rows_of(t, cpu);

	if (rows && rows->n == rows->alloc) {
		size_t alloc = rows->alloc ? rows->alloc * 2 : 1024;
		struct truth_row *v = reallocarray(rows->v, alloc, sizeof(*v));

		if (!v)
			rows = NULL;
		else
			*rows = (struct truth_rows){ cpu, v, rows->n, alloc };
	}
	if (!rows)
		return -ENOMEM;
	rows->v[rows->n++] = *row;
	return 0;
}

static int read_rows(struct truth_file *t, struct lines *l)
{
	unsigned int fields = 0;
	struct truth_row row;
	int more = lines_next(l), cpu;

	if (more > 0)
		fields = !strcmp(l->text, HEADER) ? FIELDS : !strcmp(l->text, SIM_HEADER) ? 4 : 0;
	if (more >= 0 && !fields)
		return error_set(&l->error, -EINVAL,
				 "no truth: it does not begin with " SIM_HEADER);
	while (more > 0 && (more = lines_next(l)) > 0) {
		if (!read_row(&row, &cpu, l->text, fields))
			return lines_bad(l, "no row of truth");
		if (add(t, cpu, &row))
			return error_set_errno(&l->error, -ENOMEM);
	}
	return more;
}

int truth_file_read(struct truth_file *t, const char *path, struct error *e)
{
	struct lines lines;
	int err = lines_open(&lines, path);

	*t = (struct truth_file){ 0 };
	if (!err) {
		err = read_rows(t, &lines);
		lines_close(&lines);
	}
	if (err && e)
		*e = lines.error;
	return err;
}

void truth_file_free(struct truth_file *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		free(t->cpus[i].v);
	free(t->cpus);
	*t = (struct truth_file){ 0 };
}

const struct truth_rows *truth_file_rows(const struct truth_file *t, int cpu)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->cpus[i].cpu == cpu)
			return &t->cpus[i];
	return t->nr == 1 && (cpu < 0 || t->cpus[0].cpu < 0) ? &t->cpus[0] : NULL;
}

const char *truth_of_cpu(char of[TRUTH_OF_CPU], int cpu)
{
	of[0] = 0;
	if (cpu >= 0)
		snprintf(of, TRUTH_OF_CPU, " of CPU %d", cpu);
	return of;
}

int truth_file_find(const struct truth_file *t, int cpu, const struct truth_rows **rows,
		    struct error *e)
{
	char of[TRUTH_OF_CPU];

	*rows = truth_file_rows(t, cpu);
	return *rows ? 0 : error_set(e, -ENOENT, "no row%s", truth_of_cpu(of, cpu));
}
