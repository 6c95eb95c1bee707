// SPDX-License-Identifier: BSD-2-Clause
/* What is counted as text, and which registers count it */
#include <errno.h>
#include <string.h>

#include "userspace/include/softpt/spec.h"
#include "selftests/kit/kit.h"

#define ALL	0xffffffffu

static void test_taken(void)
{
	static const struct {
		const char *text;
		struct softpt_spec spec;
		const char *print, *quals;
	} rows[] = {
		{ "mem", { ALL, ALL, 0xffff, 3 }, "mem", "" },
		{ "3", { ALL, ALL, 0xffff, 3 }, "mem", "" },
		{ "0x3/1", { ALL, ALL, 1, 3 }, "mem/read", "" },
		{ "63", { ALL, ALL, 0xffff, 63 }, "trace", "" },
		{ "ext8", { ALL, ALL, 0xffff, 8 }, "ext8", "" },
		{ "8/0x8001", { ALL, ALL, 0x8001, 8 }, "ext8/0x8001", "" },
		{ "mem/0xffff", { ALL, ALL, 0xffff, 3 }, "mem", "" },
		{ "mem/0", { ALL, ALL, 0, 3 }, "mem/0x0", "" },
		{ "mem/read+write", { ALL, ALL, 3, 3 }, "mem/read+write", "" },
		{ "dcache/write-miss+read-miss+0x100", { ALL, ALL, 0x10a, 4 },
		  "dcache/read-miss+write-miss+0x100", "" },
		{ "mem:u", { ALL, 0, 0xffff, 3 }, "mem:u", "u" },
		{ "mem:k", { 0, ALL, 0xffff, 3 }, "mem:k", "k" },
		{ "mem:u:k", { ALL, ALL, 0xffff, 3 }, "mem", "" },
		{ "mem:t0", { 1, 1, 0xffff, 3 }, "mem:t0u:t0k", "t0u t0k" },
		{ "mem:t1k:t0u", { 1, 2, 0xffff, 3 }, "mem:t0u:t1k", "t0u t1k" },
		{ "mem:t1k t0u", { 1, 2, 0xffff, 3 }, "mem:t0u:t1k", "t0u t1k" },
		{ "mem/read:t31u", { 1u << 31, 0, 1, 3 }, "mem/read:t31u", "t31u" },
		{ "mem:u:t5k", { ALL, 1 << 5, 0xffff, 3 }, "mem:u:t5k", "u t5k" },
		{ "mem:t5u:k:t6u", { 3 << 5, ALL, 0xffff, 3 }, "mem:k:t5u:t6u", "k t5u t6u" },
		{ "mem:t2u:t2u", { 4, 0, 0xffff, 3 }, "mem:t2u", "t2u" },
	};
	char why[320], text[SOFTPT_SPEC_MAX];
	struct softpt_spec s;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		kit_ok(!softpt_spec_parse(&s, rows[i].text, why, sizeof(why)) &&
		       s.usr == rows[i].spec.usr && s.os == rows[i].spec.os &&
		       s.mask == rows[i].spec.mask && s.event_class == rows[i].spec.event_class,
		       "\"%s\"", rows[i].text);
		softpt_spec_print(text, sizeof(text), &s);
		if (!kit_ok(!strcmp(text, rows[i].print), "is \"%s\"", rows[i].print))
			kit_note("%s", text);
		softpt_spec_quals(text, sizeof(text), &s, ' ');
		if (!kit_ok(!strcmp(text, rows[i].quals), "for \"%s\"", rows[i].quals))
			kit_note("%s", text);
	}
}

/* The longest text, and one that has no room */
static void test_room(void)
{
	const struct softpt_spec longest = { ALL - 1, ALL - 1, 0x7fff, 0 };
	char text[SOFTPT_SPEC_MAX], few[8];
	struct softpt_spec s;
	int n = softpt_spec_print(text, sizeof(text), &longest);

	kit_ok(n > 200 && n < (int)sizeof(text), "the longest has %d bytes", n);
	kit_ok(!softpt_spec_parse(&s, text, few, sizeof(few)) && s.usr == longest.usr &&
	       s.os == longest.os && s.mask == longest.mask, "and is read back");
	kit_ok(softpt_spec_print(few, sizeof(few), &longest) == n && !few[7], "what fits is written");
	kit_ok(softpt_spec_print(NULL, 0, &longest) == n, "and nothing, without room");
	kit_ok(!softpt_spec_quals(few, sizeof(few), &(struct softpt_spec){ ALL, ALL, 0, 0 }, ' '),
	       "no quals are none");
	kit_is(softpt_spec_print(few, 8, &(struct softpt_spec){ .event_class = 64 }), -EINVAL,
	       "class 64 has no text");
	kit_is(softpt_spec_parse(&s, "x", NULL, 0), -EINVAL, "why may be left out");
}

#define LIST "softpt sim --list-events"

static void test_refused(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "'' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "64", "'64' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "-1", "'-1' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "3x", "'3x' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "memory", "'memory' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "ext3", "'ext3' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "Mem", "'Mem' is no class of events: a name of " LIST ", or 0 to 63" },
		{ "mem/", "'' is no subclass of mem: a name of " LIST ", or 0 to 0xffff" },
		{ "mem/read+", "'' is no subclass of mem: a name of " LIST ", or 0 to 0xffff" },
		{ "mem/miss", "'miss' is no subclass of mem: a name of " LIST ", or 0 to 0xffff" },
		{ "mem/0x10000",
		  "'0x10000' is no subclass of mem: a name of " LIST ", or 0 to 0xffff" },
		{ "mem/1/2", "'1/2' is no subclass of mem: a name of " LIST ", or 0 to 0xffff" },
		{ "mem:", "'' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:x", "'x' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:uk", "'uk' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:t", "'t' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:tu", "'tu' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:t32", "'t32' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:t1x", "'t1x' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:t0u,t1u", "'t0u,t1u' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:u::k", "'' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
		{ "mem:t18446744073709551616u",
		  "'t18446744073709551616u' is no qualifier: u, k, tN, tNu or tNk, N is 0 to 31" },
	};
	struct softpt_spec s = { .usr = 1 };
	char why[320];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int err = softpt_spec_parse(&s, rows[i].text, why, sizeof(why));

		if (!kit_ok(err == -EINVAL && s.usr == 1 && !strcmp(why, rows[i].why), "\"%s\": %s",
			    rows[i].text, rows[i].why))
			kit_note("%d, %s", err, why);
	}
}

static int add(struct softpt_plan *plan, int counter, const char *text, char *why, size_t len)
{
	struct softpt_spec s;
	int err = softpt_spec_parse(&s, text, why, len);

	return err ? err : softpt_plan_add(plan, counter, &s, why, len);
}

static void test_plan(void)
{
	static const struct {
		int counter;
		const char *text;
		int want;
		uint64_t escrs;		/* that are set afterwards */
		const char *why;
	} rows[] = {
		{ -1, "mem:t0u", 4, 1 << 6, "" },
		{ 7, "mem:t0u", 7, 1 << 6, "" },
		{ -1, "mem:t1u:t2u", 5, 3 << 6, "" },
		{ -1, "mem", -EBUSY, 3 << 6,
		  "both ESCRs of sub-area 3, which class 3 (mem) needs, are taken" },
		{ 4, "dcache", -EBUSY, 3 << 6, "counter 4 counts mem already" },
		{ 0, "dcache", -EXDEV, 3 << 6,
		  "counter 0 is in area 0; class 4 (dcache) is counted by counters 4 to 7" },
		{ 18, "dcache", -EINVAL, 3 << 6, "there are counters 0 to 17" },
		{ -2, "dcache", -EINVAL, 3 << 6, "there are counters 0 to 17" },
		{ -1, "dcache", 6, 7 << 6, "" },
		{ -1, "dcache", -EBUSY, 7 << 6,
		  "counters 4 to 7, which count class 4 (dcache), are all taken" },
		{ -1, "trace", 8, 7ull << 6 | 1ull << 30, "" },
		{ 17, "ext47", 17, 7ull << 6 | 1ull << 30 | 1ull << 46, "" },
	};
	struct softpt_plan plan = { 0 };
	char why[320];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got;

		*why = '\0';
		got = add(&plan, rows[i].counter, rows[i].text, why, sizeof(why));
		if (!kit_ok(got == rows[i].want && plan.escrs == rows[i].escrs &&
			    !strcmp(why, rows[i].why), "%d=%s: %d", rows[i].counter, rows[i].text,
			    rows[i].want))
			kit_note("%d, %#llx, %s", got, (unsigned long long)plan.escrs, why);
	}
	kit_ok(plan.counters == (0xf0 | 1 << 8 | 1 << 17), "the plan has these six counters");
	kit_ok(plan.counter[7].escr == plan.counter[4].escr && plan.counter[5].escr == 7,
	       "equal selections share an ESCR");
	kit_ok(plan.escr[7].usr == 6 && !plan.escr[7].os && plan.escr[7].event_class == 3 &&
	       plan.escr[7].size == sizeof(plan.escr[7]), "an ESCR has what was asked for");
}

/* What softpt stat counts where nothing else is asked for, all at once */
static void test_default(void)
{
	static const char *const events[] = {
		"instructions", "branch-instructions", "branches/taken", "branches/not-taken",
		"system-calls", "page-faults", "context-switches",
	};
	struct softpt_plan plan = { 0 };
	char why[320];
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!kit_ok(add(&plan, SOFTPT_ANY_COUNTER, events[i], why, sizeof(why)) >= 0,
			    "%s beside the others", events[i]))
			kit_note("%s", why);
}

/* The layout: 24 sub-areas, 3, 6, 7 and 8 of an area, 4, 4, 4 and 6 counters */
static void test_classes(void)
{
	static const struct {
		unsigned int subareas, first, last;
	} areas[] = { { 3, 0, 3 }, { 6, 4, 7 }, { 7, 8, 11 }, { 8, 12, 17 } };
	unsigned int i, seen[4] = { 0 }, named = 0, bad = 0;
	struct softpt_class c, other;

	for (i = 0; softpt_class_get(i, &c); i++) {
		seen[c.area] |= 1u << c.subarea;
		bad += c.first != areas[c.area].first || c.last != areas[c.area].last;
		named += *c.what != '\0';
	}
	kit_ok(i == 64, "64 classes");
	kit_ok(!bad, "each is counted by the counters of its area");
	kit_ok(named == 18, "18 of them have a name: %u", named);
	for (i = 0; i < 4; i++)
		kit_ok(__builtin_popcount(seen[i]) == (int)areas[i].subareas,
		       "sub-areas of area %u", i);
	softpt_class_get(4, &c);
	softpt_class_get(7, &other);
	kit_ok(!strcmp(c.name, "dcache") && !strcmp(c.sub[3], "write-miss") && !c.sub[4] &&
	       !c.clocks && other.clocks, "names, subclasses and durations");
}

int main(void)
{
	test_taken();
	test_room();
	test_refused();
	test_plan();
	test_default();
	test_classes();
	return kit_done();
}
