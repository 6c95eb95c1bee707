// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt record -c truth=: packets and truth of each unit are matched as they come, and the rows
 * written beside the recording.
 */
#include "truth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "../cli/tool.h"
#include "truth/file.h"

int truth_create(struct truth_out *t, const char *path)
{
	int fd;

	*t = (struct truth_out){ 0 };
	if (truth_file_name(t->name, sizeof(t->name), path))
		return refuse(path, "its truth: %s", strerror(ENAMETOOLONG));
	fd = trace_create(t->name, &t->is_new);
	t->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (t->file)
		return 0;
	refuse(t->name, "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	if (t->is_new)
		unlink(t->name);
	return EXIT_REFUSED;
}

int truth_begin(struct truth_out *t)
{
	int err = trace_begin(fileno(t->file));

	t->is_new = false;
	if (!err)
		err = truth_file_begin(t->file);
	return err ? refuse(t->name, "%s", strerror(-err)) : 0;
}

int truth_close(struct truth_out *t)
{
	int err;

	if (!t->file)
		return 0;
	err = ferror(t->file);
	if (fclose(t->file) || err)
		err = errno ? errno : EIO;
	t->file = NULL;
	if (t->is_new)
		unlink(t->name);
	return err ? refuse(t->name, "%s", strerror(err)) : 0;
}

void truth_remove(const char *path)
{
	char name[PATH_MAX];

	if (!truth_file_name(name, sizeof(name), path) && truth_file_is(name))
		unlink(name);
}

/* What one unit's rows need */
struct one {
	struct record_truth *all;
	struct match *match;
	int cpu;
	uint64_t lost;
};

struct record_truth {
	const char *path;
	struct truth_out out;
	uint64_t unknown;	/* rows */
	unsigned int nr;
	struct one unit[];
};

static int put_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct one *one = ctx;

	(void)rec;
	one->all->unknown += !row->known;
	return truth_file_put(one->all->out.file, one->cpu, row);
}

static void free_all(struct record_truth *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		match_free(t->unit[i].match);
	free(t);
}

struct record_truth *record_truth_open(const char *path, const struct softpt_config *cfg,
				       unsigned int nr)
{
	struct record_truth *t = calloc(1, sizeof(*t) + nr * sizeof(t->unit[0]));
	unsigned int i;

	if (!t) {
		refuse(path, "%s", strerror(ENOMEM));
		return NULL;
	}
	t->path = path;
	t->nr = nr;
	for (i = 0; i < nr; i++) {
		t->unit[i].all = t;
		t->unit[i].match = match_new(cfg, put_row, &t->unit[i]);
		if (!t->unit[i].match) {
			refuse(path, "%s", strerror(ENOMEM));
			free_all(t);
			return NULL;
		}
	}
	if (!truth_create(&t->out, path))
		return t;
	free_all(t);
	return NULL;
}

int record_truth_begin(struct record_truth *t)
{
	return truth_begin(&t->out);
}

int record_truth_take(struct record_truth *t, unsigned int i, struct softpt_unit *unit,
		      const void *bytes, size_t n)
{
	struct one *one = &t->unit[i];
	const struct softpt_truth *truth;
	struct softpt_status status;
	size_t told = 0;
	int err;

	one->cpu = softpt_unit_cpu(unit);
	/*
	 * From then on there is the truth of these bytes. What is told meanwhile is for the next
	 * time: a unit may be as fast as we are.
	 */
	err = n ? softpt_unit_status(unit, &status) : 0;
	if (!err)
		told = softpt_unit_truth(unit, &truth);
	if (told) {
		err = match_truth(one->match, truth, told);
		softpt_unit_truth_consume(unit, told);
	}
	one->lost = softpt_unit_truth_lost(unit);
	if (!err && n)
		err = match_bytes(one->match, bytes, n);
	return err;
}

static void tell_losses(const struct record_truth *t)
{
	uint64_t lost = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		lost += t->unit[i].lost;
	if (lost)
		refuse(t->path, "the truth of %" PRIu64 " events was lost, of %" PRIu64
		       " rows: give it a larger ring (-c truth=)", lost, t->unknown);
}

int record_truth_close(struct record_truth *t)
{
	unsigned int i;
	int err = 0, status;

	for (i = 0; i < t->nr && !err; i++)
		err = match_end(t->unit[i].match);
	status = truth_close(&t->out);
	if (err)
		status = refuse(t->path, "its truth: %s", softpt_strerror(err));
	tell_losses(t);
	free_all(t);
	return status;
}
