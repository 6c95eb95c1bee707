// SPDX-License-Identifier: BSD-2-Clause
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/tool.h"
#include "files.h"

/* libc is libc.so.6, and was libc-2.31.so. */
static bool is_library(const char *path, const char *library)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const size_t n = strlen(library);
	char real[PATH_MAX];

	if (strchr(library, '/'))
		return realpath(library, real) && !strcmp(path, real);
	if (strncmp(name, library, n))
		return false;
	return !name[n] || !strncmp(name + n, ".so", 3) ||
	       (name[n] == '-' && name[n + 1] >= '0' && name[n + 1] <= '9' &&
		strstr(name + n, ".so"));
}

/* What is not there is told: of the program it was when the recording began. */
static void find_name(const struct inside *in, struct inside_name *name, struct inside_file *f)
{
	const char *why;

	if (name->library ? !is_library(f->path, name->library) : strcmp(f->path, in->program) != 0)
		return;
	name->mapped = true;
	why = named_all(name->library ? f->path : in->image, name->function, &f->list);
	if (why)
		refuse(f->path, "--in %s: %s", name->text, why);
}

const struct inside_file *inside_file(struct inside *in, const char *path)
{
	struct inside_file *f;
	unsigned int i;

	for (f = in->file; f; f = f->next)
		if (!strcmp(f->path, path))
			return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->path = strdup(path);
	if (!f->path) {
		free(f);
		return NULL;
	}
	f->next = in->file;
	in->file = f;
	for (i = 0; i < in->nr; i++)
		find_name(in, &in->name[i], f);
	return f;
}

void inside_free_files(struct inside *in)
{
	struct inside_file *f;

	while ((f = in->file)) {
		in->file = f->next;
		named_list_free(&f->list);
		free(f->path);
		free(f);
	}
}
