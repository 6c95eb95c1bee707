// SPDX-License-Identifier: BSD-2-Clause
#include "code/dwarf/sites.h"

#include <stdlib.h>

#include "code/dwarf/lines.h"
#include "code/dwarf/unwind.h"
#include "code/names/probes.h"
#include "code/symbolfile.h"

/* What places of a file are added to */
struct adding {
	struct symbol_file *file;
	bool framed;
	struct site_list *list;
	struct site_counts *counts;
};

static bool add_site(struct site_list *list, const struct code_site *site)
{
	struct code_site *more = reallocarray(list->site, list->nr + 1, sizeof(*more));

	if (!more)
		return false;
	list->site = more;
	list->site[list->nr++] = *site;
	return true;
}

static void add(struct adding *a, uint64_t addr)
{
	const struct symbol_place place = { .file = a->file, .address = addr };
	struct site_counts *counts = a->counts;
	struct unwind_rule rule = { 0 };
	struct code_site site;

	if (!symbol_file_offset(a->file, addr, &site.offset))
		return;
	if (a->framed && !source_unwind(&place, &rule)) {
		if (!counts->unframed++)
			counts->unframed_at = addr;
		return;
	}
	site.cfa = (int32_t)rule.offset;
	site.by_rbp = rule.by_rbp;
	counts->failed |= !add_site(a->list, &site);
	counts->nr++;
}

/* Return: whether the file can be read */
static bool begin(struct adding *a, struct symbol_files **files, const char *path)
{
	*a->counts = (struct site_counts){ 0 };
	*files = symbol_files_new();
	a->file = *files ? symbol_files_get(*files, path) : NULL;
	return a->file;
}

/* ---- lines ---- */

static bool is_inlined(struct symbol_file *f, uint64_t addr)
{
	const struct symbol_place place = { .file = f, .address = addr };
	struct softpt_flow_line frame[2];

	return source_frames(&place, frame, 2) > 1;
}

bool sites_of_line(const char *path, struct statements *s, bool framed, struct site_list *list,
		   struct site_counts *counts)
{
	struct adding a = { .framed = framed, .list = list, .counts = counts };
	struct symbol_files *files;
	const bool reads = begin(&a, &files, path);
	size_t i, before;

	if (reads)
		counts->failed = !statements_find(a.file, s);
	for (i = 0; reads && i < s->nr; i++) {
		before = counts->nr;
		add(&a, s->addr[i]);
		counts->inlined += counts->nr > before && is_inlined(a.file, s->addr[i]);
	}
	if (reads)
		statements_free(s);
	symbol_files_free(files);
	return reads;
}

/* ---- probes ---- */

static void add_semaphore(struct adding *a, uint64_t offset)
{
	struct site_list *list = a->list;
	uint64_t *more;
	size_t i;

	for (i = 0; i < list->semaphores; i++)
		if (list->semaphore[i] == offset)
			return;
	more = reallocarray(list->semaphore, list->semaphores + 1, sizeof(*more));
	a->counts->failed |= !more;
	if (!more)
		return;
	list->semaphore = more;
	list->semaphore[list->semaphores++] = offset;
}

static void add_probe(void *ctx, const struct probe *probe)
{
	struct adding *a = ctx;
	const size_t before = a->counts->nr;

	add(a, probe->addr);
	if (probe->has_semaphore && a->counts->nr > before)
		add_semaphore(a, probe->semaphore);
}

bool sites_of_probe(const char *path, const char *name, bool framed, struct site_list *list,
		    struct site_counts *counts)
{
	struct adding a = { .framed = framed, .list = list, .counts = counts };
	struct symbol_files *files;
	const bool reads = begin(&a, &files, path);

	if (reads)
		probes_each(a.file, name, add_probe, &a);
	symbol_files_free(files);
	return reads;
}

void site_list_free(struct site_list *list)
{
	free(list->site);
	free(list->semaphore);
	*list = (struct site_list){ 0 };
}
