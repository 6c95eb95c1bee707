// SPDX-License-Identifier: BSD-2-Clause
/*
 * What code a process has at each address, from its mappings as they were told: a newer one hides
 * what it lies over, also where its own code is not known. libipt's cache keeps files mapped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "code/bytes.h"
#include "code/image-ipt.h"
#include "code/vdso.h"

/* Of the kernel that was traced, or of this one */
struct vdso {
	const uint8_t *code;
	size_t len;
};

/* Code of a file, in [from, to) */
struct piece {
	uint64_t from;
	uint64_t to;
	uint64_t offset;
	int id;			/* of libipt's section */
	size_t path;		/* index in @paths of the files */
};

struct code_files {
	struct pt_image_section_cache *cache;
	char **paths;
	size_t nr;
};

struct code_image {
	struct code_files *files;
	struct pt_image *image;
	struct piece *pieces;
	size_t nr;
	unsigned int changes;
	struct vdso vdso, vdso32;
	struct vdso mapped;	/* which the process has */
	uint64_t mapped_at;
	struct code_bytes bytes;	/* what no file holds */
};

/* ---- files ---- */

struct code_files *code_files_new(void)
{
	struct code_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->cache = pt_iscache_alloc("softpt");
	/* Without a limit it maps a file anew each time that the path comes to it. */
	if (files->cache && pt_iscache_set_limit(files->cache, UINT64_MAX) >= 0)
		return files;
	code_files_free(files);
	return NULL;
}

void code_files_free(struct code_files *files)
{
	if (!files)
		return;
	if (files->cache)
		pt_iscache_free(files->cache);
	while (files->nr)
		free(files->paths[--files->nr]);
	free(files->paths);
	free(files);
}

/* Return: 0 or -ENOMEM */
static int find_path(struct code_files *files, const char *path, size_t *index)
{
	char **more;

	for (*index = 0; *index < files->nr; ++*index)
		if (!strcmp(files->paths[*index], path))
			return 0;
	more = reallocarray(files->paths, files->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	files->paths = more;
	more[files->nr] = strdup(path);
	if (!more[files->nr])
		return -ENOMEM;
	files->nr++;
	return 0;
}

/* ---- the code of a process ---- */

/* Where no file is mapped: code that was made, and the kernel's own pages of code */
static int read_code(uint8_t *buf, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const struct code_image *code = context;
	uint64_t at = ip - code->mapped_at;
	size_t n = code_bytes_get(&code->bytes, ip, buf, size);

	(void)asid;
	if (n)
		return (int)n;
	if (at >= code->mapped.len)
		return -pte_nomap;
	if (size > code->mapped.len - at)
		size = code->mapped.len - at;
	memcpy(buf, code->mapped.code + at, size);
	return size;
}

struct code_image *code_image_new(struct code_files *files, const struct softpt_perf *perf)
{
	struct code_image *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->files = files;
	code->vdso.code = softpt_perf_vdso(perf, &code->vdso.len);
	if (!code->vdso.code)
		code->vdso.code = vdso_here(&code->vdso.len);
	code->vdso32.code = softpt_perf_vdso32(perf, &code->vdso32.len);
	code->image = pt_image_alloc("softpt");
	if (code->image && pt_image_set_callback(code->image, read_code, code) >= 0)
		return code;
	code_image_free(code);
	return NULL;
}

/* Return: 0 or -ENOENT */
static int show(struct code_image *code, const struct piece *p)
{
	return pt_image_add_cached(code->image, code->files->cache, p->id, NULL) < 0 ? -ENOENT : 0;
}

struct code_image *code_image_copy(const struct code_image *from, const struct softpt_perf *perf)
{
	struct code_image *code = code_image_new(from->files, perf);
	size_t i;

	if (!code)
		return NULL;
	code->mapped = from->mapped;
	code->mapped_at = from->mapped_at;
	code->pieces = calloc(from->nr + 1, sizeof(*code->pieces));
	if (!code->pieces || code_bytes_copy(&code->bytes, &from->bytes)) {
		code_image_free(code);
		return NULL;
	}
	for (i = 0; i < from->nr; i++) {
		code->pieces[code->nr++] = from->pieces[i];
		show(code, &from->pieces[i]);
	}
	return code;
}

/* Return: 0; -ENOENT: not so much of the file can be read */
static int open_piece(struct code_image *code, struct piece *p)
{
	p->id = pt_iscache_add_file(code->files->cache, code->files->paths[p->path], p->offset,
				    p->to - p->from, p->from);
	return p->id < 0 ? -ENOENT : 0;
}

static void keep(struct code_image *code, struct piece p)
{
	if (p.from < p.to && !open_piece(code, &p))
		code->pieces[code->nr++] = p;
}

/* Nothing is known of [from, to) any more. There is room for one piece more. */
static void hide(struct code_image *code, uint64_t from, uint64_t to)
{
	size_t i, n = code->nr;
	bool cut = false;

	if (code->mapped.len && from < code->mapped_at + code->mapped.len && to > code->mapped_at)
		code->mapped.len = 0;
	for (i = n; i-- > 0;) {
		struct piece p = code->pieces[i], before = p, behind = p;

		if (p.to <= from || p.from >= to)
			continue;
		cut = true;
		code->pieces[i] = code->pieces[--code->nr];
		before.to = from < p.from ? p.from : from;
		behind.from = to > p.to ? p.to : to;
		behind.offset += behind.from - p.from;
		keep(code, before);
		keep(code, behind);
	}
	if (!cut)
		return;
	pt_image_remove_by_asid(code->image, NULL);
	for (i = 0; i < code->nr; i++)
		show(code, &code->pieces[i]);
}

static int add_file(struct code_image *code, const struct softpt_perf_map *map, const char *path)
{
	struct piece p = {
		.from = map->addr, .to = map->addr + map->len, .offset = map->pgoff,
	};

	if (find_path(code->files, path, &p.path) || open_piece(code, &p) || show(code, &p))
		return -ENOENT;
	code->pieces[code->nr++] = p;
	return 0;
}

/* Which vdso it is tells the address. Of another length is another kernel's. */
static int add_vdso(struct code_image *code, const struct softpt_perf_map *map)
{
	code->mapped = map->addr >> 32 ? code->vdso : code->vdso32;
	code->mapped_at = map->addr;
	if (map->len != code->mapped.len)
		code->mapped.len = 0;
	return code->mapped.len ? 0 : -ENOENT;
}

static bool is_there(const struct code_image *code, const struct softpt_perf_map *map,
		     const char *path)
{
	size_t i;

	for (i = 0; i < code->nr; i++) {
		const struct piece *p = &code->pieces[i];

		if (p->from == map->addr && p->to == map->addr + map->len &&
		    p->offset == map->pgoff && !strcmp(code->files->paths[p->path], path))
			return map->prot & PROT_EXEC;
	}
	return false;
}

int code_image_add(struct code_image *code, const struct softpt_perf_map *map, const char *path)
{
	struct piece *more;

	if (map->addr + map->len <= map->addr)
		return -ENOENT;
	if (is_there(code, map, path))
		return 0;
	/* What lies over the middle of a piece leaves two. */
	more = reallocarray(code->pieces, code->nr + 2, sizeof(*more));
	if (!more)
		return -ENOMEM;
	code->pieces = more;
	code->changes++;
	hide(code, map->addr, map->addr + map->len);
	if (!strcmp(map->name, "[vdso]"))
		return add_vdso(code, map);
	return map->prot & PROT_EXEC ? add_file(code, map, path) : 0;
}

int code_image_put(struct code_image *code, const struct softpt_perf_code *made, bool newer)
{
	struct piece *more = reallocarray(code->pieces, code->nr + 2, sizeof(*more));

	if (!more)
		return -ENOMEM;
	code->pieces = more;
	if (newer)
		hide(code, made->addr, made->addr + made->len);
	return code_bytes_put(&code->bytes, made->addr, made->bytes, made->len, newer);
}

bool code_image_has(const struct code_image *code, uint64_t ip)
{
	uint8_t byte;
	size_t i;

	if (code_bytes_get(&code->bytes, ip, &byte, 1))
		return true;
	for (i = 0; i < code->nr; i++)
		if (ip >= code->pieces[i].from && ip < code->pieces[i].to)
			return true;
	return ip - code->mapped_at < code->mapped.len;
}

struct pt_image *code_image_ipt(struct code_image *code)
{
	return code->image;
}

unsigned int code_image_changes(const struct code_image *code)
{
	return code->changes;
}

void code_image_free(struct code_image *code)
{
	if (!code)
		return;
	if (code->image)
		pt_image_free(code->image);
	code_bytes_free(&code->bytes);
	free(code->pieces);
	free(code);
}
