// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that pass places, of which some begin what is recorded and some end it. With an argument
 * they do so for each line of stdin, and "ready" is printed before. With two it sleeps, once, and
 * ends well if it was not woken.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe.h"

#define ROUNDS	100
#define CALLED	__attribute__((noinline, noclone))

static volatile int sink;

CALLED void first(int n)
{
	sink += n;
}

CALLED void last(int n)
{
	sink -= n;
}

CALLED void inner(int n)
{
	sink ^= n;
}

CALLED void outer(int n)
{
	sink |= n;
}

/* first() is left before last() is come to: no call is around what is recorded. */
static void pass(int n)
{
	outer(n);
	first(n);
	inner(n);
	sink += getppid();
	last(n);
	outer(n);
	sink += getpgid(0);
	sink++; /* @line */
	inner(n);
	inner(n);
	PROBE(end, 0);
	sink += getsid(0);
	outer(n);
}

static void *thread(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		pass(i);
	return arg;
}

static void run(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, thread, NULL))
		exit(1);
	thread(NULL);
	pthread_join(other, NULL);
	puts("done");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[80];

	(void)argv;
	if (argc < 2) {
		run();
		return 7;
	}
	puts("ready");
	fflush(stdout);
	if (argc > 2)
		return sleep(2) ? 1 : 7;
	while (fgets(line, sizeof(line), stdin) && *line != 'q')
		run();
	return 7;
}
