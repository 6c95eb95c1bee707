// SPDX-License-Identifier: BSD-2-Clause
/* softpt archive: a recording with the files that it needs */
#include "archive/archive.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/tool.h"

static const struct option_row options[] = {
	{ 'o', "output", "FOLDER", "to be made (FILE.archive)" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 0 }
};

static void tell(const struct archive *a)
{
	printf("%s: %u files, %u with debug information, %u with names of made code, %.1f MB\n",
	       a->folder, a->files, a->debug, a->maps, a->bytes / 1e6);
	printf("softpt report %s        # there, too: tar -c %s | zstd > FILE.tar.zst\n", a->folder,
	       a->folder);
}

static int pack(struct archive *a, const struct input *in)
{
	if (!in->perf)
		return refuse(in->path, "raw packets need no files: copy it as it is");
	if (in->root)
		return refuse(in->path, "it is an archive already");
	a->in = in;
	if (archive_write(a))
		return EXIT_REFUSED;
	if (!a->files)
		return refuse(in->path, "none of the files that it maps is here (--root DIR)");
	tell(a);
	return 0;
}

static int with_path(struct archive *a, const char *path)
{
	char *folder = NULL;
	struct input in;
	int status;

	if (!a->folder) {
		if (asprintf(&folder, "%s.archive", path) < 0)
			return refuse(path, "out of memory");
		a->folder = folder;
	}
	status = open_input(&in, path) ? EXIT_REFUSED : 0;
	if (!status) {
		status = pack(a, &in);
		input_close(&in);
	}
	free(folder);
	return status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct archive a = { .root = "", .errors = &tool_errors };
	const char *path;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		if (id == 'o')
			a.folder = optarg;
		else if (id == 'r')
			a.root = optarg;
		else
			return EXIT_USAGE;
	}
	path = only_operand(cmd, argc, argv, "FILE");
	if (!path)
		return EXIT_USAGE;
	if (!strcmp(path, "-"))
		return misuse(cmd, "a file, not stdin, is packed");
	return with_path(&a, path);
}

const struct command command_archive = {
	.name = "archive",
	.args = "FILE",
	.what = "pack a recording with the files that it needs, for another machine",
	.more = "FILE is what softpt record or perf record wrote. FOLDER has a copy of it, of the programs and\n"
		"libraries that were mapped, of their separate debug files, of /tmp/perf-PID.map and jit-PID.dump. All\n"
		"commands read FOLDER in place of FILE, on any machine. Files are those that are here now:\n"
		"pack before they are updated.",
	.options = options,
	.run = run,
};
