// SPDX-License-Identifier: BSD-2-Clause
/* Code that is written, rewritten, patched, mapped over and unmapped while it is executed */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made.h"

static unsigned char *code;

static void *map(size_t size, int prot)
{
	return mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A page that is writable and executable: hot, rewritten, hot again */
static long rewritten(void)
{
	long sum = 0;
	int i, k;

	for (i = 0; i < 200; i++) {
		put_return(code + 64, (uint32_t)i);
		for (k = 0; k < 50; k++)
			sum += call(code + 64);
	}
	return sum;
}

/* By mprotect(), as those do that never have both */
static long protected(void)
{
	unsigned char *page = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	long sum = 0;
	int i, k;

	for (i = 0; i < 100; i++) {
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		put_return(page, (uint32_t)i * 3);
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
		for (k = 0; k < 40; k++)
			sum += call(page);
	}
	munmap(page, 4096);
	return sum;
}

/* Each time with another number of branches: a follower must know which code was there when */
static long reshaped(void)
{
	/* xor %eax, %eax; jz over the next; ud2 */
	static const unsigned char branch[] = { 0x31, 0xc0, 0x74, 2, 0x0f, 0x0b };
	unsigned char *page = map(4096, PROT_READ | PROT_WRITE);
	long sum = 0;
	int i, k;

	for (i = 0; i < 60; i++) {
		unsigned char *at = page;

		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		for (k = 0; k < i % 3; k++, at += sizeof(branch))
			memcpy(at, branch, sizeof(branch));
		put_return(at, (uint32_t)i);
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
		for (k = 0; k < 40; k++)
			sum += call(page);
	}
	munmap(page, 4096);
	return sum;
}

/* By a system call that writes */
static long read_into(void)
{
	unsigned char bytes[6];
	long sum = 0;
	int i, fd[2];

	if (pipe(fd))
		return -1;
	for (i = 0; i < 50; i++) {
		put_return(bytes, (uint32_t)i * 7);
		if (write(fd[1], bytes, 6) != 6 || read(fd[0], code + 128, 6) != 6)
			return -1;
		sum += call(code + 128);
		sum += call(code + 128);
	}
	return sum;
}

/* Another mapping in its place */
static long mapped_over(void)
{
	unsigned char *page = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	long sum = 0;
	int i;

	for (i = 0; i < 50; i++) {
		page = mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		put_return(page, (uint32_t)i * 11);
		sum += call(page) + call(page);
	}
	return sum;
}

/*
 * A store into the very next instructions: movb $value, the operand of the MOV behind it; mov
 * $?, %eax; ret
 */
static long ahead(void)
{
	unsigned char *at = code + 256;
	long sum = 0;
	int i;

	/* movb %dil, 1(%rip) */
	static const unsigned char bytes[] = {
		0x40, 0x88, 0x3d, 1, 0, 0, 0,
		0xb8, 0, 0, 0, 0,
		0xc3
	};

	memcpy(at, bytes, sizeof(bytes));
	for (i = 0; i < 100; i++) {
		int (*f)(int) = (int (*)(int))at;

		sum += f(i);
	}
	return sum;
}

/* Right before what cannot be read, as a compiler's reserve is */
static long at_the_end(void)
{
	unsigned char *pages = map(8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	long sum = 0;
	int i;

	mprotect(pages + 4096, 4096, PROT_NONE);
	for (i = 0; i < 10; i++) {
		put_return(pages + 4096 - 8 * (i + 1), i);
		sum = sum * 3 + call(pages + 4096 - 8 * (i + 1));
	}
	munmap(pages, 8192);
	return sum;
}

int main(void)
{
	code = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	printf("rewritten %ld\n", rewritten());
	printf("protected %ld\n", protected());
	printf("reshaped %ld\n", reshaped());
	printf("read %ld\n", read_into());
	printf("mapped over %ld\n", mapped_over());
	printf("ahead %ld\n", ahead());
	printf("at the end %ld\n", at_the_end());
	return 0;
}
