// SPDX-License-Identifier: BSD-2-Clause
/*
 * The trace port against the tables of US 5,996,092 (Documentation/reference/port.rst): events,
 * and the symbols of each clock. A symbol is two digits, ES and TS; x: clocks in a row.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/lib/events/text.h"
#include "userspace/lib/sim/port-emulate.h"
#include "selftests/kit/kit.h"

#define EIGHT(s) s " " s " " s " " s " " s " " s " " s " " s
/* SE of 0x1000 with offset 1, LR 4 and CTR 8: 0x400, 1, 2 in 30 bits */
#define SE_1000 "05 08 08 08 09 08 08 08 08 08 08 0a 08 08 08 " \
		"06 08 08 08 08 08 08 08 08 08 09 07 08 08 08 08 08 08 08 08 08 0a"

/* What the port writes, as far as it fits */
struct bytes {
	uint8_t buf[1 << 16];
	size_t len;
};

static int keep(void *context, const void *bytes, size_t len)
{
	struct bytes *b = context;

	if (len > sizeof(b->buf) - b->len)
		return -ENOSPC;
	memcpy(b->buf + b->len, bytes, len);
	b->len += len;
	return 0;
}

static struct port port;

/* Lines between semicolons. Return: 0, or -errno of one of them */
static int run(struct bytes *out, const struct softpt_port_config *cfg, const char *lines)
{
	char *text = strdup(lines), *at = text, *line;
	struct softpt_event ev;
	const char *reason;
	uint64_t now = 0;
	int err = 0;

	out->len = 0;
	port_init(&port, cfg, keep, out);
	while (!err && (line = strsep(&at, ";"))) {
		err = event_parse(line, &now, &ev, NULL);
		if (err > 0)
			err = port_event(&port, &ev, &reason);
	}
	free(text);
	return err ? err : port_finish(&port);
}

/* Symbols from a clock on, as text */
static void show(const struct softpt_port *p, uint64_t from, char *text, size_t len)
{
	struct softpt_port_symbol s = { 0 };
	size_t n = 0;

	*text = '\0';
	while (softpt_port_next(p, &s) && n < len - 40) {
		uint64_t count = s.count, skip = from > s.clock ? from - s.clock : 0;

		if (skip >= count)
			continue;
		count -= skip;
		n += snprintf(text + n, len - n, "%s%x%x", n ? " " : "", s.es, s.ts);
		if (count > 1)
			n += snprintf(text + n, len - n, "x%llu", (unsigned long long)count);
	}
}

/* ---- symbols: the events begin at 1100, when the first SE is out ---- */

#define BEGIN "1000 enable 0x1000;1000 lr 4;1000 ctr 8;"
#define IDLE ";2000 idle"

static const struct row {
	const char *what;
	const char *events;
	const char *want;	/* the beginning */
	uint32_t se_period, fifo;	/* 0: default */
	uint64_t from;		/* 0: 1100 */
	uint64_t stalls;
} rows[] = {
	/* The table of ES */
	{ "ES 000: none", BEGIN "1100 idle;1150 idle", .want = "00x50" },
	{ "ES 001: interrupt", BEGIN "1100 intr 0x1000 0 0 0" IDLE, .want = "10 08" },
	{ "ES 010: one, not taken", BEGIN "1100 jcc 0x1000 not" IDLE, .want = "20 00x" },
	{ "ES 010: one that is no branch", BEGIN "1100 retire 0x1000 1" IDLE, .want = "20 00x" },
	{ "ES 011: one, taken", BEGIN "1100 jcc 0x1000 taken 0x2000" IDLE, .want = "30 00x" },
	{ "ES 011: jmp", BEGIN "1100 jmp 0x1000 0x2000" IDLE, .want = "30 00x" },
	{ "ES 011: call", BEGIN "1100 call 0x1000 0x2000" IDLE, .want = "30 00x" },
	{ "ES 011: ijmp", BEGIN "1100 ijmp 0x1000 0x2000" IDLE, .want = "30 00x" },
	{ "ES 011: icall", BEGIN "1100 icall 0x1000 0x2000" IDLE, .want = "30 00x" },
	{ "ES 011: ret", BEGIN "1100 ret 0x1000 0x2000" IDLE, .want = "30 00x" },
	{ "ES 100: two, none taken", BEGIN "1100 retire 0x1000 2" IDLE, .want = "40 00x" },
	{ "ES 101: the first taken", BEGIN "1100 jmp 0x1000 0x2000;1100 retire 0x2000 1" IDLE,
	  .want = "50 00x" },
	{ "ES 110: the second taken", BEGIN "1100 retire 0x1000 1;1100 jmp 0x1004 0x2000" IDLE,
	  .want = "60 00x" },
	{ "ES 111: both taken", BEGIN "1100 jmp 0x1000 0x2000;1100 jmp 0x2000 0x1000" IDLE,
	  .want = "70 00x" },
	{ "two a clock: five take three", BEGIN "1100 retire 0x1000 5;1101 retire 0x1014 1" IDLE,
	  .want = "40 40 40 00x" },
	{ "an interrupt has its clock alone",
	  BEGIN "1100 retire 0x1000 1;1100 intr 0x1004 0 0 0;1100 retire 0 1" IDLE,
	  .want = "20 10 28" },
	/* The table of TS */
	{ "TS 0010: waits", BEGIN "1100 mwait 0 0;1110 retire 0x1000 1" IDLE,
	  .want = "02x10 20 00x" },
	{ "TS 0011: stopped", BEGIN "1100 sleep 7" IDLE, .want = "03x7 00x" },
	{ "an event ends a stop", BEGIN "1100 sleep 70;1103 retire 0x1000 1" IDLE,
	  .want = "03x3 20 00x" },
	{ "pwrx ends a wait", BEGIN "1100 mwait 0 0;1103 pwrx 0 0 0" IDLE, .want = "02x3 00x" },
	{ "TS 0100: a TE, in the clock behind it", BEGIN "1100 retire 0x1000 1;1100 trig 1" IDLE,
	  .want = "20 04 00x" },
	{ "TEs of one clock are one, of the next another",
	  BEGIN "1100 trig 1;1100 trig 1;1101 trig 1" IDLE, .want = "00 04 04 00x" },
	{ "TS 0101, 0110, 0111: an SE", BEGIN "1100 idle", .want = "00 " SE_1000, .from = 1000 },
	{ "TS 1xxx: ten slices, the highest first", BEGIN "1100 intr 0x1000 0x80000004 0 0" IDLE,
	  .want = "10 0c " EIGHT("08") " 09 00x" },
	{ "the two lowest bits are not sent", BEGIN "1100 intr 0x1000 0xffffffff 0 0" IDLE,
	  .want = "10 0f " EIGHT("0f") " 0f 00x" },
	{ "mtlr is sent", BEGIN "1100 mtlr 0x20000000 0x1000" IDLE,
	  .want = "20 09 " EIGHT("08") " 08 00x" },
	{ "mtctr is sent", BEGIN "1100 mtctr 0x1c 0x1000" IDLE,
	  .want = "20 " EIGHT("08") " 08 0f 00x" },
	{ "far is an exception, too", BEGIN "1100 far 0x1000 0x1c 0" IDLE,
	  .want = "10 " EIGHT("08") " 08 0f 00x" },
	/* A TE delays a broadcast by its one clock. */
	{ "a TE between two slices", BEGIN "1100 intr 0x1000 0x80000004 0 0;1103 trig 1" IDLE,
	  .want = "10 0c 08 08 04 08 08 08 08 08 08 09 00x" },
	{ "a TE between code and offset", BEGIN "1100 psb;1101 trig 1" IDLE,
	  .want = "00 05 04 08 08 08 09 08 08 08 08 08 08 0a 08 08 08 06" },
	{ "a TE before the code: the offset tells", BEGIN "1100 psb;1100 trig 1;1101 trig 1" IDLE,
	  .want = "00 04 04 05 08 08 08 0b" },
	/* The FIFO */
	{ "a burst is queued", BEGIN "1100 mtlr 0x4 0x1000;1101 mtctr 0x8;1102 mtlr 0xc" IDLE,
	  .want =
	    "20 28 28 08 08 08 08 08 08 08 09 " EIGHT("08") " 08 0a " EIGHT("08") " 08 0b 00x" },
	{ "two moves of a clock take two", BEGIN "1100 mtlr 4 0x1000;1100 mtctr 8" IDLE,
	  .want = "20 28 08 08 08 08 08 08 08 08 09 08 08 08 08 08 08 08 08 08 0a 00x" },
	{ "a full FIFO stalls", BEGIN "1100 mtlr 4 0x1000;1101 mtlr 8;1102 retire 0x1008 2" IDLE,
	  .want = "20 " EIGHT("08") " 08 09 20 48 08 08 08 08 08 08 08 08 0a 00x",
	  .fifo = 1, .stalls = 10 },
	{ "the stall is for moves and exceptions only",
	  BEGIN "1100 mtlr 4 0x1000;1101 retire 0x1004 2" IDLE, .want = "20 48 08", .fifo = 1 },
	{ "a full FIFO stalls whatever executes while an SE is pending",
	  BEGIN "1100 mtlr 4 0x1000;1101 psb;1101 retire 0x1004 1;1102 retire 0x1008 1" IDLE,
	  .want = "20 " EIGHT("08") " 08 09 20 05 08 08 08 09 08 08 08 08 08 08 0a 08 08 09 20 06",
	  .fifo = 1, .stalls = 25 },
	/* Who enters first */
	{ "mtlr before SE IAR", BEGIN "1100 psb;1100 mtlr 0x10 0x1000;1101 retire 0x1004 1" IDLE,
	  .want =
	    "20 28 08 08 08 08 08 08 08 08 0c 05 08 08 09 0a 08 08 08 08 08 08 0a 08 08 09 06" },
	{ "an exception before SE LR and CTR",
	  BEGIN "1100 psb;1101 intr 0x1000 0x10 0 0;1102 retire 0x10 1" IDLE,
	  .want =
	    "00 15 28 08 08 09 08 08 08 08 08 08 0a 08 08 08 08 08 08 08 08 08 08 08 08 0c 06" },
	{ "LR of a call is behind the branch", BEGIN "1100 call 0x1000 0x2000 2;1101 psb" IDLE,
	  .want =
	    "30 00 05 08 08 08 09 08 08 08 08 08 08 0c 08 08 08 06 08 08 08 08 08 08 0a 08 08 09" },
	/* The SE counter */
	{ "an SE every 128 clocks", BEGIN "1256 idle", .want = "00 " SE_1000 " 00x91 " SE_1000,
	  .se_period = 128, .from = 1000 },
	{ "the SE counter stands while the core is stopped", BEGIN "1050 sleep 500;1628 idle",
	  .want = "00x79 05", .se_period = 128, .from = 1550 },
	{ "an SE names what executes in its clock",
	  BEGIN "1100 retire 0x1000 1;1128 jmp 0x1004 0x2000" IDLE,
	  .want =
	    "30 05 08 08 08 09 08 08 08 08 08 08 0a 08 08 09", .se_period = 128, .from = 1128 },
};

static struct softpt_port_config config_of(const struct row *r)
{
	struct softpt_port_config cfg;

	softpt_port_config_init(&cfg);
	cfg.se_period = r->se_period ? r->se_period : 1 << 20;
	cfg.fifo = r->fifo ? r->fifo : cfg.fifo;
	return cfg;
}

static void test_rows(void)
{
	static struct bytes out;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct softpt_port_config cfg = config_of(r);
		struct softpt_port p = { 0 };
		uint64_t offset, n = 0;
		char text[2000];
		int err;

		err = run(&out, &cfg, r->events);
		if (!err)
			err = softpt_port_open(&p, out.buf, out.len, &offset);
		show(&p, r->from ? r->from : 1100, text, sizeof(text));
		if (!kit_ok(!err && !strncmp(text, r->want, strlen(r->want)) &&
			    port.counts.stalls == r->stalls, "%s", r->what)) {
			kit_note("error %d, stalls %llu, got  %s", err,
				 (unsigned long long)port.counts.stalls, text);
			kit_note("want %s", r->want);
		}
		for (struct softpt_port_symbol s = { 0 }; softpt_port_next(&p, &s);)
			n += s.count;
		if (n != port.counts.clocks || p.end - p.clock != n)
			kit_ok(false, "%s: clocks", r->what);
	}
}

/* ---- more than a row ---- */

static void test_saturated(void)
{
	struct softpt_port_config cfg = { 1 << 20, 8 };
	struct softpt_port_symbol at = { 0 };
	static char text[100 + 5000 * 12];
	static struct bytes out;
	struct softpt_port_se se;
	struct softpt_port p;
	uint64_t offset;
	size_t n;
	int i, err;

	n = sprintf(text, BEGIN "1100 psb");
	for (i = 0; i < 5000; i++)
		n += sprintf(text + n, ";%d trig 1", 1100 + i);
	err = run(&out, &cfg, text);
	if (!err)
		err = softpt_port_open(&p, out.buf, out.len, &offset);
	kit_ok(!err && softpt_port_next_se(&p, &at, &se) && se.offset == 1 &&
	       softpt_port_next_se(&p, &at, &se) && se.offset == SOFTPT_PORT_OFFSET_MAX &&
	       se.sent == 1100 + 5001, "the offset counter stops at 4095");
}

static void test_config(void)
{
	static const struct {
		const char *item;
		int want;
	} items[] = {
		{ "se_period=127", -EINVAL }, { "se_period=128", 1 }, { "se_period=0", -EINVAL },
		{ "se_period", -EINVAL }, { "fifo=0", -EINVAL }, { "fifo=1024", 1 },
		{ "fifo=1025", -EINVAL }, { "cyc=1", 0 }, { "fif=1", 0 },
	};
	struct softpt_port_config cfg;
	char why[100];
	size_t i;

	softpt_port_config_init(&cfg);
	kit_ok(cfg.fifo == 8, "eight entries, if nothing is said");
	for (i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		kit_is(softpt_port_config_parse(&cfg, items[i].item, why, sizeof(why)),
		       items[i].want, "%s", items[i].item);
}

static void test_refused(void)
{
	static const char *const lines[] = {
		"1000 retire 0x100000000 1", "1000 intr 0x1000 0x100000000 0 0",
		"1000 retire 0xfffffffc 2", "1000 jmp 0 0x100000000", "1000 mtlr 0x100000000",
		"0 idle;0x100000001 idle", "0x4000000000000000 idle",
		"0 sleep 0x4000000000000000",
	};
	struct softpt_port_config cfg;
	static struct bytes out;
	size_t i;

	softpt_port_config_init(&cfg);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		kit_is(run(&out, &cfg, lines[i]), -EINVAL, "refused: %s", lines[i]);
	kit_is(run(&out, &cfg, "0 sleep 0x1000000000;0x1000000005 idle"), 0,
	       "a stop may be longer than what is walked");
}

static void test_damaged(void)
{
	static const struct {
		const char *what;
		const char *symbols;
		size_t len;
		int want;
	} files[] = {
		{ "nothing", "", 0, 0 },
		{ "a symbol", "\x20", 1, 0 },
		{ "a run", "\x00\xff\x81", 3, 0 },
		{ "a run of none", "\x80", 1, -SOFTPT_ERR_ENCODING },
		{ "a run of instructions", "\x20\x81", 2, -SOFTPT_ERR_ENCODING },
		{ "a run of ten digits", "\x00\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80", 11,
		  -SOFTPT_ERR_ENCODING },
		{ "clocks beyond 64 bits",
		  "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff"
		  "\2\xff\xff\xff\xff\xff\xff\xff\xff\xff", 20,
		  -SOFTPT_ERR_ENCODING },
	};
	struct softpt_port_config cfg = { 128, 8 };
	uint8_t file[64];
	struct softpt_port p;
	uint64_t offset;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		softpt_port_header(file, &cfg, 5);
		memcpy(file + SOFTPT_PORT_HEADER, files[i].symbols, files[i].len);
		kit_is(softpt_port_open(&p, file, SOFTPT_PORT_HEADER + files[i].len, &offset),
		       files[i].want, "%s", files[i].what);
	}
	kit_is(softpt_port_open(&p, file, 31, &offset), -SOFTPT_ERR_TRUNCATED, "half a header");
	file[8] = 2;
	kit_is(softpt_port_open(&p, file, 32, &offset), -EOPNOTSUPP, "another version");
	file[0] = 'S';
	kit_is(softpt_port_open(&p, file, 32, &offset), -SOFTPT_ERR_ENCODING, "another magic");
}

int main(void)
{
	test_rows();
	test_saturated();
	test_config();
	test_refused();
	test_damaged();
	return kit_done();
}
