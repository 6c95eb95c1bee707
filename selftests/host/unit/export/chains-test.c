// SPDX-License-Identifier: BSD-2-Clause
/* Chains of Pettis and Hansen, worked out by hand */
#include <stdio.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/export/propeller/chains.h"

#define MEMBERS	6

static const uint64_t times[MEMBERS] = { 1, 100, 90, 10, 100, 1 };

static void add_all(struct arcs *arcs, const struct arc *arc, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!arcs_add(arcs, arc[i].from, arc[i].to, arc[i].times))
			kit_bail("memory");
	arcs_sort(arcs);
}

/* Chains with a bar between them, as they lie in the program */
static const char *text_of(struct chains *c)
{
	static char text[128];
	uint32_t i, member;
	size_t len = 0;

	text[0] = 0;
	for (i = 0; i < c->n; i++) {
		if (chains_root(c, i) != i)
			continue;
		for (member = c->first[i]; member != NO_MEMBER; member = c->next[member])
			len += snprintf(text + len, sizeof(text) - len, " %u", member);
		len += snprintf(text + len, sizeof(text) - len, " |");
	}
	return text;
}

static void expect(struct chains *c, const char *want, const char *what)
{
	const char *text = text_of(c);

	kit_ok(!strcmp(text, want), "%s:%s", what, text);
	chains_free(c);
}

/* A loop 1 2 4 that goes by 3 one time in ten, and ends with 5 */
static const struct arc loop[] = {
	{ 0, 1, 1 }, { 1, 2, 90 }, { 1, 3, 10 }, { 2, 4, 90 }, { 3, 4, 10 }, { 4, 1, 99 },
	{ 4, 5, 1 },
};

static void test_ends(void)
{
	static const bool none[MEMBERS], entry[MEMBERS] = { true };
	struct arcs arcs = { 0 };
	struct chains c;

	add_all(&arcs, loop, sizeof(loop) / sizeof(loop[0]));
	kit_is(arcs.arc[0].times, 99, "the heaviest arc is first");
	kit_is(arcs.n, 7, "arcs");
	if (chains_make(&c, MEMBERS, times))
		kit_bail("memory");
	chains_join_ends(&c, &arcs, entry);
	kit_is(c.times[chains_root(&c, 1)], 100, "a chain is as hot as its hottest member");
	expect(&c, " 0 | 3 4 1 2 | 5 |", "the loop turned, its end in front of its begin");
	arcs_free(&arcs);

	arcs = (struct arcs){ 0 };
	add_all(&arcs, (const struct arc[]){ { 1, 0, 9 }, { 0, 2, 5 } }, 2);
	if (chains_make(&c, MEMBERS, times))
		kit_bail("memory");
	chains_join_ends(&c, &arcs, entry);
	expect(&c, " 0 2 | 1 | 3 | 4 | 5 |", "nothing is before an entry");
	if (chains_make(&c, MEMBERS, times))
		kit_bail("memory");
	chains_join_ends(&c, &arcs, none);
	expect(&c, " 1 0 2 | 3 | 4 | 5 |", "but where it is none");
	arcs_free(&arcs);
}

static void test_whole(void)
{
	struct arcs arcs = { 0 };
	struct chains c;

	add_all(&arcs, (const struct arc[]){
		{ 0, 1, 7 }, { 0, 2, 9 }, { 2, 0, 4 }, { 4, 1, 3 },
	}, 4);
	if (chains_make(&c, MEMBERS, times))
		kit_bail("memory");
	chains_join(&c, &arcs);
	expect(&c, " 3 | 4 0 2 1 | 5 |", "functions join wherever they are called");
	arcs_free(&arcs);
}

static void test_sums(void)
{
	struct arcs arcs = { 0 };

	add_all(&arcs, (const struct arc[]){ { 0, 1, 7 }, { 1, 0, 8 }, { 0, 1, 2 } }, 3);
	kit_ok(arcs.n == 2 && !arcs.arc[0].from && arcs.arc[0].times == 9,
	       "an arc that is told twice has the sum");
	arcs_free(&arcs);
}

int main(void)
{
	test_ends();
	test_whole();
	test_sums();
	return kit_done();
}
