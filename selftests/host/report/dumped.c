// SPDX-License-Identifier: BSD-2-Clause
/* Code that a compiler has made, with its names in a jit-PID.dump beside the program */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*function_t)(int x);

/* lea 1(%rdi), %eax; ret */
static const unsigned char code[] = { 0x8d, 0x47, 0x01, 0xc3 };

struct header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, len, number;
};

static void tell(int fd, const void *at, const char *name, uint64_t number)
{
	const struct load load = {
		.size = sizeof(load) + strlen(name) + 1 + sizeof(code), .pid = getpid(),
		.vma = (uintptr_t)at, .addr = (uintptr_t)at, .len = sizeof(code), .number = number,
	};

	write(fd, &load, sizeof(load));
	write(fd, name, strlen(name) + 1);
	write(fd, code, sizeof(code));
}

int main(void)
{
	const struct header header = {
		.magic = 0x4a695444, .version = 1, .size = sizeof(header), .machine = 62,
	};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char self[PATH_MAX] = "", path[PATH_MAX + 64];
	int fd, i, sum = 0;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dirname(self), getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	write(fd, &header, sizeof(header));
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	for (i = 0; i < 2; i++)
		memcpy(page + 64 * i, code, sizeof(code));
	tell(fd, page, "add one", 1);
	tell(fd, page + 64, "old", 2);
	for (i = 0; i < 7; i++)
		sum = ((function_t)page)(sum);
	tell(fd, page + 64, "new", 3);
	sum = ((function_t)(page + 64))(sum);
	return sum != 8;
}
