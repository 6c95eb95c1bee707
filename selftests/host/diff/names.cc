// SPDX-License-Identifier: BSD-2-Clause
// Two functions that look the same where arguments are left out; one of them is called more often in a newer build
#ifndef NEWER
#define NEWER	0
#endif

namespace net {
__attribute__((noinline)) int handle(int x)
{
	asm volatile("");
	return x * 2;
}

__attribute__((noinline)) int handle(long x)
{
	asm volatile("");
	return x * 3;
}
}

int main()
{
	int i, sum = 0;

	for (i = 0; i < 5 + NEWER; i++)
		sum += net::handle(i);
	for (i = 0; i < 5; i++)
		sum += net::handle(5L);
	return sum == 0;
}
