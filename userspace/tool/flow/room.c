// SPDX-License-Identifier: BSD-2-Clause
#include "room.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX	"0123456789abcdef"

struct kept {
	char *name;
	struct timespec used;
	uint64_t size;
};

struct all_kept {
	struct kept *kept;
	size_t n;
};

/* As kept_index_open() and flow_index_write() name them: "DEVICE-INODE.index", ".XXXXXX" behind */
static bool is_index(const char *name)
{
	const size_t device = strspn(name, HEX);
	const char *inode = name + device + (name[device] == '-');
	const char *end = inode + strspn(inode, HEX);
	size_t len = strlen(".index");

	return device && inode > name + device && end > inode && !strncmp(end, ".index", len) &&
	       (!end[len] || (end[len] == '.' && strlen(end + len) == strlen(".XXXXXX")));
}

static void add(struct all_kept *all, int folder, const char *name)
{
	struct kept *grown;
	struct stat st;

	if (!is_index(name) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return;
	grown = reallocarray(all->kept, all->n + 1, sizeof(*grown));
	if (!grown)
		return;
	all->kept = grown;
	grown[all->n] = (struct kept){ strdup(name), st.st_mtim, st.st_size };
	if (grown[all->n].name)
		all->n++;
}

/* The one that was used last comes first. */
static int by_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct kept *)a)->used;
	const struct timespec *y = &((const struct kept *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return x->tv_nsec < y->tv_nsec ? 1 : x->tv_nsec > y->tv_nsec ? -1 : 0;
}

static void remove_oldest(struct all_kept *all, int folder)
{
	uint64_t bytes = 0;
	size_t i;

	if (all->n)
		qsort(all->kept, all->n, sizeof(*all->kept), by_use);
	for (i = 0; i < all->n; i++) {
		if (all->kept[i].size > INDEXES_MAX - bytes)
			unlinkat(folder, all->kept[i].name, 0);
		else
			bytes += all->kept[i].size;
		free(all->kept[i].name);
	}
	free(all->kept);
}

void room_used(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

void room_keep(const char *folder)
{
	struct all_kept all = { .n = 0 };
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		add(&all, dirfd(dir), entry->d_name);
	remove_oldest(&all, dirfd(dir));
	closedir(dir);
}
