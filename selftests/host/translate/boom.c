// SPDX-License-Identifier: BSD-2-Clause
/* It reads address 0, some calls deep, when a line comes on stdin. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static volatile long zero;

__attribute__((noinline)) static long deep(int n)
{
	return n ? deep(n - 1) + zero : *(volatile long *)zero;
}

int main(void)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };

	printf("ready\n");
	fflush(stdout);
	while (!poll(&p, 1, 1))
		;
	return (int)deep(5);
}
