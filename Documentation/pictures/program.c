// SPDX-License-Identifier: BSD-2-Clause
/* What the picture shows: one process makes lines, another sorts them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES	24

static char lines[LINES][32];

static __attribute__((noinline)) unsigned int draw(void)
{
	static unsigned int seed = 20261121;

	seed = seed * 1664525 + 1013904223;
	return seed >> 8;
}

static __attribute__((noinline)) void make(FILE *to)
{
	int i;

	for (i = 0; i < LINES; i++)
		fprintf(to, "%u\n", draw() % 1000000);
	fflush(to);
}

static int compare(const void *a, const void *b)
{
	return atoi(a) - atoi(b);
}

static __attribute__((noinline)) int parse(FILE *from)
{
	int n = 0;

	while (n < LINES && fgets(lines[n], sizeof(lines[n]), from))
		n++;
	return n;
}

static __attribute__((noinline)) void sort(int n)
{
	qsort(lines, n, sizeof(lines[0]), compare);
}

static __attribute__((noinline)) void print(int n)
{
	int i;

	for (i = 0; i < n; i++)
		fputs(lines[i], stdout);
	fflush(stdout);
}

int main(void)
{
	int fd[2], n;

	if (pipe(fd))
		return 1;
	if (!fork()) {
		close(fd[0]);
		make(fdopen(fd[1], "w"));
		_exit(0);
	}
	close(fd[1]);
	n = parse(fdopen(fd[0], "r"));
	sort(n);
	print(n);
	wait(NULL);
	return 0;
}
