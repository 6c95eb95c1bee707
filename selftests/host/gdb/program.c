// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: program [loud]: calls, recursion, a signal handler and a longjmp(), and abort() in the
 * end; loud: calls of the C library meanwhile
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define APART	__attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf out;

APART int leaf(int x)
{
	sink += x;
	return x * 2;
}

APART int fall(int depth)
{
	if (depth)
		return fall(depth - 1) + 1;
	return leaf(depth);
}

APART int middle(int n)
{
	int i, s = 0;

	for (i = 0; i < n; i++)
		s += leaf(i);
	return s + fall(3);
}

APART void handler(int signo)
{
	sink = leaf(signo);
}

APART void jump(int depth)
{
	if (!depth)
		longjmp(out, 1);
	jump(depth - 1);
	sink = depth;
}

APART void end(int value)
{
	if (leaf(value) >= 0)
		abort();
}

int main(int argc, char **argv)
{
	int a, b;

	(void)argv;
	a = middle(4);
	if (argc > 1)
		printf("%d\n", a);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	if (!setjmp(out))
		jump(3);
	b = middle(a / 8);
	end(b);
	return 0;
}
