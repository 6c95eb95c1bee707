// SPDX-License-Identifier: BSD-2-Clause
#include "kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "room.h"

/* A number for what functions are found by: another one finds other calls. */
static uint64_t hash(uint64_t from, const char *text)
{
	for (; *text; text++)
		from = (from ^ (unsigned char)*text) * 0x100000001b3ull;
	return from * 0x100000001b3ull;
}

/* XDG: $XDG_CACHE_HOME, or ~/.cache. Return: false: there is no such folder */
static bool find_folder(char *path, size_t len)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n;

	if (cache && *cache == '/')
		n = snprintf(path, len, "%s", cache);
	else if (home && *home == '/')
		n = snprintf(path, len, "%s/.cache", home);
	else
		return false;
	if (n >= (int)len)
		return false;
	mkdir(path, 0700);
	if (snprintf(path + n, len - n, "/softpt") >= (int)len - n)
		return false;
	mkdir(path, 0700);
	return true;
}

void kept_index_open(struct kept_index *k, const struct input *in, const char *root)
{
	struct stat st;

	if (!flow_index_fits(in) || stat(in->path, &st) || !S_ISREG(st.st_mode) ||
	    !find_folder(k->folder, sizeof(k->folder)))
		return;
	snprintf(k->path, sizeof(k->path), "%s/%" PRIx64 "-%" PRIx64 ".index", k->folder,
		 (uint64_t)st.st_dev, (uint64_t)st.st_ino);
	k->key = (struct flow_index_key){
		.size = st.st_size, .seconds = st.st_mtim.tv_sec,
		.nanoseconds = st.st_mtim.tv_nsec,
		.settings = hash(hash(0xcbf29ce484222325ull, SOFTPT_VERSION), root),
	};
	k->index = flow_index_read(in, k->path, &k->key);
}

/* Without it the next walk begins where this one did: that is no error. */
void kept_index_close(struct kept_index *k)
{
	if (!k->index)
		return;
	if (!k->index->grown)
		room_used(k->path);
	else if (!flow_index_write(k->index, k->path, &k->key))
		room_keep(k->folder);
	flow_index_free(k->index);
	k->index = NULL;
}
