// SPDX-License-Identifier: BSD-2-Clause
/* Records of retired instructions that no unit writes, and files that are none. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/lib/retire/text.h"
#include "selftests/kit/kit.h"

#define R	SOFTPT_RETIRED

static void test_hostile(void)
{
	static const struct {
		const char *what;
		struct softpt_retirement record[3];
		int status;
	} cases[] = {
		{ "good", { { 1, 1, 1, R }, { 2, 1, 1, R }, { 3, 1, 1, R } }, 0 },
		{ "invalid, with an address", { { 1, 1, 1, R }, { 2, 1, 1, R }, { 3, 1, 1, 0 } },
		  SOFTPT_ADDRESS_INVALID },
		{ "invalid in the middle", { { 1, 1, 1, R }, { 0, 1, 0, 0 }, { 3, 1, 1, R } },
		  SOFTPT_ADDRESS_INVALID },
		{ "valid, of no instruction", { { 1, 1, 1, R }, { 2, 1, 0, R }, { 3, 1, 1, R } },
		  SOFTPT_ADDRESS_INVALID },
		{ "no cycle at the end", { { 1, 1, 1, R }, { 2, 1, 1, R }, { 0, 0, 0, 0 } },
		  SOFTPT_ADDRESS_INVALID },
		{ "cycles without end", { { 1, 1, 1, R }, { 2, 1, 1, R }, { 3, ~0ull, 1, R } },
		  SOFTPT_ADDRESS_BUBBLE },
		{ "their sum beyond 64 bits",
		  { { 1, 1, 1, R }, { 2, ~0ull, 1, R }, { 3, 1, 1, R } },
		  SOFTPT_ADDRESS_BUBBLE },
	};
	static const uint32_t one[] = { 1, 1, 1 };
	struct softpt_frozen frozen = {
		.pipeline = { .stages = 3, .min = 3 }, .n = 3, .capacity = one,
	};
	struct softpt_address a;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		frozen.record = cases[i].record;
		softpt_address_find(&frozen, 3, &a);
		kit_ok(a.status == cases[i].status, "records: %s: %s", cases[i].what,
		       softpt_address_reason(a.status));
	}
}

/* What freezes the records, as text; delay 0: it is not given */
static void test_event(void)
{
	static const struct {
		const char *text;
		uint64_t nth, delay;
		const char *wrong;	/* in what is said; NULL: it is right */
	} cases[] = {
		{ "page-faults", 1, 0, NULL },
		{ "page-faults/write:t1u,nth=3", 3, 0, NULL },
		{ "page-faults,nth=3,delay=9", 3, 9, NULL },
		{ "page-faults,delay=2147483647,nth=1099511627776", 1ull << 40, 0x7fffffff, NULL },
		{ "page-faults,nth=0", 0, 0, "nth is 1..2^40" },
		{ "page-faults,nth=1099511627777", 0, 0, "nth is 1..2^40" },
		{ "page-faults,nth=", 0, 0, "nth is 1..2^40" },
		{ "page-faults,delay=0", 0, 0, "delay is 1..2147483647" },
		{ "page-faults,delay=2147483648", 0, 0, "delay is 1..2147483647" },
		{ "page-faults,depth=3", 0, 0, "'depth=3' is no key: nth, delay" },
		{ "page-faults,", 0, 0, "'' is no key" },
		{ "page-faults,nth=1,", 0, 0, "'' is no key" },
		{ "nosuch,nth=1", 0, 0, "nosuch" },
		{ "trace", 0, 0, "no stage" },
	};
	struct ear_event ev;
	struct error e;
	size_t i;
	int err;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err = ear_parse_event(&ev, cases[i].text, &e);
		if (cases[i].wrong)
			kit_ok(err && strstr(e.text, cases[i].wrong), "'%s': %s", cases[i].text,
			       e.text);
		else
			kit_ok(!err && ev.nth == cases[i].nth && ev.delay == cases[i].delay, "'%s'",
			       cases[i].text);
	}
}

#define SIX	"index,ip,cycles,valid,flushed,early"
#define ALL	SIX ",count,squashed,stages,min,delay,write,events,stage,occupied"
#define MORE	ALL ",available,data,capacity"

static char path[] = "/tmp/earfile-XXXXXX";

static int read_text(const char *text, size_t len, struct ear_file *file)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(text, 1, len, f) != len || fclose(f))
		kit_bail("%s", path);
	return ear_read(file, path, NULL);
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ SIX "\n0,0x10,1,1,0,0\n1,0x14,1,1,0,0\n", true },
		{ SIX, true },
		{ SIX "\r\n0,16,1,1,0,0\r\n", true },
		{ "early,flushed,valid,cycles,ip,index,mine\n0,0,1,1,0x10,0,?\n", true },
		{ ALL "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,,\n", true },
		{ ALL "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2\n", true },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,0x7ff0,1\n", true },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,,\n", true },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,0x7ff0,1:9:1:0:1\n", true },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,0x7ff0,1:9:1:1\n", false },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,0x7ff0,1:65536:1:1:1\n", false },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,0x7ff0,1::1:1:1\n", false },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,,0x7ff0,1\n", false },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,data,1\n", false },
		{ MORE "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,,1\n"
		  "1,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2,1,,2\n", false },
		{ "", false },
		{ "index,ip,cycles,valid,flushed\n", false },
		{ SIX ",ip\n", false },
		{ SIX ",stages\n", false },
		{ SIX "\n1,0x10,1,1,0,0\n", false },
		{ SIX "\n0,0x10,1,1,0\n", false },
		{ SIX "\n0,0x10,1,1,0,0,0\n", false },
		{ SIX "\n0,,1,1,0,0\n", false },
		{ SIX "\n0,0x10,1,2,0,0\n", false },
		{ SIX "\n0,0x10,-1,1,0,0\n", false },
		{ SIX "\n0,0x10000000000000000,1,1,0,0\n", false },
		{ SIX "\n\n0,0x10,1,1,0,0\n", false },
		{ ALL "\n0,0x10,1,1,0,0,1,0,0,1,1,1,1,,\n", false },
		{ ALL "\n0,0x10,1,1,0,0,1,0,256,1,1,1,1,,\n", false },
		{ ALL "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,,\n1,0x10,1,1,0,0,1,0,5,1,2,1,1,,\n",
		  false },
		{ ALL "\n0,0x10,1,1,0,0,1,0,5,1,1,1,1,3,2\n1,0x10,1,1,0,0,1,0,5,1,1,1,1,3,\n",
		  false },
	};
	struct ear_file file;
	size_t i;
	int got;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = read_text(cases[i].text, strlen(cases[i].text), &file);
		kit_ok(!got == cases[i].good, "file %zu is %s", i, got ? "refused" : "read");
		if (!got)
			ear_free(&file);
	}
}

static uint64_t draw(uint64_t *state)
{
	return (*state = *state * 6364136223846793005ull + 1442695040888963407ull) >> 33;
}

/* A file with one to three of its bytes changed, or cut off, is read or refused. */
static void test_changed(void)
{
	static const char text[] = ALL "\n"
		"0,0x10,1,1,0,0,1,0,5,1,5,1,1,3,1\n1,0x14,1,1,0,0,1,0,5,1,5,1,1,3,1\n"
		"2,0x18,1,1,0,0,1,0,5,1,5,1,1,3,1\n3,0x1c,1,1,0,0,1,0,5,1,5,1,1,3,1\n"
		"4,0x20,3,1,0,0,1,0,5,1,5,1,1,3,1\n5,0x24,1,1,0,0,1,0,5,1,5,1,1,3,1\n";
	static const char letters[] = "0123456789,x\n-a\0";
	uint64_t state = 1;
	unsigned int i, k, good = 0, stage;
	struct softpt_address a;
	struct ear_file file;

	for (i = 0; i < 3000; i++) {
		char copy[sizeof(text)];

		memcpy(copy, text, sizeof(text));
		for (k = 0; k <= draw(&state) % 3; k++)
			copy[draw(&state) % (sizeof(text) - 1)] =
				letters[draw(&state) % (sizeof(letters) - 1)];
		if (read_text(copy, i % 5 ? sizeof(text) - 1 : draw(&state) % sizeof(text), &file))
			continue;
		for (stage = 0; stage < 7; stage++)
			softpt_address_find(&file.frozen, stage, &a);
		ear_free(&file);
		good++;
	}
	kit_ok(good > 100 && good < 2900, "%u of 3000 files that were changed can be read", good);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		kit_bail("%s", path);
	test_hostile();
	test_event();
	test_refused();
	test_changed();
	unlink(path);
	return kit_done();
}
