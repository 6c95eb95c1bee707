// SPDX-License-Identifier: BSD-2-Clause
/* Functions and what is inlined in them: what is added, what is kept, and in which order */
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/coverage/contexts.h"

static uint32_t name(struct contexts *c, const char *text)
{
	return contexts_name(c, text, strlen(text));
}

static struct context_spot spot(uint16_t offset, uint32_t discriminator)
{
	return (struct context_spot){ offset, discriminator };
}

static bool is_line(const struct context_line *line, uint16_t offset, uint32_t discriminator,
		    uint64_t times)
{
	return line && line->spot.offset == offset && line->spot.discriminator == discriminator &&
	       line->times == times;
}

/* One copy: the largest number of a line. Another one: what that has is added. */
static void test_copies(void)
{
	struct contexts *c = contexts_new();
	const uint32_t f = contexts_function(c, name(c, "f"));
	const struct context_line *line;

	contexts_begin_copy(c);
	contexts_execute(c, f, spot(7, 0), 3);
	contexts_execute(c, f, spot(2, 4), 10);
	contexts_execute(c, f, spot(2, 0), 1);
	contexts_execute(c, f, spot(2, 4), 9);
	contexts_begin_copy(c);
	contexts_execute(c, f, spot(2, 4), 5);
	kit_ok(contexts_function(c, name(c, "f")) == f, "a name has one function");
	kit_ok(!contexts_finish(c), "in order");
	line = contexts_first(c)->lines;
	kit_ok(is_line(line, 2, 0, 1), "by line");
	line = line->next;
	kit_ok(is_line(line, 2, 4, 15), "the largest number of each copy");
	line = line->next;
	kit_ok(is_line(line, 7, 0, 3) && !line->next, "the last line");
	kit_ok(contexts_first(c)->total == 19, "total %llu",
	       (unsigned long long)contexts_first(c)->total);
	contexts_free(c);
}

static void test_inlined(void)
{
	struct contexts *c = contexts_new();
	const uint32_t f = contexts_function(c, name(c, "f"));
	const uint32_t g = contexts_inlined(c, f, spot(3, 0), name(c, "g"));
	const uint32_t h = contexts_inlined(c, g, spot(1, 2), name(c, "h"));
	const uint32_t alone = contexts_function(c, name(c, "h"));
	const struct context *first;

	contexts_begin_copy(c);
	contexts_execute(c, h, spot(1, 0), 100);
	contexts_execute(c, g, spot(1, 0), 20);
	contexts_execute(c, f, spot(1, 0), 1);
	contexts_execute(c, alone, spot(1, 0), 500);
	contexts_enter(c, alone, 250);
	contexts_enter(c, alone, 250);
	kit_ok(!contexts_finish(c), "in order");
	first = contexts_first(c);
	kit_ok(!strcmp(first->name, "h") && first->total == 500 && first->entered == 500 &&
	       !first->inlined, "the largest total is first, and h alone is not h in g");
	first = first->next;
	kit_ok(!strcmp(first->name, "f") && first->total == 121 && !first->next,
	       "totals have what is inlined");
	kit_ok(!strcmp(first->inlined->name, "g") && first->inlined->total == 120 &&
	       first->inlined->spot.offset == 3, "g in f");
	first = first->inlined->inlined;
	kit_ok(first && !strcmp(first->name, "h") && first->total == 100 &&
	       first->spot.discriminator == 2 && !first->next, "h in g in f");
	contexts_free(c);
}

static void test_calls(void)
{
	struct contexts *c = contexts_new();
	const uint32_t f = contexts_function(c, name(c, "f"));
	const struct context_target *target;
	uint32_t line;

	contexts_begin_copy(c);
	line = contexts_execute(c, f, spot(1, 0), 30);
	contexts_call(c, line, name(c, "few"), 4);
	contexts_call(c, line, name(c, "many"), 10);
	contexts_call(c, line, name(c, "many"), 11);
	contexts_call(c, line, contexts_name(c, "fewer@VERSION", 5), 4);
	kit_ok(!contexts_finish(c), "in order");
	target = contexts_first(c)->lines->targets;
	kit_ok(!strcmp(target->name, "many") && target->times == 21, "calls are added");
	target = target->next;
	kit_ok(!strcmp(target->name, "few") && target->times == 4, "the same times: by name");
	target = target->next;
	kit_ok(!strcmp(target->name, "fewer") && !target->next, "a part of a text is a name");
	contexts_free(c);
}

/* What has no number, for there was no memory, has no effect. */
static void test_none(void)
{
	struct contexts *c = contexts_new();

	kit_ok(contexts_function(c, CONTEXT_NONE) == CONTEXT_NONE &&
	       contexts_inlined(c, CONTEXT_NONE, spot(0, 0), name(c, "f")) == CONTEXT_NONE &&
	       contexts_execute(c, CONTEXT_NONE, spot(0, 0), 1) == CONTEXT_NONE, "no number");
	contexts_call(c, CONTEXT_NONE, CONTEXT_NONE, 1);
	contexts_enter(c, CONTEXT_NONE, 1);
	kit_ok(!contexts_finish(c) && !contexts_first(c), "nothing");
	contexts_free(c);
}

int main(void)
{
	test_copies();
	test_inlined();
	test_calls();
	test_none();
	return kit_done();
}
