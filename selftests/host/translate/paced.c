// SPDX-License-Identifier: BSD-2-Clause
/* Calls in an order that any part of the path shows, until stdin ends */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) static void begins(int i)
{
	sum += i;
}

__attribute__((noinline)) static void inner(int i)
{
	sum += i * 3;
}

__attribute__((noinline)) static void ends(int i)
{
	sum -= i;
}

int main(void)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	int i, k;

	printf("ready\n");
	fflush(stdout);
	for (i = 0; !(i % 50 == 0 && poll(&p, 1, 0)); i++) {
		begins(i);
		for (k = 0; k < i % 7; k++)
			inner(k);
		ends(i);
		if (i % 500 == 0)
			usleep(1000);
	}
	printf("%d\n", i % 350);
	return 0;
}
