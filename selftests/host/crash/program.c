// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: program null|smash|abort|thread: ends by a bad pointer in a function that is inlined, with
 * its stack overwritten, by abort(), or in a thread while others run
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART	__attribute__((noinline, noclone))

struct node {
	struct node *next;
	int value;
};

static volatile int sink;

static inline __attribute__((always_inline)) int sum(const struct node *n)
{
	int s = 0;

	while (s < 1000) {
		s += n->value;
		n = n->next;
	}
	return s;
}

APART int walk(const struct node *n, int depth)
{
	if (depth)
		return walk(n, depth - 1) + 1;
	return sum(n) + 1;
}

/* Return addresses around it are overwritten, and the pointer that it reads by */
APART int smash(char *volatile *p, size_t n)
{
	char buf[16];

	memset(buf, 0xff, n);
	sink = buf[3];
	return **p;
}

APART int choose(const char *what)
{
	static struct node last = { NULL, 1 }, first = { &last, 2 };
	char *volatile bad = (char *)-1;

	if (!strcmp(what, "smash"))
		return smash(&bad, 256) + 1;
	if (!strcmp(what, "abort"))
		abort();
	return walk(&first, 3) + 1;
}

static void *spin(void *arg)
{
	while (!sink)
		sink = 0;
	return arg;
}

static void *fault(void *arg)
{
	return (void *)(long)choose(arg);
}

int main(int argc, char **argv)
{
	pthread_t one, other;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "thread"))
		return choose(argv[1]) + 1;
	pthread_create(&one, NULL, spin, NULL);
	pthread_create(&other, NULL, fault, argv[1]);
	pthread_join(one, NULL);
	return 0;
}
