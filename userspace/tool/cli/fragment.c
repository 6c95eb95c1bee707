// SPDX-License-Identifier: BSD-2-Clause
/* Several files from one run: FILE, FILE.1, FILE.2 and so on */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fragment.h"
#include "tool.h"
#include "sim/sim.h"

int fragment_name(char *name, size_t size, const char *path, unsigned int n)
{
	int len = n ? snprintf(name, size, "%s.%u", path, n) : snprintf(name, size, "%s", path);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

bool is_fragment(const char *name, const char *path)
{
	size_t n = strlen(path);

	return !strncmp(name, path, n) && name[n] == '.' && name[n + 1] &&
	       strspn(name + n + 1, "0123456789") == strlen(name + n + 1);
}

static int write_to(FILE *file, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, file) == n ? 0 : errno ? -errno : -EIO;
}

static int write_new(const char *name, const char *input, const void *bytes, size_t n)
{
	FILE *file;
	int err;

	if (spare_input(input, name))
		return SIM_REFUSED;
	file = fopen(name, "wb");
	err = file ? write_to(file, bytes, n) : -errno;
	if (file && fclose(file) && !err)
		err = -errno;
	if (!err)
		return 0;
	refuse(name, "%s", strerror(-err));
	return SIM_REFUSED;
}

int fragment_write(const struct fragment *f, const void *bytes, size_t len)
{
	char name[PATH_MAX];

	if (!f->n)
		return write_to(f->first, bytes, len);
	if (fragment_name(name, sizeof(name), f->path, f->n))
		return -ENAMETOOLONG;
	return write_new(name, f->input, bytes, len);
}
