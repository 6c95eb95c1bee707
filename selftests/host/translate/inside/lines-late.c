// SPDX-License-Identifier: BSD-2-Clause
/* A library that lines.c loads when it runs, and again when it is gone */
#include "probe.h"

SEMAPHORE(late_semaphore);

void late(void (*inner)(int), int n)
{
	static volatile int sink;

	sink += n;
	if (late_semaphore)
		PROBE(late, late_semaphore);
	inner(n); /* @late */
	inner(n);
	sink -= n;
}
