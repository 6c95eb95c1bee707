// SPDX-License-Identifier: BSD-2-Clause
/*
 * Code that is mapped twice, and changed through the other mapping once it was executed: longer
 * instructions are where shorter ones were. It has to add what either code adds.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE	4096
#define ADDS	20
#define ROUNDS	100000

/* xor %eax, %eax; ADDS times the instruction at @add, of @len bytes; ret */
static void write_code(unsigned char *at, const void *add, size_t len)
{
	int i;

	memcpy(at, "\x31\xc0", 2);
	for (i = 0, at += 2; i < ADDS; i++, at += len)
		memcpy(at, add, len);
	*at = 0xc3;
}

static int is_sound(int (*code)(void))
{
	const int sum = code();

	return sum == ADDS || sum == 2 * ADDS;
}

int main(void)
{
	const int fd = memfd_create("code", 0);
	unsigned char *there;
	void *here;
	int i, good = 1;

	if (fd < 0 || ftruncate(fd, SIZE))
		return 1;
	there = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	here = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (there == MAP_FAILED || here == MAP_FAILED)
		return 1;
	write_code(there, "\x83\xc0\x01", 3);
	good &= is_sound((int (*)(void))here);
	write_code(there, "\x48\x81\xc0\x02\x00\x00\x00", 7);
	for (i = 0; i < ROUNDS; i++)
		good &= is_sound((int (*)(void))here);
	puts(good ? "sound" : "neither");
	return 0;
}
