// SPDX-License-Identifier: BSD-2-Clause
/* A library that lines.c loads when it runs, and again when it is gone */
void late(void (*inner)(int), int n)
{
	static volatile int sink;

	sink += n;
	inner(n); /* @late */
	inner(n);
	sink -= n;
}
