// SPDX-License-Identifier: BSD-2-Clause
/* A library that hooked.c loads when it runs */
int late(int n)
{
	return n + 1;
}
