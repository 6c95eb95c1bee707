// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/syscalls.h"
#include "../../cli/tool.h"
#include "calls.h"
#include "files.h"
#include "sites.h"

#define FILES_MOST	4096	/* a process may map others without end */

/* ---- the file itself ---- */

/* A regular file of that number; nothing else is opened, whatever the process calls it. */
static int open_if(const char *path, unsigned long inode)
{
	int at = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat st;
	char name[32];

	if (at < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	if (!fstat(at, &st) && S_ISREG(st.st_mode) && st.st_ino == inode)
		fd = open(name, O_RDONLY | O_CLOEXEC);
	close(at);
	return fd;
}

/* The kernel tells of a file that it has been removed. */
static bool is_program(const struct inside *in, const char *path)
{
	const size_t n = strlen(in->program);

	return !strncmp(path, in->program, n) && (!path[n] || !strcmp(path + n, " (deleted)"));
}

/* What is mapped there, in whatever name space, and if it has been removed, too */
static int open_mapped(const struct inside *in, pid_t pid, const struct mapped *m)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, m->from,
		 m->to);
	fd = open_if(path, m->inode);
	if (fd < 0 && is_program(in, m->path))
		fd = open_if(in->image, m->inode);
	if (fd < 0)
		fd = open_if(m->path, m->inode);
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, m->path);
		fd = open_if(path, m->inode);
	}
	return fd;
}

/* ---- functions ---- */

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

static void find_site(const struct inside *in, struct inside_name *name, struct inside_file *f,
		      const char *path)
{
	struct site_counts counts;

	site_look(name, path, is_program(in, f->path), &f->doors[name->role].sites, &counts);
	site_tell(name, f->path, &counts);
}

/* What is not there is told: of the program it was when the recording began. */
static void find_function(const struct inside *in, struct inside_name *name,
			  struct inside_file *f, const char *path)
{
	const char *why;

	if (name->library ? !is_library(f->path, name->library) : !is_program(in, f->path))
		return;
	name->mapped = true;
	why = named_all(path, name->function, &f->doors[name->role].functions.list);
	if (why && name->library)
		refuse(f->path, "%s: %s", name->text, why);
}

/* ---- system calls ---- */

/* Those of which the runtime has to know (userspace/translate/syscall.c) */
static bool is_watched(uint32_t nr)
{
	switch (nr) {
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_munmap:
	case SYS_mremap:
	case SYS_pkey_mprotect:
	case SYS_rt_sigaction:
	case SYS_rt_sigprocmask:
	case SYS_rt_sigreturn:
	case SYS_rt_sigsuspend:
	case SYS_sigaltstack:
	case SYS_ppoll:
	case SYS_pselect6:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
	case SYS_execve:
	case SYS_execveat:
	case SYS_exit:
	case SYS_rseq:
	case SYS_arch_prctl:
	case SYS_ptrace:
		return true;
	}
	return false;
}

/* Others, where the runtime has loaded the program: it is /proc/PID/exe, and has its own break */
static bool is_watched_loaded(uint32_t nr)
{
	switch (nr) {
	case SYS_brk:
	case SYS_open:
	case SYS_openat:
	case SYS_stat:
	case SYS_newfstatat:
	case SYS_statx:
	case SYS_access:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_readlink:
	case SYS_readlinkat:
		return true;
	}
	return false;
}

/* A C library begins and ends threads by these: who has all of them makes the program's calls. */
#define HAS_ACTION	1
#define HAS_CLONE	2
#define HAS_EXIT	4
#define HAS_ALL	(HAS_ACTION | HAS_CLONE | HAS_EXIT)

static unsigned int kind_of(uint32_t nr)
{
	switch (nr) {
	case SYS_rt_sigaction:
		return HAS_ACTION;
	case SYS_clone:
	case SYS_clone3:
		return HAS_CLONE;
	case SYS_exit:
		return HAS_EXIT;
	}
	return 0;
}

/* What a file's system calls are added to */
struct finding {
	const struct inside *in;
	struct inside_file *f;
	unsigned int kinds;
	bool failed;
};

static bool add_offset(struct named_list *list, uint64_t offset)
{
	uint64_t *more = reallocarray(list->offset, list->nr + 1, sizeof(*more));

	if (!more)
		return false;
	list->offset = more;
	list->offset[list->nr++] = offset;
	return true;
}

static void add_call(void *ctx, uint64_t offset, uint32_t nr)
{
	struct finding *all = ctx;

	all->kinds |= kind_of(nr);
	if (nr == SYSCALLS_UNKNOWN || is_watched(nr) || calls_have(all->in, nr))
		all->failed |= !add_offset(&all->f->calls.list, offset);
	else if (is_watched_loaded(nr))
		all->failed |= !add_offset(&all->f->loaded.list, offset);
}

static void find_calls(struct inside *in, struct inside_file *f, int fd)
{
	struct finding all = { .in = in, .f = f };
	int err = syscalls_each(fd, add_call, &all, &in->looks);

	f->odd = all.failed || (err && err != -ENOEXEC);
	f->library = all.kinds == HAS_ALL;
}

/* ---- all of it ---- */

static bool read_site_code(struct inside_doors *d, int fd)
{
	size_t i;

	d->site_code = calloc(d->sites.nr + 1, sizeof(*d->site_code));
	for (i = 0; d->site_code && i < d->sites.nr; i++)
		if (pread(fd, d->site_code[i], sizeof(*d->site_code),
			  (off_t)d->sites.site[i].offset) <= 0)
			return false;
	return d->site_code;
}

/* Return: whether the code of all places is known */
static bool read_code(struct inside_places *p, int fd)
{
	size_t i;

	p->code = calloc(p->list.nr + 1, sizeof(*p->code));
	for (i = 0; p->code && i < p->list.nr; i++)
		if (pread(fd, p->code[i], sizeof(*p->code), (off_t)p->list.offset[i]) <= 0)
			return false;
	return p->code;
}

static void read_doors(struct inside_doors *d, int fd)
{
	if (!read_code(&d->functions, fd))
		named_list_free(&d->functions.list);
	if (!read_site_code(d, fd))
		site_list_free(&d->sites);
}

static void read_file(struct inside *in, struct inside_file *f, int fd)
{
	unsigned int i;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (i = 0; i < in->nr; i++)
		if (in->name[i].kind == INSIDE_FUNCTION)
			find_function(in, &in->name[i], f, path);
		else if (in->name[i].kind != INSIDE_CALL)
			find_site(in, &in->name[i], f, path);
	find_calls(in, f, fd);
	for (i = 0; i < INSIDE_ROLES; i++)
		read_doors(&f->doors[i], fd);
	f->odd |= !read_code(&f->calls, fd) || !read_code(&f->loaded, fd);
}

static unsigned int bucket_of(unsigned long inode)
{
	return inode % INSIDE_BUCKETS;
}

static struct inside_file *find_file(const struct inside *in, const struct mapped *m)
{
	struct inside_file *f;

	for (f = in->file[bucket_of(m->inode)]; f; f = f->next)
		if (f->inode == m->inode && f->device == m->device && !strcmp(f->path, m->path))
			return f;
	return NULL;
}

const struct inside_file *inside_file_seen(const struct inside *in, const struct mapped *m)
{
	return find_file(in, m);
}

static struct inside_file *add_file(struct inside *in, const struct mapped *m)
{
	struct inside_file **bucket = &in->file[bucket_of(m->inode)];
	struct inside_file *f = calloc(1, sizeof(*f));

	if (f)
		f->path = strdup(m->path);
	if (!f || !f->path) {
		free(f);
		return NULL;
	}
	f->inode = m->inode;
	f->device = m->device;
	f->next = *bucket;
	*bucket = f;
	in->files++;
	return f;
}

const struct inside_file *inside_file(struct inside *in, pid_t pid, const struct mapped *m)
{
	struct inside_file *f = find_file(in, m);
	int fd;

	if (f)
		return f;
	fd = in->files < FILES_MOST ? open_mapped(in, pid, m) : -1;
	if (fd < 0)
		return NULL;
	f = add_file(in, m);
	if (f)
		read_file(in, f, fd);
	close(fd);
	return f;
}

static void free_places(struct inside_places *p)
{
	named_list_free(&p->list);
	free(p->code);
}

static void free_doors(struct inside_doors *d)
{
	free_places(&d->functions);
	site_list_free(&d->sites);
	free(d->site_code);
}

static void free_file(struct inside_file *f)
{
	unsigned int i;

	for (i = 0; i < INSIDE_ROLES; i++)
		free_doors(&f->doors[i]);
	free_places(&f->calls);
	free_places(&f->loaded);
	free(f->path);
	free(f);
}

void inside_free_files(struct inside *in)
{
	struct inside_file *f;
	unsigned int i;

	for (i = 0; i < INSIDE_BUCKETS; i++)
		while ((f = in->file[i])) {
			in->file[i] = f->next;
			free_file(f);
		}
}
