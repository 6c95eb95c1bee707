// SPDX-License-Identifier: BSD-2-Clause
/* Event text: each kind both ways, and what is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/lib/events/text.h"
#include "selftests/kit/kit.h"

struct row {
	const char *line;
	struct softpt_event want;
	const char *text;	/* as written back; NULL: as it was */
};

#define EV(k, ...) { .tsc = 100, .kind = SOFTPT_EV_##k, __VA_ARGS__ }

static const struct row rows[] = {
	{ "100 idle", EV(IDLE), NULL },
	{ "100 enable 0x401000", EV(ENABLE, .ip = 0x401000), NULL },
	{ "100 disable", EV(DISABLE), NULL },
	{ "100 disable 0x10", EV(DISABLE, .ip = 16, .flags = SOFTPT_EVF_IP), NULL },
	{ "100 jcc 0x10 taken", EV(JCC, .ip = 16, .flags = SOFTPT_EVF_TAKEN), NULL },
	{ "100 jcc 0x10 not", EV(JCC, .ip = 16), NULL },
	{ "100 jcc 0x10 taken 0x20",
	  EV(JCC, .ip = 16, .target = 32, .flags = SOFTPT_EVF_TAKEN | SOFTPT_EVF_TARGET), NULL },
	{ "100 jmp 16 32", EV(JMP, .ip = 16, .target = 32), "100 jmp 0x10 0x20" },
	{ "100 call 0x10 0x20", EV(CALL, .ip = 16, .target = 32, .len = 5), NULL },
	{ "100 call 0x10 0x20 2", EV(CALL, .ip = 16, .target = 32, .len = 2), NULL },
	{ "100 call 0x10 0x20 5", EV(CALL, .ip = 16, .target = 32, .len = 5),
	  "100 call 0x10 0x20" },
	{ "100 ijmp 0x10 0x20", EV(IJMP, .ip = 16, .target = 32), NULL },
	{ "100 icall 0x10 0x20", EV(ICALL, .ip = 16, .target = 32, .len = 2), NULL },
	{ "100 icall 0x10 0x20 7", EV(ICALL, .ip = 16, .target = 32, .len = 7), NULL },
	{ "100 ret 0x10 0x20", EV(RET, .ip = 16, .target = 32), NULL },
	{ "100 far 0x10 0xffffffff81000000 0",
	  EV(FAR, .ip = 16, .target = 0xffffffff81000000, .cpl = 0), NULL },
	{ "100 intr 0x10 0x20 3 14", EV(INTR, .ip = 16, .target = 32, .cpl = 3, .arg = 14), NULL },
	{ "100 cr3 0x1000", EV(CR3, .arg = 0x1000), NULL },
	{ "100 cr3 0x1000 0x10", EV(CR3, .arg = 0x1000, .ip = 16, .flags = SOFTPT_EVF_IP), NULL },
	{ "100 cpl 3", EV(CPL, .cpl = 3), NULL },
	{ "100 cpl 0 0x10", EV(CPL, .ip = 16, .flags = SOFTPT_EVF_IP), NULL },
	{ "100 mode 32", EV(MODE, .arg = 32), NULL },
	{ "100 thread 1", EV(THREAD, .thread = 1), NULL },
	{ "100 ptw 0x100000000", EV(PTW, .arg = 1ull << 32), NULL },
	{ "100 ptw 5 0x10", EV(PTW, .arg = 5, .ip = 16, .flags = SOFTPT_EVF_IP), NULL },
	{ "100 cbr 20", EV(CBR, .arg = 20), NULL },
	{ "100 clock 20", EV(CLOCK, .arg = 20), NULL },
	{ "100 sleep 0x3e8", EV(SLEEP, .arg = 1000), NULL },
	{ "100 mwait 0x1000 1", EV(MWAIT, .arg = 0x1000, .arg2 = 1), NULL },
	{ "100 pwre 6 2", EV(PWRE, .arg = 6, .arg2 = 2), NULL },
	{ "100 pwrx 6 3 4", EV(PWRX, .arg = 6, .target = 3, .arg2 = 4), NULL },
	{ "100 pmu 9 0x3 2", EV(PMU, .arg = 2, .arg2 = 9 | 3 << 16), NULL },
	{ "100 pmu 9 0x3 2 4", EV(PMU, .arg = 2, .arg2 = 9 | 3 << 16, .stage = 4), NULL },
	{ "100 pmu 9 0x3 2 4 7", EV(PMU, .arg = 2, .arg2 = 9 | 3 << 16, .stage = 4, .target = 7,
				    .flags = SOFTPT_EVF_TARGET), NULL },
	{ "100 pmu 9 0x3 2 0 0", EV(PMU, .arg = 2, .arg2 = 9 | 3 << 16,
				    .flags = SOFTPT_EVF_TARGET), NULL },
	{ "100 pmu 4 0x2 1 3 1 0x7ff0", EV(PMU, .arg = 1, .arg2 = 4 | 2 << 16, .stage = 3,
					    .target = 1, .ip = 0x7ff0,
					    .flags = SOFTPT_EVF_TARGET | SOFTPT_EVF_DATA), NULL },
	{ "100 pmu 4 0x2 1 3 - 0x7ff0", EV(PMU, .arg = 1, .arg2 = 4 | 2 << 16, .stage = 3,
					    .ip = 0x7ff0, .flags = SOFTPT_EVF_DATA), NULL },
	{ "100 pmu 4 0x2 1 3 -", EV(PMU, .arg = 1, .arg2 = 4 | 2 << 16, .stage = 3),
	  "100 pmu 4 0x2 1 3" },
	{ "100 pmu 10 0x4 begin", EV(PMU, .arg2 = 10 | 4 << 16, .flags = SOFTPT_EVF_BEGIN), NULL },
	{ "100 pmu 10 0x4 begin 3", EV(PMU, .arg2 = 10 | 4 << 16, .stage = 3,
				       .flags = SOFTPT_EVF_BEGIN), NULL },
	{ "100 pmu 10 0x4 end", EV(PMU, .arg2 = 10 | 4 << 16, .flags = SOFTPT_EVF_END), NULL },
	{ "100 flush", EV(FLUSH), NULL },
	{ "100 psb", EV(PSB), NULL },
	{ "100 ovf 50", EV(OVF, .arg = 50), NULL },
	{ "100 trig 5", EV(TRIG, .arg = 5), NULL },
	{ "100 syscall 60 0x10", EV(SYSCALL, .arg = 60, .ip = 16, .flags = SOFTPT_EVF_IP),
	  NULL },
	{ "100 signal 11", EV(SIGNAL, .arg = 11), NULL },
	{ "100 signal 5 0 0x10", EV(SIGNAL, .arg = 5, .ip = 16, .flags = SOFTPT_EVF_IP), NULL },
	{ "100 signal 5 1", EV(SIGNAL, .arg = 5, .arg2 = 1), NULL },
	{ "100 exit 1", EV(EXIT, .arg = 1), NULL },
	{ "100 data 0x7fff00000000", EV(DATA, .arg = 0x7fff00000000), NULL },
	{ "100 cfe 1 14", EV(CFE, .arg = 14, .arg2 = 1), NULL },
	{ "100 cfe 1 14 0x10", EV(CFE, .arg = 14, .arg2 = 1, .ip = 16, .flags = SOFTPT_EVF_IP),
	  NULL },
	{ "100 evd 1 0x1234", EV(EVD, .arg = 0x1234, .arg2 = 1), NULL },
	{ "100 tsx BEGIN", EV(TSX, .arg = SOFTPT_TSX_BEGIN), NULL },
	{ "100 tsx COMMIT 0x10", EV(TSX, .arg = SOFTPT_TSX_COMMIT, .ip = 16,
				    .flags = SOFTPT_EVF_IP), NULL },
	{ "100 tsx ABORT 0x10 0x20", EV(TSX, .arg = SOFTPT_TSX_ABORT, .ip = 16, .target = 32,
					.flags = SOFTPT_EVF_IP | SOFTPT_EVF_TARGET), NULL },
	{ "100 vmcs 0x1000", EV(VMCS, .arg = 0x1000), NULL },
	{ "100 retire 0x10 7", EV(RETIRE, .ip = 16, .arg = 7), NULL },
	{ "100 mtlr 0x2000", EV(MTLR, .arg = 0x2000), NULL },
	{ "100 mtctr 0x2000 0x10", EV(MTCTR, .arg = 0x2000, .ip = 16, .flags = SOFTPT_EVF_IP),
	  NULL },
	{ "100 lr 0x2000", EV(LR, .arg = 0x2000), NULL },
	{ "100 ctr 7", EV(CTR, .arg = 7), NULL },
	{ "\t+0x32  idle # half an hour\r\n", EV(IDLE), "100 idle" },
};

static void test_rows(void)
{
	bool seen[SOFTPT_EV_NR] = { false };
	size_t i, kinds = 0;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = rows[i].text ? : rows[i].line;
		char back[EVENT_TEXT_MAX];
		struct error e = { 0 };
		struct softpt_event ev;
		uint64_t now = 50;
		int got = event_parse(rows[i].line, &now, &ev, &e);

		if (!kit_ok(got == 1 && now == 100 && !memcmp(&ev, &rows[i].want, sizeof(ev)),
			    "%s", text)) {
			kit_note("got %d: %s", got, e.text);
			continue;
		}
		event_print(back, sizeof(back), &ev);
		if (!kit_ok(!strcmp(back, text), "written back: %s", text))
			kit_note("got %s", back);
		kinds += !seen[ev.kind];
		seen[ev.kind] = true;
	}
	kit_ok(kinds == SOFTPT_EV_NR, "a row for each of %d kinds", SOFTPT_EV_NR);
}

static void test_refused(void)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "100", "a kind of event must follow the time" },
		{ "idle", "a kind of event must follow the time" },
		{ "x idle", "'x' is no time: a number or +TICKS" },
		{ "+ idle", "'+' is no time: a number or +TICKS" },
		{ "-5 idle", "'-5' is no time: a number or +TICKS" },
		{ "18446744073709551616 idle",
		  "'18446744073709551616' is no time: a number or +TICKS" },
		{ "+18446744073709551615 idle", "'+18446744073709551615' leads beyond 64 bits" },
		{ "49 idle", "time goes back: 49 after 50" },
		{ "100 jump 1 2", "'jump' is no kind of event" },
		{ "100 IDLE", "'IDLE' is no kind of event" },
		{ "100 idle 1", "idle takes no arguments" },
		{ "100 enable", "enable takes IP" },
		{ "100 jmp 1", "jmp takes IP TARGET" },
		{ "100 call 1 2 3 4", "call takes IP TARGET [LEN]" },
		{ "100 call 1 2 256", "'256' does not fit: call takes IP TARGET [LEN]" },
		{ "100 jcc 1 maybe", "'maybe' does not fit: jcc takes IP taken|not [TARGET]" },
		{ "100 far 1 2 4", "'4' does not fit: far takes IP TARGET CPL" },
		{ "100 tsx begin",
		  "'begin' does not fit: tsx takes BEGIN|COMMIT|ABORT [IP [TARGET]]" },
		{ "100 enable 0x", "'0x' does not fit: enable takes IP" },
		{ "100 enable 0x10g", "'0x10g' does not fit: enable takes IP" },
		{ "100 intr 1 2 3 4 5 6 7 8 9", "intr takes IP TARGET CPL VECTOR" },
		{ "100 idle\r+1 idle\r", "idle takes no arguments" },
	};
	char longest[1024];
	struct error e;
	struct softpt_event ev;
	uint64_t now = 50;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int got = event_parse(bad[i].line, &now, &ev, &e);

		if (!kit_ok(got == -EINVAL && now == 50 && !strcmp(e.text, bad[i].why),
			    "refused: %s", bad[i].line))
			kit_note("got %d \"%s\"", got, e.text);
	}
	memset(longest, '1', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	kit_ok(event_parse(longest, &now, &ev, &e) == -EINVAL, "a long line");
	memcpy(longest, "# ", 2);
	kit_ok(!event_parse(longest, &now, &ev, &e), "a long comment");
	kit_ok(!event_parse("  \t\r\n", &now, &ev, &e), "a blank line");
}

/* A file of its own for each test; @path is a template */
static FILE *file_create(char *path)
{
	FILE *f = fdopen(mkstemp(path), "w");

	if (!f)
		kit_bail("a temporary file");
	return f;
}

static void test_file(void)
{
	char path[] = "/tmp/softpt-events-XXXXXX";
	struct event_list list = { 0 };
	FILE *f = file_create(path);
	size_t i, bad = 0;

	fprintf(f, "# header\n\n");
	for (i = 0; i < 5000; i++)
		fprintf(f, "+1 idle\n");
	fclose(f);
	kit_ok(!event_list_read(&list, path, NULL) && list.n == 5000, "a file of 5000 events");
	for (i = 0; i < list.n; i++)
		bad += list.ev[i].tsc != i + 1 || list.line[i] != i + 3;
	kit_ok(!bad, "their times and lines");
	event_list_free(&list);
	unlink(path);
}

/* What stands behind a NUL must not be left out in silence. */
static void test_nul(void)
{
	static const char text[] = "1 idle\n2 idle\0 1 2 3\n3 idle\n";
	char path[] = "/tmp/softpt-events-XXXXXX";
	struct event_list list = { 0 };
	FILE *f = file_create(path);

	fwrite(text, 1, sizeof(text) - 1, f);
	fclose(f);
	kit_ok(event_list_read(&list, path, NULL) && list.n == 1, "a NUL in the second line");
	event_list_free(&list);
	unlink(path);
}

int main(void)
{
	test_rows();
	test_refused();
	test_file();
	test_nul();
	return kit_done();
}
