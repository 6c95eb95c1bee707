// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code/syscalls.h"
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

/* System calls of which the runtime has to know (userspace/translate/syscall.c) */
static bool is_watched(uint32_t nr)
{
	switch (nr) {
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_munmap:
	case SYS_mremap:
	case SYS_pkey_mprotect:
	case SYS_shmat:
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
		return true;
	}
	return false;
}

/* First bytes: of what can't be read they are 0, and there is no breakpoint. */
static void read_bytes(struct inside_file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t i;

	f->was = calloc(f->list.nr + 1, 1);
	for (i = 0; f->was && i < f->list.nr; i++)
		if (fd < 0 || pread(fd, &f->was[i], 1, (off_t)f->list.offset[i]) != 1)
			f->was[i] = 0;
	if (fd >= 0)
		close(fd);
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
	path = strcmp(path, in->program) ? path : in->image;
	read_bytes(f, path);
	syscalls_find(path, is_watched, &f->calls);
	return f;
}

void inside_free_files(struct inside *in)
{
	struct inside_file *f;

	while ((f = in->file)) {
		in->file = f->next;
		named_list_free(&f->list);
		named_list_free(&f->calls);
		free(f->was);
		free(f->path);
		free(f);
	}
}
