// SPDX-License-Identifier: BSD-2-Clause
/* The shared file of a translated program, and what can be translated at all */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "source/share.h"

#define RUNTIME	"softpt-translate"

/* Who reads what another process has cut off dies of it: nobody can. */
static bool set_size(int fd)
{
	return !ftruncate(fd, SOFTPT_XL_SIZE) &&
	       !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int xl_share_open(struct xl_share *s)
{
	int fd = memfd_create(XL_SHARE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : xl_share_adopt(s, fd);
}

/* As the kernel names it: a process that is recorded compares. */
static void set_runtime(struct softpt_xl_shared *shared)
{
	char path[PATH_MAX];

	_Static_assert(SOFTPT_XL_NAME >= PATH_MAX, "what realpath() may write");
	if (!xl_runtime(path, sizeof(path)) || !realpath(path, shared->runtime))
		shared->runtime[0] = 0;
}

int xl_share_adopt(struct xl_share *s, int fd)
{
	struct softpt_xl_shared *shared;

	s->fd = fd;
	s->map = MAP_FAILED;
	if (fcntl(fd, F_GET_SEALS) != 0) {	/* of another file there are none */
		close(fd);
		s->map = NULL;
		return -EINVAL;
	}
	if (set_size(s->fd))
		s->map = mmap(NULL, SOFTPT_XL_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_NORESERVE, s->fd, 0);
	if (s->map == MAP_FAILED) {
		int err = -errno;

		close(s->fd);
		s->map = NULL;
		return err;
	}
	shared = s->map;
	shared->magic = SOFTPT_XL_MAGIC;
	shared->recorder = getpid();
	shared->fd = s->fd;
	set_runtime(shared);
	return 0;
}

void xl_share_close(struct xl_share *s)
{
	struct softpt_xl_shared *shared = s->map;

	if (!s->map)
		return;
	shared->recorder = 0;
	munmap(s->map, SOFTPT_XL_SIZE);
	close(s->fd);
	s->map = NULL;
}

void xl_share_free(const struct xl_share *s, uint32_t process)
{
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, softpt_xl_area(process),
		  SOFTPT_XL_AREA);
}

/* Beside this program where it was built, and in ../libexec/softpt where it is installed */
bool xl_runtime(char *path, size_t size)
{
	static const char *const folders[] = { "", "../libexec/softpt/" };
	char here[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);
	size_t i;
	int len;

	if (n <= 0)
		return false;
	here[n] = '\0';
	here[strrchr(here, '/') - here + 1] = '\0';
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		len = snprintf(path, size, "%s%s%s", here, folders[i], RUNTIME);
		if (len >= 0 && (size_t)len < size && !access(path, X_OK))
			return true;
	}
	return false;
}

/* @dir/@name, where that is a program */
static bool try_path(const char *dir, int len, const char *name, char *path, size_t size)
{
	struct stat st;
	int n = snprintf(path, size, "%.*s%s%s", len, dir, len ? "/" : "", name);

	return n > 0 && (size_t)n < size && !access(path, X_OK) && !stat(path, &st) &&
	       S_ISREG(st.st_mode);
}

int xl_find(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH");
	size_t len;

	if (strchr(name, '/'))
		return try_path("", 0, name, path, size) ? 0 :
		       access(name, F_OK) ? -ENOENT : -EACCES;
	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (;; dirs += len + 1) {
		len = strcspn(dirs, ":");
		if (try_path(dirs, len, name, path, size))
			return 0;
		if (!dirs[len])
			return -ENOENT;
	}
}

static bool gains(int fd)
{
	struct stat st;

	return fstat(fd, &st) || st.st_mode & S_ISUID ||
	       (st.st_mode & 02010) == 02010 ||
	       fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* The first line of a script names its interpreter, which is no script. */
static const char *judge(int fd, bool script)
{
	char head[256] = "", *end;
	const Elf64_Ehdr *e = (const void *)head;
	const char *why;
	int interpreter;

	if (gains(fd))
		return "it gains privileges";
	if (read(fd, head, sizeof(head) - 1) < 4)
		return "it is no program";
	if (!memcmp(head, ELFMAG, SELFMAG)) {
		if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != EM_X86_64)
			return "it is no 64-bit program for x86";
		return NULL;
	}
	if (memcmp(head, "#!", 2) || script)
		return "it is no program for Linux on x86-64";
	end = head + 2 + strspn(head + 2, " \t");
	end[strcspn(end, " \t\n")] = 0;
	interpreter = open(end, O_RDONLY | O_CLOEXEC);
	if (interpreter < 0)
		return "its interpreter can't be read";
	why = judge(interpreter, true);
	close(interpreter);
	return why;
}

const char *xl_refusal(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why;

	if (fd < 0)
		return "it can't be read";
	why = judge(fd, false);
	close(fd);
	return why;
}
