// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that is started, and of which calls of work() are recorded: what it sees of that.
 * Without an argument it exits with 0 if work() has a breakpoint, and with 1 if it has none. With
 * one it calls work() until the breakpoint has gone: with "leave" a child does, and it ends;
 * with "drop" it gives up its rights before.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) static void work(int n)
{
	int i;

	for (i = 0; i < n; i++)
		sum += i;
}

static int has_breakpoint(void)
{
	return *(volatile unsigned char *)(uintptr_t)work == 0xcc;
}

/* As the kernel names it */
static void print_exe(void)
{
	char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	printf("%s, %s 4 GB\n", strrchr(path, '/') + 1,
	       (uintptr_t)work >> 32 ? "above" : "below");
}

/* Return: the first number of call that had none, or 0 after some seconds */
static long wait_native(void)
{
	const time_t end = time(NULL) + 20;
	long n;

	for (n = 1; time(NULL) < end; n++) {
		work(10);
		if (!has_breakpoint())
			return n;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const int has = has_breakpoint();

	setvbuf(stdout, NULL, _IONBF, 0);
	print_exe();
	work(100);
	if (argc == 1)
		return has ? 0 : 1;
	if (!strcmp(argv[1], "leave") && fork())
		return 6;
	if (!strcmp(argv[1], "drop") && setuid(65534))
		return 1;
	if (!has || !wait_native())
		return 1;
	printf("native\n");
	if (!strcmp(argv[1], "wait"))
		pause();
	if (!strcmp(argv[1], "die"))
		abort();
	return 5;
}
