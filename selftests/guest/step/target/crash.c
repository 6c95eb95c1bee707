// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program with a bug: of a list that lacks an entry, the third function down takes its size.
 * With `threads` for a round count, while three threads wait.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	const char *name;
	size_t size;
	struct entry *next;
};

static struct entry last = { "c", 3, NULL }, middle = { "b", 2, &last };
static struct entry first = { "a", 1, &middle };

static __attribute__((noipa)) struct entry *find(const char *name)
{
	struct entry *e = &first;

	while (e && strcmp(e->name, name))
		e = e->next;
	return e;
}

static __attribute__((noipa)) size_t size_of(const char *name)
{
	return find(name)->size;
}

static __attribute__((noipa)) size_t sum(char **names)
{
	size_t n = 0;

	for (; *names; names++)
		n += size_of(*names);
	return n;
}

/* Work, and a system call in each round */
static __attribute__((noipa)) void count(int rounds)
{
	static volatile unsigned int sink;
	int i;

	while (rounds--) {
		for (i = 0; i < 300; i++)
			sink += i & 3 ? i : 1;
		getppid();
	}
}

static pthread_barrier_t all_run;

static void *wait_for_end(void *arg)
{
	pthread_barrier_wait(&all_run);
	for (;;)
		pause();
	return arg;
}

static void threads(int n)
{
	pthread_t thread;

	pthread_barrier_init(&all_run, NULL, n + 1);
	while (n--)
		pthread_create(&thread, NULL, wait_for_end, NULL);
	pthread_barrier_wait(&all_run);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "threads"))
		threads(3);
	count(argc > 1 ? atoi(argv[1]) : 0);
	printf("%zu bytes\n", sum(argc > 2 ? argv + 2 : argv + argc));
	return 7;
}
