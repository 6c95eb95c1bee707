// SPDX-License-Identifier: BSD-2-Clause
/*
 * What code a process has at each address, from its mappings as they were told: a newer one hides
 * what it lies over, also where its own code is not known.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/bytes.h"
#include "code/image.h"
#include "code/vdso.h"

/* Of the kernel that was traced, or of this one */
struct vdso {
	const uint8_t *code;
	size_t len;
};

/* A file, mapped while any process may have code of it */
struct code_file {
	char *path;
	const uint8_t *bytes;	/* NULL: it can't be read */
	uint64_t size;
};

/* Code of a file, in [from, to) */
struct piece {
	uint64_t from;
	uint64_t to;
	uint64_t offset;
	size_t file;		/* index in the files */
};

struct code_files {
	struct code_file *file;
	size_t nr;
	struct strides *strides[2];	/* without branches, and with them */
	code_ran_fn ran;
	void *ran_ctx;
};

struct code_image {
	struct code_files *files;
	struct piece *pieces;
	size_t nr;
	struct vdso vdso, vdso32;
	struct vdso mapped;	/* which the process has */
	uint64_t mapped_at;
	struct code_bytes bytes;	/* what no file holds */
	struct code_blocks blocks;
};

/* ---- files ---- */

struct code_files *code_files_new(void)
{
	return calloc(1, sizeof(struct code_files));
}

void code_files_count(struct code_files *files, code_ran_fn ran, void *ctx)
{
	files->ran = ran;
	files->ran_ctx = ctx;
}

void code_files_free(struct code_files *files)
{
	size_t i;

	if (!files)
		return;
	for (i = 0; i < files->nr; i++) {
		if (files->file[i].bytes)
			munmap((void *)files->file[i].bytes, files->file[i].size);
		free(files->file[i].path);
	}
	strides_free(files->strides[0]);
	strides_free(files->strides[1]);
	free(files->file);
	free(files);
}

/* The file is empty where it can't be read. */
static void map_file(struct code_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED) {
			file->bytes = map;
			file->size = st.st_size;
		}
	}
	close(fd);
}

/* Return: 0 or -ENOMEM */
static int find_file(struct code_files *files, const char *path, size_t *index)
{
	struct code_file *more;

	for (*index = 0; *index < files->nr; ++*index)
		if (!strcmp(files->file[*index].path, path))
			return 0;
	more = reallocarray(files->file, files->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	files->file = more;
	more[files->nr] = (struct code_file){ .path = strdup(path) };
	if (!more[files->nr].path)
		return -ENOMEM;
	map_file(&more[files->nr++]);
	return 0;
}

/* ---- the code of a process ---- */

static const struct piece *piece_at(const struct code_image *code, uint64_t addr)
{
	size_t i;

	for (i = 0; i < code->nr; i++)
		if (addr >= code->pieces[i].from && addr < code->pieces[i].to)
			return &code->pieces[i];
	return NULL;
}

static size_t copy(uint8_t *buf, size_t size, const uint8_t *from, uint64_t left)
{
	size = size < left ? size : left;
	memcpy(buf, from, size);
	return size;
}

/* What one source has: a file, code that was made, the kernel's own pages of code */
static size_t read_some(const struct code_image *code, uint64_t addr, uint8_t *buf, size_t size)
{
	const struct piece *p = piece_at(code, addr);
	const uint64_t at = addr - code->mapped_at;
	size_t n;

	if (p)
		return copy(buf, size, code->files->file[p->file].bytes + p->offset +
			    (addr - p->from), p->to - addr);
	n = code_bytes_get(&code->bytes, addr, buf, size);
	if (n || at >= code->mapped.len)
		return n;
	return copy(buf, size, code->mapped.code + at, code->mapped.len - at);
}

static size_t read_code(void *ctx, uint64_t addr, uint8_t *buf, size_t size)
{
	const struct code_image *code = ctx;
	size_t n = 0, more;

	while (n < size && (more = read_some(code, addr + n, buf + n, size - n)))
		n += more;
	return n;
}

static void tell_run(void *ctx, const struct code_run *run)
{
	const struct code_image *code = ctx;

	code->files->ran(code->files->ran_ctx, code, run);
}

struct code_image *code_image_new(struct code_files *files, const struct softpt_perf *perf)
{
	struct code_image *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->files = files;
	code->blocks = (struct code_blocks){
		.read = read_code, .ran = files->ran ? tell_run : NULL, .ctx = code,
	};
	code->vdso.code = softpt_perf_vdso(perf, &code->vdso.len);
	if (!code->vdso.code)
		code->vdso.code = vdso_here(&code->vdso.len);
	code->vdso32.code = softpt_perf_vdso32(perf, &code->vdso32.len);
	return code;
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
	for (i = 0; i < from->nr; i++)
		code->pieces[code->nr++] = from->pieces[i];
	return code;
}

static void keep(struct code_image *code, struct piece p)
{
	if (p.from < p.to)
		code->pieces[code->nr++] = p;
}

static void settle_strides(const struct code_files *files)
{
	strides_settle(files->strides[0]);
	strides_settle(files->strides[1]);
}

static void drop_blocks(struct code_image *code, uint64_t from, uint64_t to)
{
	if (code->blocks.ran)
		settle_strides(code->files);
	code_blocks_drop(&code->blocks, from, to);
}

/* Nothing is known of [from, to) any more. There is room for one piece more. */
static void hide(struct code_image *code, uint64_t from, uint64_t to)
{
	size_t i;

	drop_blocks(code, from, to);
	if (code->mapped.len && from < code->mapped_at + code->mapped.len && to > code->mapped_at)
		code->mapped.len = 0;
	for (i = code->nr; i-- > 0;) {
		struct piece p = code->pieces[i], before = p, behind = p;

		if (p.to <= from || p.from >= to)
			continue;
		code->pieces[i] = code->pieces[--code->nr];
		before.to = from < p.from ? p.from : from;
		behind.from = to > p.to ? p.to : to;
		behind.offset += behind.from - p.from;
		keep(code, before);
		keep(code, behind);
	}
}

/* Return: 0; -ENOENT: there is nothing of the file */
static int add_file(struct code_image *code, const struct softpt_perf_map *map, const char *path)
{
	struct piece p = {
		.from = map->addr, .to = map->addr + map->len, .offset = map->pgoff,
	};
	uint64_t size;

	if (find_file(code->files, path, &p.file))
		return -ENOENT;
	size = code->files->file[p.file].size;
	if (p.offset >= size)
		return -ENOENT;
	if (map->len > size - p.offset)
		p.to = p.from + (size - p.offset);
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
		    p->offset == map->pgoff && !strcmp(code->files->file[p->file].path, path))
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
	else
		drop_blocks(code, made->addr, made->addr + made->len);
	return code_bytes_put(&code->bytes, made->addr, made->bytes, made->len, newer);
}

bool code_image_has(const struct code_image *code, uint64_t ip)
{
	uint8_t byte;

	return read_some(code, ip, &byte, 1);
}

struct code_blocks *code_image_blocks(struct code_image *code)
{
	return &code->blocks;
}

struct strides *code_image_strides(struct code_image *code, bool branches)
{
	struct strides **strides = &code->files->strides[branches];

	if (!*strides)
		*strides = strides_new(branches);
	return *strides;
}

size_t code_image_read(struct code_image *code, uint64_t addr, uint8_t *buf, size_t size)
{
	return read_code(code, addr, buf, size);
}

void code_image_tell(struct code_image *code)
{
	settle_strides(code->files);
	code_blocks_tell(&code->blocks);
}

void code_image_free(struct code_image *code)
{
	if (!code)
		return;
	strides_forget(code->files->strides[0]);
	strides_forget(code->files->strides[1]);
	code_blocks_free(&code->blocks);
	code_bytes_free(&code->bytes);
	free(code->pieces);
	free(code);
}
