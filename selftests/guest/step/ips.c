// SPDX-License-Identifier: BSD-2-Clause
#include "step.h"

#include <stdlib.h>
#include <string.h>

void ips_add(struct ips *ips, uint64_t ip)
{
	if (ips->n && ips->ip[ips->n - 1] == ip)
		return;
	if (ips->n == ips->room) {
		ips->room = ips->room ? 2 * ips->room : 4096;
		ips->ip = realloc(ips->ip, ips->room * sizeof(*ips->ip));
		if (!ips->ip)
			kit_bail("no memory for %zu addresses", ips->room);
	}
	ips->ip[ips->n++] = ip;
}

void ips_free(struct ips *ips)
{
	free(ips->ip);
	*ips = (struct ips){ 0 };
}

void ips_from(struct ips *ips, uint64_t ip)
{
	size_t i;

	for (i = 0; i < ips->n && ips->ip[i] != ip; i++)
		;
	ips->n -= i;
	memmove(ips->ip, ips->ip + i, ips->n * sizeof(*ips->ip));
}

bool ips_same(const struct ips *got, const struct ips *want)
{
	size_t i, n = got->n < want->n ? got->n : want->n;

	for (i = 0; i < n && got->ip[i] == want->ip[i]; i++)
		;
	if (i == n && got->n == want->n && n)
		return true;
	kit_note("%zu instructions, expected %zu; the first to differ is %zu", got->n, want->n, i);
	for (size_t k = i > 3 ? i - 3 : 0; k < i + 3; k++)
		kit_note("%s %zu: %#lx, expected %#lx", k == i ? ">" : " ", k,
			 k < got->n ? (unsigned long)got->ip[k] : 0,
			 k < want->n ? (unsigned long)want->ip[k] : 0);
	return false;
}

void code_free(struct code *code)
{
	while (code->n)
		free(code->section[--code->n].bytes);
}
