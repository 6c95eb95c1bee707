// SPDX-License-Identifier: BSD-2-Clause
/*
 * What changes its mappings: each call of code that a file holds is a line with the file's name and
 * the first instruction. Code of the same address is of one file after the other.
 */
#include "say.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096
#define HERE	((char *)0x10000000)
#define THERE	((char *)0x10100000)
#define FILES	3

static int files[FILES];

/* MOV $VALUE, %eax; RET */
static void put_code(unsigned char *at, unsigned int value)
{
	const unsigned char code[] = { 0xb8, value, 0, 0, 0, 0xc3 };

	memcpy(at, code, sizeof(code));
}

/* Two pages, each with a function at its begin */
static void make_file(int i)
{
	static unsigned char page[2 * PAGE];
	char name[16];

	put_code(page, 16 * i);
	put_code(page + PAGE, 16 * i + 1);
	snprintf(name, sizeof(name), "code-%d", i);
	files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (files[i] < 0 || write(files[i], page, sizeof(page)) != sizeof(page))
		err(1, "%s", name);
}

static void map(char *at, int file, int page, int pages)
{
	if (mmap(at, pages * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, files[file],
		 page * PAGE) != at)
		err(1, "mmap");
}

static void unmap(char *at, int pages)
{
	if (munmap(at, pages * PAGE))
		err(1, "munmap");
}

static void call(const char *at, int file, int page)
{
	if (((int (*)(void))at)() != 16 * file + page)
		errx(1, "not what was mapped");
	say("code-%d b8%02x000000\n", file, 16 * file + page);
}

/* Of no file */
static void call_made(void)
{
	unsigned char *at = mmap(HERE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	put_code(at, 99);
	if (((int (*)(void))at)() != 99)
		errx(1, "not what was made");
}

int main(void)
{
	int i;

	for (i = 0; i < FILES; i++)
		make_file(i);
	map(HERE, 0, 0, 2);
	call(HERE, 0, 0);
	unmap(HERE, 2);
	map(HERE, 1, 0, 2);	/* at once the other one is there */
	call(HERE, 1, 0);
	call(HERE + PAGE, 1, 1);
	map(HERE, 0, 0, 2);	/* the first one again, over it */
	call(HERE, 0, 0);
	map(HERE, 2, 0, 1);	/* over the half of it */
	call(HERE, 2, 0);
	call(HERE + PAGE, 0, 1);
	if (mremap(HERE + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, THERE) != THERE)
		err(1, "mremap");
	call(THERE, 0, 1);
	map(HERE + PAGE, 1, 0, 1);
	call(HERE + PAGE, 1, 0);
	call_made();
	map(HERE, 1, 1, 1);
	call(HERE, 1, 1);
	return 0;
}
