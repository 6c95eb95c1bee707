// SPDX-License-Identifier: BSD-2-Clause
/* softpt record --trigger SPEC,rearm: a file for each trigger event of one run */
#include "fragments.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/fragment.h"
#include "../cli/tool.h"
#include "file.h"

int fragments_begin(struct fragments *f)
{
	f->told = calloc(f->units->nr, sizeof(*f->told));
	softpt_perf_writer_keep(f->writer);
	return f->told ? 0 : -ENOMEM;
}

void fragments_end(struct fragments *f)
{
	free(f->told);
}

/* One that is frozen is not waited for: poll() would return at once. */
static bool are_still(struct units *u)
{
	bool all = true;
	unsigned int i;

	for (i = 0; i < u->nr; i++) {
		u->taken[i] = softpt_unit_frozen(u->unit[i]) || softpt_unit_done(u->unit[i]);
		all &= u->taken[i];
	}
	return all;
}

/* The first trigger event that no file has yet, of any unit. Return: its unit, or -1 */
static int trigger_event(struct fragments *f, struct softpt_trigger_page *te)
{
	struct softpt_trigger_page page;
	unsigned int i;
	int of = -1;

	for (i = 0; i < f->units->nr; i++) {
		softpt_unit_triggers(f->units->unit[i], &page);
		if (!page.events || page.head == f->told[i])
			continue;
		f->told[i] = page.head;
		if (of >= 0 && te->tsc <= page.tsc)
			continue;
		*te = page;
		of = i;
	}
	return of;
}

static void set_taken(struct fragments *f, bool taken)
{
	unsigned int i;

	for (i = 0; i < f->units->nr; i++)
		f->units->taken[i] = taken;
}

static int put_rings(struct fragments *f, uint64_t tsc)
{
	int err = sideband_drain(f->sideband, f->writer);

	set_taken(f, false);
	return err ? err : record_trigger_drain(f->units, f->writer, tsc);
}

static int put_next(struct fragments *f, const char *path, uint64_t tsc)
{
	bool is_new;
	int fd = trace_create(path, &is_new), err, end;

	if (fd < 0)
		return -errno;
	err = trace_begin(fd);
	if (!err)
		err = softpt_perf_writer_next(f->writer, fd);
	if (!err)
		err = put_rings(f, tsc);
	end = softpt_perf_writer_next(f->writer, -1);	/* in any case: it is closed now */
	err = err ? err : end;
	return close(fd) && !err ? -errno : err;
}

static int put_file(struct fragments *f, const char *path, uint64_t tsc)
{
	int err;

	if (f->n) {
		err = put_next(f, path, tsc);
	} else {
		err = put_rings(f, tsc);
		if (!err)
			err = softpt_perf_writer_next(f->writer, -1);
	}
	f->n++;
	return err ? refuse(path, "%s", softpt_strerror(err)) : 0;
}

/* Return: whether the rings may run on after a trigger event, or there was none */
static bool goes_on(const struct fragments *f, const struct softpt_trigger_page *te)
{
	const struct record_trigger *t = f->trigger;
	const struct softpt_trigger *set = te ? &t->set.trigger[te->index] : NULL;

	if (units_done(f->units) || (set && !(set->flags & SOFTPT_TRIGGER_REARM)))
		return false;
	if (f->n < t->most)
		return true;
	fprintf(stderr, "softpt: trigger: what comes now has no file (--fragments %u)\n", t->most);
	return false;
}

static int run_on(struct fragments *f)
{
	int err = softpt_session_rearm(f->session);

	return err ? refuse(SOFTPT_DEVICE, "rearming the rings: %s", softpt_strerror(err)) : 0;
}

int fragments_drain(struct fragments *f, uint64_t tsc)
{
	struct softpt_trigger_page te;
	char path[PATH_MAX];
	bool none;
	int of;

	if (f->over || !are_still(f->units))
		return 0;
	of = trigger_event(f, &te);
	none = of < 0 && !f->n && units_done(f->units);
	if (fragment_name(path, sizeof(path), f->path, f->n))
		return refuse(f->path, "%s", strerror(ENAMETOOLONG));
	if ((of >= 0 || none) && put_file(f, path, tsc))
		return EXIT_REFUSED;
	if (none)
		record_trigger_none(path);
	else if (of >= 0)
		record_trigger_line(f->trigger, &te, f->units->cpus[of], path);
	f->over = !goes_on(f, of >= 0 ? &te : NULL);
	set_taken(f, f->over);		/* nobody waits for them any more */
	return f->over ? 0 : run_on(f);
}
