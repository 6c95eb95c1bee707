// SPDX-License-Identifier: BSD-2-Clause
/* functions FILE: how often each function of a recording was called */
#include <softpt/flow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function {
	char name[64];
	unsigned long calls;
};

struct functions {
	struct function function[4096];
	size_t n;
};

static void tell(void *ctx, const char *file, int err, const char *text)
{
	(void)ctx;
	fprintf(stderr, "%s: %s%s\n", file, err ? "" : "note: ", text);
}

static bool count(void *ctx, const struct softpt_flow_row *row)
{
	struct functions *all = ctx;
	struct softpt_symbol symbol;
	size_t i;

	softpt_flow_symbol(row, row->ip, &symbol);
	if (!symbol.name)
		return true;
	for (i = 0; i < all->n && strncmp(all->function[i].name, symbol.name, 63); i++)
		;
	if (i == sizeof(all->function) / sizeof(all->function[0]))
		return true;
	if (i == all->n)
		snprintf(all->function[all->n++].name, sizeof(all->function[0].name), "%s",
			 symbol.name);
	all->function[i].calls++;
	return true;
}

static int by_calls(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->calls < y->calls ? 1 : -(x->calls > y->calls);
}

int main(int argc, char **argv)
{
	static struct functions all;
	struct softpt_flow *flow;
	size_t i;
	int err;

	if (argc != 2 || softpt_flow_open(&flow, argv[1], NULL, tell, NULL))
		return 2;
	err = softpt_flow_walk(flow, 1u << SOFTPT_FLOW_CALL | 1u << SOFTPT_FLOW_JUMP, count, &all);
	qsort(all.function, all.n, sizeof(all.function[0]), by_calls);
	for (i = 0; i < all.n && i < 10; i++)
		printf("%10lu  %s\n", all.function[i].calls, all.function[i].name);
	printf("%llu instructions\n",
	       (unsigned long long)softpt_flow_totals(flow)->instructions);
	softpt_flow_close(flow);
	return err ? 2 : 0;
}
