// SPDX-License-Identifier: BSD-2-Clause
/* Sums of paths that are made here: each cost is known */
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/report/report.h"

#define MAIN	0x1000
#define F	0x2000
#define G	0x3000
#define H	0x4000

/* ---- a path, as the walk makes it ---- */

static struct symbol_files *files;
static struct flow_process process = { .pid = 1 };
static struct softpt_flow_thread threads[2];
static struct flow_frame frames[2][64];
static struct report *report;
static uint64_t now, before, behind;	/* the time, and how far off it may be */
static bool bounded;

static void begin(enum report_by by, enum report_links links, uint32_t tid)
{
	unsigned int i;

	memset(threads, 0, sizeof(threads));
	for (i = 0; i < 2; i++) {
		threads[i].pid = 1;
		threads[i].tid = i + 1;
		threads[i].process = &process;
		threads[i].frame = frames[i];
		strcpy(threads[i].comm, i ? "two" : "one");
	}
	now = 1000000;
	before = 0;
	behind = 0;
	bounded = true;
	report = report_new(by, links, tid);
	if (!report)
		kit_bail("no memory");
}

static struct softpt_flow_time time_now(void)
{
	return (struct softpt_flow_time){
		.tsc = now, .min = now - before, .max = now + behind, .bounded = bounded,
	};
}

static void row(struct softpt_flow_thread *t, enum softpt_flow_event event, uint64_t ip)
{
	const struct softpt_flow_row r = {
		.event = event, .thread = t, .pid = t->pid, .tid = t->tid, .ip = ip,
		.depth = t->frames ? t->frames - 1 : 0, .when = time_now(),
		.executed = t->executed,
	};

	if (!report_take(report, &r))
		kit_bail("no memory");
}

/* A thread executes instructions, each in ten ticks. */
static void execute(struct softpt_flow_thread *t, unsigned int insns)
{
	t->executed += insns;
	now += 10 * insns;
}

static void push(struct softpt_flow_thread *t, uint64_t ip)
{
	t->frame[t->frames++] = (struct flow_frame){ .ip = ip, .when = time_now() };
}

static void start(struct softpt_flow_thread *t, uint64_t ip)
{
	row(t, SOFTPT_FLOW_ON, ip);
	push(t, ip);
	row(t, SOFTPT_FLOW_BEGIN, ip);
}

static void call(struct softpt_flow_thread *t, unsigned int insns, uint64_t ip)
{
	execute(t, insns);
	push(t, ip);
	row(t, SOFTPT_FLOW_CALL, ip);
}

static void leave(struct softpt_flow_thread *t)
{
	row(t, SOFTPT_FLOW_RETURN, t->frame[t->frames - 1].ip);
	t->frames--;
}

static void back(struct softpt_flow_thread *t, unsigned int insns)
{
	execute(t, insns);
	leave(t);
}

static void jump(struct softpt_flow_thread *t, unsigned int insns, uint64_t ip)
{
	execute(t, insns);
	row(t, SOFTPT_FLOW_RETURN, t->frame[t->frames - 1].ip);
	t->frame[t->frames - 1].ip = ip;
	row(t, SOFTPT_FLOW_JUMP, ip);
}

static void off(struct softpt_flow_thread *t, unsigned int insns)
{
	execute(t, insns);
	row(t, SOFTPT_FLOW_OFF, 0);
}

static void end(struct softpt_flow_thread *t, unsigned int insns)
{
	execute(t, insns);
	row(t, SOFTPT_FLOW_END, 0);
	if (report_finish(report))
		kit_bail("no memory");
}

static const struct report_group *group(uint64_t ip)
{
	size_t i;

	for (i = 1; i < report_groups(report); i++)
		if (report_group(report, i)->address == ip)
			return report_group(report, i);
	return report_group(report, REPORT_UNKNOWN);
}

/* All instructions and all traced time belong to somebody, once. */
static bool is_whole(void)
{
	const struct report_totals *t = report_totals(report);
	uint64_t self = 0, ticks = 0;
	size_t i;

	for (i = 0; i < report_groups(report); i++) {
		self += report_group(report, i)->self;
		ticks += report_group(report, i)->self_time.ticks;
	}
	return self == t->instructions && ticks == t->traced.ticks &&
	       self == threads[0].executed + threads[1].executed;
}

static bool costs(uint64_t ip, uint64_t calls, uint64_t self, uint64_t total)
{
	const struct report_group *g = group(ip);

	if (g->calls == calls && g->self == self && g->total == total)
		return true;
	kit_note("0x%llx: calls %llu, self %llu, total %llu", (unsigned long long)ip,
		 (unsigned long long)g->calls, (unsigned long long)g->self,
		 (unsigned long long)g->total);
	return false;
}

static bool lasts(const struct report_span *s, uint64_t ticks, uint64_t min, uint64_t max)
{
	if (s->ticks == ticks && s->min == min && s->max == max && !s->unbounded)
		return true;
	kit_note("%llu, %llu to %llu, unbounded %llu", (unsigned long long)s->ticks,
		 (unsigned long long)s->min, (unsigned long long)s->max,
		 (unsigned long long)s->unbounded);
	return false;
}

/* ---- calls ---- */

static void test_calls(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	call(t, 5, F);
	call(t, 7, G);
	back(t, 3);
	back(t, 2);
	call(t, 1, G);
	back(t, 4);
	end(t, 6);
	kit_ok(costs(MAIN, 0, 12, 28) && costs(F, 1, 9, 12) && costs(G, 2, 7, 7),
	       "calls and instructions");
	kit_ok(lasts(&group(F)->self_time, 90, 90, 90) &&
	       lasts(&group(F)->total_time, 120, 120, 120) &&
	       lasts(&group(MAIN)->total_time, 280, 280, 280), "times");
	kit_ok(is_whole(), "the parts are the whole");
	kit_ok(group(MAIN)->incomplete == 1 && !group(MAIN)->insns.n && !group(F)->incomplete,
	       "main began before, and has not returned");
	kit_ok(group(G)->insns.min == 3 && group(G)->insns.max == 4 &&
	       group(G)->ticks.min == 30 && group(G)->ticks.max == 40, "the least and the most");
	report_free(report);
}

/* f calls itself: what is inside of the first call counts once. */
static void test_recursion(enum report_links links)
{
	struct softpt_flow_thread *t = threads;
	const struct report_link *link;

	begin(REPORT_BY_FUNCTION, links, 0);
	start(t, MAIN);
	call(t, 1, F);
	call(t, 1, F);
	call(t, 1, G);
	call(t, 1, F);
	back(t, 1);
	back(t, 1);
	back(t, 1);
	back(t, 1);
	end(t, 1);
	kit_ok(costs(F, 3, 5, 7) && costs(G, 1, 2, 3) && costs(MAIN, 0, 2, 9) && is_whole(),
	       "recursion: instructions");
	kit_ok(lasts(&group(F)->total_time, 70, 70, 70) && group(F)->insns.max == 7 &&
	       group(F)->insns.min == 1 && spread_median(&group(F)->insns) == 5,
	       "recursion: times, and each call");
	if (links == REPORT_TREE) {
		link = report_link(report, 1);
		kit_ok(report_links(report) == 3 && link->calls == 3 && link->self == 5 &&
		       link->total == 7, "recursion: one node of the tree");
	} else {
		link = report_link(report, 1);
		kit_ok(report_links(report) == 5 && link->calls == 1 && link->total == 7 &&
		       report_link(report, 2)->calls == 1 && !report_link(report, 2)->total,
		       "recursion: callers share the total");
	}
	report_free(report);
}

static void test_jumps(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_EDGES, 0);
	start(t, MAIN);
	call(t, 1, F);
	jump(t, 2, G);
	back(t, 3);
	call(t, 1, F);
	call(t, 1, G);
	call(t, 1, H);
	execute(t, 5);
	leave(t);		/* longjmp: three at once */
	leave(t);
	leave(t);
	end(t, 4);
	kit_ok(costs(F, 2, 3, 9) && costs(G, 2, 4, 9) && costs(H, 1, 5, 5) &&
	       costs(MAIN, 0, 6, 18) && is_whole(), "a tail call, and a jump out of three");
	kit_ok(lasts(&group(H)->self_time, 50, 50, 50) && lasts(&group(F)->self_time, 30, 30, 30) &&
	       group(H)->ticks.n == 1, "the times of these");
	report_free(report);
}

/* A stub is entered, and left for what it stands for: that is known by then. */
static void test_stub(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	execute(t, 2);
	push(t, 0);
	off(t, 1);
	row(t, SOFTPT_FLOW_ON, 0);
	execute(t, 1);
	t->frame[t->frames - 1].ip = F;
	row(t, SOFTPT_FLOW_JUMP, F);
	back(t, 8);
	end(t, 1);
	kit_ok(costs(F, 1, 8, 8) && costs(MAIN, 0, 5, 13) && is_whole(),
	       "a stub counts for its caller");
	report_free(report);
}

/* ---- what is not in the trace ---- */

static void test_untraced(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	off(t, 1);
	now += 300;
	row(t, SOFTPT_FLOW_ON, MAIN);
	call(t, 1, F);
	call(t, 1, G);
	off(t, 1);
	now += 5000;
	row(t, SOFTPT_FLOW_ON, G);
	back(t, 1);
	back(t, 1);
	end(t, 1);
	kit_ok(lasts(&group(G)->self_time, 20, 20, 20) &&
	       lasts(&group(G)->total_time, 5020, 5020, 5020) &&
	       lasts(&group(G)->parts.untraced, 5000, 5000, 5000), "untraced time is no time of its own");
	kit_ok(lasts(&group(F)->parts.untraced, 5000, 5000, 5000) &&
	       lasts(&group(F)->total_time, 5040, 5040, 5040) && group(G)->insns.n == 1 &&
	       lasts(&report_totals(report)->parts.untraced, 5300, 5300, 5300) && is_whole(),
	       "and is in the time of its callers");
	report_free(report);
}

static void test_lost(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	call(t, 1, G);
	back(t, 1);
	call(t, 1, F);
	call(t, 1, G);
	execute(t, 2);
	row(t, SOFTPT_FLOW_LOST, 0);
	now += 700;
	row(t, SOFTPT_FLOW_ON, 0);
	leave(t);		/* it is in f again */
	row(t, SOFTPT_FLOW_BEGIN, F + 5);
	call(t, 1, G);
	back(t, 1);
	back(t, 1);
	end(t, 1);
	kit_ok(group(G)->incomplete == 1 && group(G)->insns.n == 2 && group(F)->incomplete == 1 &&
	       group(MAIN)->incomplete == 1, "calls with a loss are incomplete");
	kit_ok(lasts(&group(F)->parts.lost, 700, 700, 700) &&
	       lasts(&group(G)->parts.lost, 700, 700, 700) &&
	       lasts(&group(F)->self_time, 30, 30, 30) && is_whole(), "the time is told apart");
	report_free(report);
}

/* Functions of a forked process: their calls were the parent's. An exec leaves them all. */
static void test_inherited(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	push(t, MAIN);
	push(t, F);
	row(t, SOFTPT_FLOW_ON, F + 8);
	row(t, SOFTPT_FLOW_BEGIN, F + 8);
	back(t, 3);
	off(t, 1);
	t->frames = 0;
	row(t, SOFTPT_FLOW_ON, G);
	push(t, G);
	row(t, SOFTPT_FLOW_BEGIN, G);
	end(t, 9);
	kit_ok(costs(F, 0, 3, 3) && costs(MAIN, 0, 1, 4) && costs(G, 0, 9, 9) && is_whole() &&
	       lasts(&group(F)->total_time, 30, 30, 30) &&
	       group(F)->incomplete == 1 && group(MAIN)->incomplete == 1, "fork and exec");
	report_free(report);
}

static void test_deep(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	call(t, 1, F);
	execute(t, 1);
	t->beyond = 1;
	row(t, SOFTPT_FLOW_CALL, F);
	execute(t, 3);
	t->beyond = 0;
	back(t, 1);
	end(t, 1);
	kit_ok(costs(F, 1, 5, 5) && report_totals(report)->deep == 1 && is_whole(),
	       "a call that is too deep counts for its caller");
	report_free(report);
}

/* ---- bounds ---- */

/* A hundred calls between two packets: no sum of theirs is longer than what is between. */
static void test_window(void)
{
	struct softpt_flow_thread *t = threads;
	unsigned int i;
	uint64_t from;

	begin(REPORT_BY_FUNCTION, REPORT_EDGES, 0);
	start(t, MAIN);
	from = now;
	for (i = 0; i < 100; i++) {
		execute(t, 1);
		before = now - from;
		behind = from + 4000 - now;
		push(t, F);
		row(t, SOFTPT_FLOW_CALL, F);
		execute(t, 1);
		before = now - from;
		behind = from + 4000 - now;
		leave(t);
	}
	now = from + 4000;
	before = 0;
	behind = 0;
	end(t, 1);
	kit_ok(lasts(&group(F)->self_time, 1000, 0, 4000) &&
	       lasts(&group(F)->total_time, 1000, 0, 4000) &&
	       lasts(&report_link(report, 1)->time, 1000, 0, 4000),
	       "durations between two packets are bounded together");
	kit_ok(group(F)->low.max == 0 && group(F)->high.min == 4000 && group(F)->ticks.max == 10 &&
	       spread_median(&group(F)->low) <= spread_median(&group(F)->ticks) &&
	       spread_median(&group(F)->ticks) <= spread_median(&group(F)->high),
	       "those of single calls are not");
	report_free(report);
}

static void test_bounds(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	before = 3;
	behind = 4;
	call(t, 10, F);
	before = 1;
	behind = 2;
	back(t, 10);
	execute(t, 10);
	push(t, F);
	row(t, SOFTPT_FLOW_CALL, F);
	bounded = false;
	back(t, 10);
	end(t, 1);
	kit_ok(group(F)->total_time.ticks == 200 && group(F)->total_time.unbounded == 1 &&
	       group(F)->total_time.min == (100 - 1 - 4) + (100 - 1 - 2), "lower bounds add up");
	kit_ok(group(F)->low.min == 95 && group(F)->low.max == 97 && group(F)->high.min == 105 &&
	       group(F)->high.max == UINT64_MAX, "an end that nothing bounds");
	kit_ok(report_totals(report)->traced.unbounded &&
	       group(MAIN)->self_time.min == (100 - 3) + (100 - 2 - 1) + 0, "is told in all sums");
	report_free(report);
}

/* A function is left and another one entered: no time of the caller is between. */
static void test_moment(void)
{
	struct softpt_flow_thread *t = threads;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	start(t, MAIN);
	call(t, 10, F);
	before = 3;
	behind = 4;
	jump(t, 10, G);
	before = 0;
	behind = 0;
	back(t, 10);
	end(t, 1);
	kit_ok(lasts(&group(MAIN)->self_time, 110, 110, 110) &&
	       lasts(&group(F)->total_time, 100, 97, 104) &&
	       lasts(&group(G)->total_time, 100, 96, 103), "two rows of one moment");
	report_free(report);
}

/* ---- threads ---- */

/* Both run at the same time: one window of each. */
static void two_threads(enum report_by by, uint32_t tid)
{
	begin(by, REPORT_NO_LINKS, tid);
	start(&threads[0], MAIN);
	start(&threads[1], MAIN);
	call(&threads[0], 2, F);
	call(&threads[1], 3, F);
	call(&threads[0], 4, F);
	back(&threads[1], 5);
	back(&threads[0], 6);
	back(&threads[0], 7);
	row(&threads[1], SOFTPT_FLOW_END, 0);
	end(&threads[0], 8);
}

static void test_threads(void)
{
	two_threads(REPORT_BY_FUNCTION, 0);
	kit_ok(costs(F, 3, 22, 22) && costs(MAIN, 0, 13, 35) && is_whole() &&
	       report_totals(report)->threads == 2, "a function in two threads");
	report_free(report);
	two_threads(REPORT_BY_FUNCTION, 2);
	kit_ok(costs(F, 1, 5, 5) && costs(MAIN, 0, 3, 8) && report_totals(report)->threads == 1,
	       "one thread alone");
	report_free(report);
	two_threads(REPORT_BY_THREAD, 0);
	kit_ok(report_groups(report) == 3 && report_group(report, 1)->self == 27 &&
	       report_group(report, 1)->total == 27 && report_group(report, 1)->calls == 2 &&
	       report_group(report, 2)->self == 8 && report_group(report, 2)->tid == 2 &&
	       !strcmp(report_group(report, 2)->name, "two") && is_whole(), "by thread");
	report_free(report);
	two_threads(REPORT_BY_MODULE, 0);
	kit_ok(report_groups(report) == 1 && report_group(report, 0)->self == 35 &&
	       report_group(report, 0)->total == 35 && is_whole(), "by module: none is known");
	report_free(report);
}

/* ---- one by one ---- */

static struct report_call told[8];
static unsigned int tellings;

static void hear(void *ctx, const struct report_call *c)
{
	if (ctx == &told && tellings < sizeof(told) / sizeof(told[0]))
		told[tellings] = *c;
	tellings++;
}

static bool was_told(unsigned int i, const struct report_call *want)
{
	const struct report_call *c = &told[i];

	if (i < tellings && c->id == want->id && c->parent == want->parent &&
	    c->depth == want->depth && c->self == want->self && c->total == want->total &&
	    c->seen == want->seen && c->complete == want->complete && c->outer == want->outer &&
	    c->end.tsc - c->begin.tsc == 10 * want->total)
		return true;
	kit_note("call %u of %u: id %llu, parent %llu, depth %u, self %llu, total %llu", i,
		 tellings, (unsigned long long)c->id, (unsigned long long)c->parent, c->depth,
		 (unsigned long long)c->self, (unsigned long long)c->total);
	return false;
}

/* Calls are told when they end, and numbered as they begin. */
static void test_each(void)
{
	static const struct report_call want[] = {
		{ .id = 3, .parent = 2, .depth = 2, .self = 3, .total = 3,
		  .seen = true, .complete = true },
		{ .id = 2, .parent = 1, .depth = 1, .self = 9, .total = 12,
		  .seen = true, .complete = true, .outer = true },
		{ .id = 4, .parent = 1, .depth = 1, .self = 4, .total = 4, .seen = true,
		  .outer = true },
		{ .id = 1, .self = 6, .total = 22, .outer = true },
	};
	struct softpt_flow_thread *t = threads;
	unsigned int i;

	begin(REPORT_BY_FUNCTION, REPORT_NO_LINKS, 0);
	report_each_call(report, hear, &told);
	kit_ok(!report_call_now(report, t), "no call yet");
	start(t, MAIN);
	call(t, 5, F);
	call(t, 7, F);
	kit_ok(report_call_now(report, t) == 3, "the call that a thread is in");
	back(t, 3);
	back(t, 2);
	call(t, 1, G);
	end(t, 4);
	kit_ok(tellings == 4, "each call is told once, those that have not returned at the end");
	for (i = 0; i < 4; i++)
		kit_ok(was_told(i, &want[i]), "call %u", i);
	report_free(report);
}

/* A walk that did not begin, and one that has no memory to go on, can be freed. */
static void test_empty(void)
{
	begin(REPORT_BY_FILE, REPORT_TREE, 0);
	kit_ok(!report_finish(report) && !report_totals(report)->instructions &&
	       report_groups(report) == 1, "nothing");
	report_free(report);
	report_free(NULL);
}

int main(void)
{
	files = symbol_files_new();
	process.symbols = files ? symbols_new(files) : NULL;
	if (!process.symbols)
		kit_bail("no memory");
	test_calls();
	test_recursion(REPORT_EDGES);
	test_recursion(REPORT_TREE);
	test_jumps();
	test_stub();
	test_untraced();
	test_lost();
	test_inherited();
	test_deep();
	test_window();
	test_bounds();
	test_moment();
	test_threads();
	test_each();
	test_empty();
	symbols_free(process.symbols);
	symbol_files_free(files);
	return kit_done();
}
