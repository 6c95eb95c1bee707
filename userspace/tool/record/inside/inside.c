// SPDX-License-Identifier: BSD-2-Clause
#include "inside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/share.h"
#include "../../cli/tool.h"
#include "files.h"
#include "sites.h"

/* ---- the program ---- */

static bool find_program(struct inside *in, const char *argv0, pid_t pid)
{
	char path[PATH_MAX], link[32];
	ssize_t n;

	if (argv0) {
		if (!xl_find(argv0, path, sizeof(path)))
			in->program = realpath(path, NULL);
		in->image = in->program ? strdup(in->program) : NULL;
		return in->image;
	}
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, sizeof(path) - 1);
	in->program = n > 0 ? strndup(path, n) : NULL;
	in->image = strdup(link);
	return in->program && in->image;
}

static int find_function(const struct inside *in, const struct inside_name *name)
{
	struct named_list list = { 0 };
	const char *why = named_all(in->image, name->function, &list);

	if (!why && list.nr > SOFTPT_XL_DOORS)
		why = "too many functions";
	named_list_free(&list);
	return why ? refuse(in->program, "%s: %s", name->text, why) : 0;
}

struct looking {
	struct inside *in;
	pid_t pid;
};

static void look_at(void *ctx, const struct mapped *m)
{
	const struct looking *l = ctx;

	if (mapped_is_code(m))
		inside_file(l->in, l->pid, m);
}

/* A line or a probe may be in a library, too. That is known of a process, and not of a program. */
static int find_site(struct inside *in, struct inside_name *name, pid_t pid)
{
	struct looking looking = { .in = in, .pid = pid };
	struct site_list list = { 0 };
	struct site_counts counts;
	const char *why;
	bool final;

	if (pid)
		mapped_each(pid, look_at, &looking);
	else
		site_look(name, in->image, true, &list, &counts);
	site_list_free(&list);
	why = site_missing(name, in->program, &final);
	if (why && final)
		return refuse(in->program, "%s: %s", name->text, why);
	if (why)
		fprintf(stderr, "softpt: record: %s: %s (it is looked for in libraries, when they are mapped)\n",
			name->text, why);
	return 0;
}

int inside_find(struct inside *in, const char *argv0, pid_t pid)
{
	unsigned int i;
	int status = 0;

	in->looks = INSIDE_LOOKS;
	if (!find_program(in, argv0, pid))
		return refuse(argv0 ? argv0 : "record", "--in %s: no such program or process",
			      in->text);
	for (i = 0; i < in->nr && !status; i++)
		if (in->name[i].kind == INSIDE_CALL)
			continue;
		else if (in->name[i].kind != INSIDE_FUNCTION)
			status = find_site(in, &in->name[i], argv0 ? 0 : pid);
		else if (!in->name[i].library)
			status = find_function(in, &in->name[i]);
	return status;
}

static struct inside_id id_of(const struct stat *st)
{
	return (struct inside_id){ .inode = st->st_ino, .device = st->st_dev };
}

int inside_share(struct inside *in, int fd)
{
	char runtime[PATH_MAX];
	struct stat st;

	if (!xl_runtime(runtime, sizeof(runtime)) || stat(runtime, &st))
		return -ENOENT;
	in->runtime = id_of(&st);
	if (fstat(fd, &st))
		return -errno;
	in->share = id_of(&st);
	return 0;
}

/* Why a name is of no place; NULL: it is of one */
static const char *why_missing(const struct inside *in, const struct inside_name *name)
{
	bool final;

	if (name->kind == INSIDE_CALL)
		return NULL;
	if (name->kind != INSIDE_FUNCTION)
		return site_missing(name, in->program, &final);
	return name->library && !name->mapped ? "no such file was mapped" : NULL;
}

void inside_tell(const struct inside *in, const char *path)
{
	const char *why;
	unsigned int i;

	for (i = 0; i < in->nr; i++) {
		why = why_missing(in, &in->name[i]);
		if (why)
			fprintf(stderr, "softpt: %s: %s: %s\n", path, in->name[i].text, why);
	}
	if (!in->nr || in->refused)
		return;
	if (!in->known)
		fprintf(stderr, "softpt: %s: translated between the calls, too: %s\n", path,
			INSIDE_NO_LIBRARY);
	else if (in->made)
		fprintf(stderr, "softpt: %s: translated between the calls, too, %s\n", path,
			"from where code was made at run time");
}

void inside_free(struct inside *in)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++) {
		free(in->name[i].text);
		free(in->name[i].copy);
	}
	free(in->text);
	free(in->program);
	free(in->image);
	inside_free_files(in);
	*in = (struct inside){ 0 };
}
