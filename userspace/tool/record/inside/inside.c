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

/* ---- the option ---- */

/* Up to the next comma that is not within a template's arguments */
static size_t name_len(const char *text)
{
	unsigned int depth = 0;
	size_t i;

	for (i = 0; text[i] && (text[i] != ',' || depth); i++) {
		depth += text[i] == '<';
		depth -= text[i] == '>' && depth;
	}
	return i;
}

/* The colon of LIBRARY:FUNCTION, not those of name::space; NULL: there is none */
static char *colon_of(char *text)
{
	char *at;

	for (at = strchr(text, ':'); at; at = strchr(at + 2, ':'))
		if (at[1] != ':')
			return at;
	return NULL;
}

static int add_name(const struct command *cmd, struct inside *in, const char *text, size_t len)
{
	struct inside_name *n = &in->name[in->nr];
	char *colon;

	if (in->nr == INSIDE_MOST)
		return misuse(cmd, "--in: %d names at most", INSIDE_MOST);
	in->nr++;
	n->text = strndup(text, len);
	n->copy = strndup(text, len);
	if (!n->text || !n->copy)
		return refuse("record", "out of memory");
	n->function = n->copy;
	colon = colon_of(n->copy);
	if (colon) {
		*colon = 0;
		n->library = n->copy;
		n->function = colon + 1;
	}
	if (!*n->copy || !*n->function)
		return misuse(cmd, "--in %s: a name is missing", in->text);
	return 0;
}

int inside_option(const struct command *cmd, struct inside *in, const char *text)
{
	int status;
	size_t len;

	if (in->nr)
		return misuse(cmd, "--in: once, with all functions (--in NAME,NAME)");
	in->text = text;
	in->looks = INSIDE_LOOKS;
	for (;; text += len + 1) {
		len = name_len(text);
		status = add_name(cmd, in, text, len);
		if (status || !text[len])
			return status;
	}
}

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

int inside_find(struct inside *in, const char *argv0, pid_t pid)
{
	struct named_list list = { 0 };
	const char *why;
	unsigned int i;
	int status = 0;

	if (!find_program(in, argv0, pid))
		return refuse(argv0 ? argv0 : "record", "--in %s: no such program or process",
			      in->text);
	for (i = 0; i < in->nr && !status; i++) {
		if (in->name[i].library)
			continue;
		why = named_all(in->image, in->name[i].function, &list);
		if (!why && list.nr > SOFTPT_XL_DOORS)
			why = "too many functions";
		if (why)
			status = refuse(in->program, "--in %s: %s", in->name[i].text, why);
	}
	named_list_free(&list);
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

void inside_tell(const struct inside *in, const char *path)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->name[i].library && !in->name[i].mapped)
			fprintf(stderr, "softpt: %s: --in %s: no such file was mapped\n", path,
				in->name[i].text);
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
	free(in->program);
	free(in->image);
	inside_free_files(in);
	*in = (struct inside){ 0 };
}
