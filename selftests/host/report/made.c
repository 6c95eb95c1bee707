// SPDX-License-Identifier: BSD-2-Clause
/* Code that a compiler has made, with its names for perf; and a child that has made none */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*function_t)(int x);

/* lea 1(%rdi), %eax; ret */
static const unsigned char code[] = { 0x8d, 0x47, 0x01, 0xc3 };

int main(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, sum = 0, status = 0;
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	for (i = 0; i < 3; i++)
		memcpy(page + 64 * i, code, sizeof(code));
	fprintf(map, "%lx %zx JS:*add one.js:1\n", (long)page, sizeof(code));
	fprintf(map, "%lx %zx old\nno row\n%lx %zx new\n", (long)page + 64, sizeof(code),
		(long)page + 64, sizeof(code));
	fclose(map);
	for (i = 0; i < 7; i++)
		sum = ((function_t)page)(sum);
	sum = ((function_t)(page + 64))(sum);
	sum = ((function_t)(page + 128))(sum);
	if (!fork())
		_exit(((function_t)page)(0) != 1);
	wait(&status);
	return sum != 9 || status;
}
