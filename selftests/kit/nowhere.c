// SPDX-License-Identifier: BSD-2-Clause
/* Memory that does not come: this process's alone, not its children's. And who waits for it */
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096

int kit_userfault(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		return -errno;
	return fd;
}

static void *watched(int userfault, unsigned int mode, const void *bytes, size_t n)
{
	struct uffdio_register range = { .mode = mode };
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (n)
		memcpy(page, bytes, n);
	range.range.start = (uintptr_t)page;
	range.range.len = PAGE;
	if (!ioctl(userfault, UFFDIO_REGISTER, &range))
		return page;
	munmap(page, PAGE);
	return NULL;
}

void *kit_missing(int userfault)
{
	return watched(userfault, UFFDIO_REGISTER_MODE_MISSING, NULL, 0);
}

void *kit_unwritable(int userfault, const void *bytes, size_t n)
{
	void *page = watched(userfault, UFFDIO_REGISTER_MODE_WP, bytes, n);
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)page, PAGE }, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (!page || !ioctl(userfault, UFFDIO_WRITEPROTECT, &protect))
		return page;
	munmap(page, PAGE);
	return NULL;
}

long kit_sleeps_in(pid_t tid)
{
	char path[32];
	long nr = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%ld", &nr) != 1)
			nr = -1;
		fclose(f);
	}
	return nr;
}

bool kit_waits(pid_t tid, long nr)
{
	int i;

	for (i = 0; i < 6000; i++) {
		if (kit_sleeps_in(tid) == nr)
			return true;
		usleep(10000);
	}
	return false;
}
