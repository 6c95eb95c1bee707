// SPDX-License-Identifier: BSD-2-Clause
/* Code that is written beside code that another thread executes */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "made.h"

static unsigned char *code;

static volatile int stop;

/* This does not change, on a page that does. */
static void *beside(void *at)
{
	long wrong = 0;

	while (!stop)
		wrong += call(at) != 7;
	return (void *)wrong;
}

static long while_executed(void)
{
	pthread_t thread;
	void *wrong;
	long sum = 0;
	int i;

	put_return(code + 2048, 7);
	pthread_create(&thread, NULL, beside, code + 2048);
	for (i = 0; i < 200; i++) {
		put_return(code, i);
		sum += call(code);
	}
	stop = 1;
	pthread_join(thread, &wrong);
	return (long)wrong ? -1 : sum;
}

int main(void)
{
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (code == MAP_FAILED)
		return 1;
	printf("while executed %ld\n", while_executed());
	return 0;
}
