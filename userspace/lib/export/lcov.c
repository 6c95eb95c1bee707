// SPDX-License-Identifier: BSD-2-Clause
/*
 * Coverage as lcov has it (geninfo(1), "TRACE FILES"): lines, functions and branches of each source
 * file that a program was made of, and how often they were executed. A line is executed as often as
 * that of its instructions that was executed most; in each function that has a copy of it, and
 * these are added.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quote.h"
#include "coverage/coverage.h"
#include "export/export.h"
#include "flow/path.h"
#include "report/index.h"

/* What a source file has, of one function of the program */
struct item {
	uint32_t path;
	int line;
	uint32_t file;		/* of the program, and the function there: copies of a line */
	uint64_t function;
	uint64_t addr;		/* of a branch */
	uint64_t times;
	uint64_t taken;
	const char *name;	/* of a function */
};

struct items {
	struct item *item;
	size_t n;
	size_t room;
};

struct lcov {
	const struct coverage *coverage;
	const struct coverage_file *file;
	uint32_t number;			/* of @file */
	struct source_function function;	/* the last one */
	struct report_index by_path;
	char **path;
	uint32_t paths;
	bool *here;				/* the file can be read */
	struct items lines;
	struct items functions;
	struct items branches;
	FILE *to;
};

/* ---- source files ---- */

static uint64_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ull;	/* FNV-1a */

	while (*text)
		h = (h ^ (uint8_t)*text++) * 0x100000001b3ull;
	return h;
}

static uint32_t add_path(struct lcov *l, const char *path)
{
	char **grown = reallocarray(l->path, l->paths + 1, sizeof(*grown));

	if (!grown)
		return INDEX_NEW;
	l->path = grown;
	grown[l->paths] = strdup(path);
	return grown[l->paths] ? l->paths++ : INDEX_NEW;
}

/* Two names may have one hash: then the second has the next number. Return: INDEX_NEW: no memory */
static uint32_t find_path(struct lcov *l, const char *path)
{
	const uint64_t hash = hash_of(path);
	uint32_t *number;
	uint64_t i;

	for (i = 0;; i++) {
		number = index_at(&l->by_path, hash, i);
		if (!number)
			return INDEX_NEW;
		if (*number == INDEX_NEW)
			return *number = add_path(l, path);
		if (!strcmp(l->path[*number], path))
			return *number;
	}
}

/* ---- what they have ---- */

static bool add(struct lcov *l, struct items *items, const char *path, struct item item)
{
	struct item *grown;

	item.path = find_path(l, path);
	item.file = l->number;
	if (item.path == INDEX_NEW)
		return false;
	if (items->n == items->room) {
		grown = reallocarray(items->item, items->room ? 2 * items->room : 256,
				     sizeof(*grown));
		if (!grown)
			return false;
		items->item = grown;
		items->room = items->room ? 2 * items->room : 256;
	}
	items->item[items->n++] = item;
	return true;
}

static bool take_line(void *ctx, const char *path, int line, uint64_t from, uint64_t to)
{
	struct lcov *l = ctx;
	const struct symbol_place place = { coverage_symbols(l->file), from };

	(void)to;
	if (from < l->function.from || from >= l->function.to)
		source_function_at(&place, &l->function);
	return add(l, &l->lines, path, (struct item){
		.line = line, .function = l->function.from,
		.times = coverage_times(l->file, from),
	});
}

static bool take_branch(struct lcov *l, const struct coverage_insn *insn)
{
	const struct symbol_place place = { coverage_symbols(l->file), insn->addr };
	char path[4096];
	int line;

	if (!source_line(&place, &line, path, sizeof(path)) || line < 1)
		return true;
	return add(l, &l->branches, path, (struct item){
		.line = line, .addr = insn->addr, .times = insn->times, .taken = insn->taken,
	});
}

static bool take_function(void *ctx, const struct source_function *function)
{
	struct lcov *l = ctx;
	const struct symbol_place place = { coverage_symbols(l->file), function->from };
	struct coverage_insn insn;
	struct item item;
	char path[4096];
	uint64_t at;
	int line;

	if (!source_line(&place, &line, path, sizeof(path)) || line < 1)
		return true;
	item = (struct item){
		.line = line, .name = function->name,
		.times = coverage_times(l->file, function->from),
	};
	if (!add(l, &l->functions, path, item))
		return false;
	for (at = function->from; coverage_insn(l->file, at, function->to, &insn); at += insn.size)
		if (insn.conditional && !take_branch(l, &insn))
			return false;
	return true;
}

static int collect(struct lcov *l)
{
	struct symbol_file *symbols;
	size_t i;

	for (i = 0; i < coverage_files(l->coverage); i++) {
		l->file = coverage_file(l->coverage, i);
		l->number = i;
		l->function = (struct source_function){ 0 };
		symbols = coverage_symbols(l->file);
		if (symbols && (!source_lines(symbols, take_line, l) ||
				!source_functions(symbols, take_function, l)))
			return -ENOMEM;
	}
	return 0;
}

/* ---- the file ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_line(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare(x->path, y->path);

	order = order ? order : compare(x->line, y->line);
	order = order ? order : compare(x->file, y->file);
	order = order ? order : compare(x->function, y->function);
	return order ? order : compare(x->addr, y->addr);
}

static void sort(struct items *items)
{
	if (items->n)
		qsort(items->item, items->n, sizeof(*items->item), by_line);
}

static bool is_copy(const struct item *a, const struct item *b)
{
	return a->path == b->path && a->line == b->line && a->file == b->file &&
	       a->function == b->function;
}

/* How often the line of item @i was executed; @i: set to the first item of the next line */
static uint64_t line_times(const struct items *lines, size_t *i)
{
	const struct item *first = &lines->item[*i], *item = first;
	const struct item *const end = lines->item + lines->n;
	uint64_t sum = 0, most = 0;

	for (; item < end && item->path == first->path && item->line == first->line; item++) {
		if (item > first && !is_copy(item - 1, item)) {
			sum += most;
			most = 0;
		}
		if (item->times > most)
			most = item->times;
	}
	*i = item - lines->item;
	return sum + most;
}

static void put_lines(struct lcov *l, size_t i, uint32_t path)
{
	unsigned int found = 0, hit = 0;

	while (i < l->lines.n && l->lines.item[i].path == path) {
		const int line = l->lines.item[i].line;
		const uint64_t times = line_times(&l->lines, &i);

		fprintf(l->to, "DA:%d,%" PRIu64 "\n", line, times);
		found++;
		hit += times > 0;
	}
	fprintf(l->to, "LF:%u\nLH:%u\n", found, hit);
}

/* A name that had an end of line in it would be another row. */
static void put_function(const struct lcov *l, const char *key, uint64_t number, const char *name)
{
	fprintf(l->to, "%s:%" PRIu64 ",", key, number);
	print_plain(l->to, name, SIZE_MAX);
	fputc('\n', l->to);
}

static void put_functions(struct lcov *l, size_t i, uint32_t path)
{
	const struct item *item = l->functions.item;
	unsigned int hit = 0;
	size_t k, end = i;

	for (; end < l->functions.n && item[end].path == path; end++)
		put_function(l, "FN", item[end].line, item[end].name);
	for (k = i; k < end; k++) {
		put_function(l, "FNDA", item[k].times, item[k].name);
		hit += item[k].times > 0;
	}
	fprintf(l->to, "FNF:%zu\nFNH:%u\n", end - i, hit);
}

static void put_branch(struct lcov *l, const struct item *b, unsigned int block, bool taken)
{
	fprintf(l->to, "BRDA:%d,%u,%d,", b->line, block, !taken);
	if (b->times)
		fprintf(l->to, "%" PRIu64 "\n", taken ? b->taken : b->times - b->taken);
	else
		fputs("-\n", l->to);
}

/* Of a branch 0 is the way of the jump, 1 the instruction behind it. */
static void put_branches(struct lcov *l, size_t i, uint32_t path)
{
	const struct item *item = l->branches.item;
	unsigned int block = 0, hit = 0;
	size_t end = i;

	for (; end < l->branches.n && item[end].path == path; end++) {
		block = end > i && item[end].line == item[end - 1].line ? block + 1 : 0;
		put_branch(l, &item[end], block, true);
		put_branch(l, &item[end], block, false);
		hit += (item[end].taken > 0) + (item[end].times > item[end].taken);
	}
	fprintf(l->to, "BRF:%zu\nBRH:%u\n", 2 * (end - i), hit);
}

static size_t next_path(const struct items *items, size_t i, uint32_t path)
{
	while (i < items->n && items->item[i].path == path)
		i++;
	return i;
}

static void put_all(struct lcov *l)
{
	size_t line = 0, function = 0, branch = 0;
	uint32_t path;

	for (path = 0; path < l->paths; path++) {
		if (l->here[path]) {
			fputs("TN:\nSF:", l->to);
			print_plain(l->to, l->path[path], SIZE_MAX);
			fputc('\n', l->to);
			put_functions(l, function, path);
			put_branches(l, branch, path);
			put_lines(l, line, path);
			fputs("end_of_record\n", l->to);
		}
		function = next_path(&l->functions, function, path);
		branch = next_path(&l->branches, branch, path);
		line = next_path(&l->lines, line, path);
	}
}

static void free_all(struct lcov *l)
{
	uint32_t i;

	for (i = 0; i < l->paths; i++)
		free(l->path[i]);
	free(l->path);
	free(l->here);
	free(l->lines.item);
	free(l->functions.item);
	free(l->branches.item);
	index_free(&l->by_path);
}

/* genhtml gives up where a source file is missing: that of a library of the system is. */
static int find_here(struct lcov *l, uint32_t *here)
{
	uint32_t i;

	sort(&l->lines);
	sort(&l->functions);
	sort(&l->branches);
	l->here = calloc(l->paths + 1, sizeof(*l->here));
	if (!l->here)
		return -ENOMEM;
	for (i = 0; i < l->paths; i++) {
		l->here[i] = !access(l->path[i], R_OK);
		*here += l->here[i];
	}
	return 0;
}

static int write_file(const struct export *e, struct lcov *l)
{
	int fd = export_open(e), failed;

	if (fd < 0)
		return fd;
	l->to = fdopen(fd, "w");
	if (!l->to)
		return export_close(e, fd, error_tell_errno(e->errors, e->output, -errno));
	put_all(l);
	errno = EIO;
	failed = ferror(l->to);		/* of a write before, whose reason has gone */
	return fclose(l->to) || failed ? error_tell_errno(e->errors, e->output, -errno) : 0;
}

static int write_lcov(const struct export *e, const char *path, const struct coverage *coverage)
{
	struct lcov l = { .coverage = coverage };
	uint32_t here = 0;
	int err = collect(&l);

	if (!err)
		err = find_here(&l, &here);
	if (err)
		err = error_tell_errno(e->errors, path, err);
	else if (!l.paths)
		err = error_tell(e->errors, path, -ENOENT,
				 "no file that was executed has lines of source (build with -g)");
	else if (!here)
		err = error_tell(e->errors, path, -ENOENT, "none of its %u source files is here, %s ...",
				 l.paths, l.path[0]);
	else
		err = write_file(e, &l);
	if (!err && here < l.paths)
		error_tell(e->errors, path, 0, "%u source files that are not here are left out",
			   l.paths - here);
	free_all(&l);
	return err;
}

/* ---- the recording ---- */

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	return coverage_take(ctx, row);
}

/* Return: 0, -EILSEQ with all that could be followed, or -errno */
static int cover(const struct export *e, const struct input *in, struct coverage *coverage)
{
	struct flow_path path = {
		.in = in, .root = e->root, .wanted = COVERAGE_ROWS, .row = take_row,
		.context = coverage, .errors = e->errors,
	};
	int err = flow_path_walk(&path);

	if ((!err || err == -EILSEQ) && coverage_finish(coverage))
		return error_tell_errno(e->errors, in->path, -ENOMEM);
	return err;
}

static int export_part(const struct export *e, const struct input *part)
{
	struct coverage *coverage = coverage_new();
	int err, failed = 0;

	if (!coverage)
		return error_tell_errno(e->errors, part->path, -ENOMEM);
	err = cover(e, part, coverage);
	if (!err || err == -EILSEQ)
		failed = write_lcov(e, part->path, coverage);
	coverage_free(coverage);
	return failed ? failed : err;
}

static int run_lcov(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	struct input part;
	unsigned int i;
	int err;

	for (i = 1; i < nr; i++)
		if (streams[i].in != streams->in)
			return error_tell(e->errors, streams[i].in->path, -EINVAL,
					  "coverage is of one recording (lcov -a adds files)");
	err = export_streams_of(e, streams, nr, &part);
	if (err)
		return err;
	err = export_part(e, &part);
	free(part.streams);
	return err;
}

const struct exporter export_lcov = { "lcov", run_lcov };
