// SPDX-License-Identifier: BSD-2-Clause
/* What gdb's remote protocol asks (its manual, appendix E), and what is answered */
#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/process.h"
#include "../crash/signal.h"
#include "describe.h"
#include "frames.h"
#include "past.h"
#include "remote.h"

#define BREAKPOINTS	1024
#define READ_MAX	(REMOTE_SIZE / 2 - 1)

/* Numbers of gdb's registers of x86-64, as far as there is something to tell */
#define GDB_RBP		6
#define GDB_RSP		7
#define GDB_RIP		16
#define GDB_RFLAGS	17
#define GDB_FIRST	24	/* registers that "g" tells */

struct breakpoint {
	uint64_t at;
	bool hard;
};

struct session {
	struct remote r;
	struct past *h;
	struct place at;
	struct description d;
	const struct softpt_perf *perf;
	struct softpt_perf_crash crash;		/* which ended the thread */
	bool crashed;
	struct breakpoint breakpoint[BREAKPOINTS];
	size_t breakpoints;
	const char *reason;	/* of the last stop */
};

/* ---- going ---- */

static const struct breakpoint *breakpoint_at(const struct session *s, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->breakpoints; i++)
		if (s->breakpoint[i].at == addr)
			return &s->breakpoint[i];
	return NULL;
}

/* Whether one lies in the block there */
static bool in_block(const struct session *s)
{
	const struct block *b;
	size_t i;

	if (s->at.block == s->h->n)
		return true;
	b = past_block(s->h, s->at.block);
	for (i = 0; i < s->breakpoints; i++)
		if (s->breakpoint[i].at - b->ip < b->bytes)
			return true;
	return false;
}

static bool step(struct session *s, bool back)
{
	if (past_step(s->h, &s->at, back))
		return true;
	s->reason = back ? "replaylog:begin;" : "replaylog:end;";
	return false;
}

/* Return: whether it is at a breakpoint */
static bool stopped(struct session *s)
{
	const struct breakpoint *b = breakpoint_at(s, past_ip(s->h, &s->at));

	if (b)
		s->reason = b->hard ? "hwbreak:;" : "swbreak:;";
	return b;
}

/* Blocks without a breakpoint are passed as a whole. */
static void pass_blocks(struct session *s, bool back)
{
	while (!in_block(s)) {
		if (back && !s->at.block)
			break;
		s->at.block = back ? s->at.block - 1 : s->at.block + 1;
		s->at.insn = 0;
		if (!back)
			continue;
		if (in_block(s))
			past_last(s->h, &s->at);
	}
}

static void run(struct session *s, bool back)
{
	while (step(s, back)) {
		if (stopped(s))
			return;
		if (in_block(s))
			continue;
		pass_blocks(s, back);
		if (stopped(s))
			return;
	}
}

/* Until it is outside of [from, to) */
static void run_range(struct session *s, uint64_t from, uint64_t to)
{
	while (step(s, false))
		if (stopped(s) || past_ip(s->h, &s->at) - from >= to - from)
			return;
}

static void tell_stop(struct session *s)
{
	remote_put(&s->r, "T05thread:%x;%s", s->h->tid, s->reason);
}

/* "vCont;ACTION[:THREAD]...": there is one thread */
static void go_on(struct session *s, const char *action)
{
	char *end;
	uint64_t from, to;

	switch (*action) {
	case 'c':
	case 'C':
		run(s, false);
		break;
	case 's':
	case 'S':
		step(s, false);
		break;
	case 'r':
		from = strtoull(action + 1, &end, 16);
		to = *end == ',' ? strtoull(end + 1, NULL, 16) : from;
		run_range(s, from, to);
		break;
	default:
		remote_put(&s->r, "E01");
		return;
	}
	tell_stop(s);
}

/* "bc" and "bs" */
static void go_back(struct session *s, const char *how)
{
	if (*how == 'c')
		run(s, true);
	else
		step(s, true);
	tell_stop(s);
}

/* "Z0,ADDR,KIND": 0 a breakpoint, 1 one of hardware */
static void set_breakpoint(struct session *s, const char *p)
{
	uint64_t at;
	size_t i;

	if ((p[1] != '0' && p[1] != '1') || p[2] != ',')
		return;
	at = strtoull(p + 3, NULL, 16);
	for (i = 0; i < s->breakpoints; i++)
		if (s->breakpoint[i].at == at && s->breakpoint[i].hard == (p[1] == '1'))
			break;
	if (*p == 'z' && i < s->breakpoints)
		s->breakpoint[i] = s->breakpoint[--s->breakpoints];
	if (*p == 'Z' && i == s->breakpoints) {
		if (i == BREAKPOINTS) {
			remote_put(&s->r, "E01");
			return;
		}
		s->breakpoint[s->breakpoints++] = (struct breakpoint){ at, p[1] == '1' };
	}
	remote_put(&s->r, "OK");
}

/* ---- looking ---- */

/* What a crash has left, at the end. Return: how many bytes; 0: it is not known */
static size_t crash_register(const struct session *s, unsigned long number, uint64_t *value)
{
	static const enum softpt_perf_reg numbers[] = {
		SOFTPT_PERF_RAX, SOFTPT_PERF_RBX, SOFTPT_PERF_RCX, SOFTPT_PERF_RDX,
		SOFTPT_PERF_RSI, SOFTPT_PERF_RDI, SOFTPT_PERF_RBP, SOFTPT_PERF_RSP,
		SOFTPT_PERF_R8, SOFTPT_PERF_R9, SOFTPT_PERF_R10, SOFTPT_PERF_R11,
		SOFTPT_PERF_R12, SOFTPT_PERF_R13, SOFTPT_PERF_R14, SOFTPT_PERF_R15,
	};

	if (!s->crashed || s->at.block != s->h->n)
		return 0;
	*value = number == GDB_RFLAGS ? s->crash.rflags : 0;
	if (number < SOFTPT_PERF_REGS)
		*value = s->crash.reg[numbers[number]];
	return number < SOFTPT_PERF_REGS ? 8 : number == GDB_RFLAGS ? 4 : 0;
}

static void put_register(struct session *s, const struct frame_registers *regs,
			 unsigned long number)
{
	uint64_t value;
	const size_t left = crash_register(s, number, &value);

	if (number == GDB_RIP)
		remote_put_hex(&s->r, &regs->rip, sizeof(regs->rip));
	else if (number == GDB_RSP)
		remote_put_hex(&s->r, &regs->rsp, sizeof(regs->rsp));
	else if (number == GDB_RBP && regs->rbp)
		remote_put_hex(&s->r, &regs->rbp, sizeof(regs->rbp));
	else if (left)
		remote_put_hex(&s->r, &value, left);
	else
		remote_put_unavailable(&s->r, number > GDB_RIP && number < GDB_FIRST ? 4 : 8);
}

static void put_registers(struct session *s)
{
	struct frame_registers regs;
	unsigned int i;

	frames_registers(s->h, &s->at, &regs);
	for (i = 0; i < GDB_FIRST; i++)
		put_register(s, &regs, i);
}

static void put_one_register(struct session *s, const char *number)
{
	struct frame_registers regs;

	frames_registers(s->h, &s->at, &regs);
	put_register(s, &regs, strtoul(number, NULL, 16));
}

/* "mADDR,LEN": code, and what is made up of the stack */
static void put_memory(struct session *s, const char *where)
{
	static uint8_t buf[READ_MAX];
	char *end;
	const uint64_t addr = strtoull(where, &end, 16);
	uint64_t n = *end == ',' ? strtoull(end + 1, NULL, 16) : 0;

	if (n > sizeof(buf))
		n = sizeof(buf);
	if (n && !frames_read(s->h, &s->at, addr, buf, n))
		n = code_image_read(s->h->process->code, addr, buf, n);
	if (n)
		remote_put_hex(&s->r, buf, n);
	else
		remote_put(&s->r, "E01");
}

/* ---- asking ---- */

/* "qXfer:OBJECT:read:ANNEX:FROM,LEN" */
static void transfer(struct session *s, const char *p)
{
	const struct {
		const char *what;
		const char *text;
		size_t len;
	} objects[] = {
		{ "features:read:target.xml:", s->d.target, strlen(s->d.target) },
		{ "threads:read:", s->d.threads, strlen(s->d.threads) },
		{ "exec-file:read:", s->d.program, s->d.program ? strlen(s->d.program) : 0 },
		{ "libraries-svr4:read:", s->d.libraries, strlen(s->d.libraries) },
		{ "auxv:read:", s->d.auxv, s->d.auxv_len },
	};
	const char *at = strrchr(p, ':');
	char *end;
	uint64_t from, n;
	size_t i;

	if (!at)
		return;
	from = strtoull(at + 1, &end, 16);
	if (*end != ',')
		return;
	n = strtoull(end + 1, NULL, 16);
	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		if (!objects[i].text || strncmp(p, objects[i].what, strlen(objects[i].what)))
			continue;
		remote_put_part(&s->r, objects[i].text, objects[i].len, from, n);
		return;
	}
}

static bool monitor_is(const char *hex, const char *word)
{
	while (*word && hex[0] && hex[1]) {
		char digits[3] = { hex[0], hex[1], 0 };

		if (strtol(digits, NULL, 16) != *word++)
			return false;
		hex += 2;
	}
	return !*word && !*hex;
}

/* The time between there and the end, as text */
static void put_time(const struct session *s, char *buf, size_t len)
{
	const uint64_t from = past_tsc(s->h, &s->at), to = s->h->end_tsc;
	const uint64_t ns = softpt_perf_time(s->perf, to) - softpt_perf_time(s->perf, from);

	if (ns && ns == to - from)
		snprintf(buf, len, "%" PRIu64 " ticks", to - from);
	else
		snprintf(buf, len, "%.3f us", (double)ns / 1000);
}

/* "monitor when", as the debugger's user types it */
static void monitor(struct session *s, const char *hex)
{
	char time[64], text[256];

	put_time(s, time, sizeof(time));
	if (monitor_is(hex, "when"))
		snprintf(text, sizeof(text), "block %zu of %zu, %s before the end\n",
			 s->at.block, s->h->n, time);
	else
		snprintf(text, sizeof(text),
			 "monitor when: how far from the end this is, in blocks and in time\n");
	remote_put_hex(&s->r, text, strlen(text));
}

static void query(struct session *s, const char *p)
{
	if (!strncmp(p, "qSupported", 10))
		remote_put(&s->r, "PacketSize=%x;ReverseStep+;ReverseContinue+;swbreak+;hwbreak+;"
			   "vContSupported+;QStartNoAckMode+;qXfer:features:read+;"
			   "qXfer:threads:read+;qXfer:libraries-svr4:read+;qXfer:auxv:read+%s",
			   REMOTE_SIZE, s->d.program ? ";qXfer:exec-file:read+" : "");
	else if (!strncmp(p, "qXfer:", 6))
		transfer(s, p + 6);
	else if (!strncmp(p, "qRcmd,", 6))
		monitor(s, p + 6);
	else if (!strcmp(p, "qfThreadInfo"))
		remote_put(&s->r, "m%x", s->h->tid);
	else if (!strcmp(p, "qsThreadInfo"))
		remote_put(&s->r, "l");
	else if (!strcmp(p, "qC"))
		remote_put(&s->r, "QC%x", s->h->tid);
	else if (!strncmp(p, "qAttached", 9))
		remote_put(&s->r, "1");
	else if (!strcmp(p, "QStartNoAckMode"))
		remote_put(&s->r, "OK");
}

/* Return: false: the debugger goes. What is not known has an empty answer. */
static bool answer(struct session *s, const char *p)
{
	s->reason = "";
	switch (*p) {
	case '?':
		tell_stop(s);
		break;
	case 'q':
	case 'Q':
		query(s, p);
		break;
	case 'g':
		put_registers(s);
		break;
	case 'p':
		put_one_register(s, p + 1);
		break;
	case 'm':
		put_memory(s, p + 1);
		break;
	case 'G':
	case 'P':
	case 'M':
	case 'X':
		remote_put(&s->r, "E01");	/* what was done is done */
		break;
	case 'H':
	case 'T':
		remote_put(&s->r, "OK");
		break;
	case 'c':
	case 's':
	case 'C':
	case 'S':
		go_on(s, p);
		break;
	case 'b':
		go_back(s, p + 1);
		break;
	case 'Z':
	case 'z':
		set_breakpoint(s, p);
		break;
	case 'v':
		if (!strcmp(p, "vCont?"))
			remote_put(&s->r, "vCont;c;C;s;S;r");
		else if (!strncmp(p, "vCont;", 6))
			go_on(s, p + 6);
		break;
	case 'D':
		remote_put(&s->r, "OK");
		return false;
	case 'k':
		return false;
	}
	return true;
}

int serve(struct past *h, const char *root, const struct softpt_perf *perf)
{
	struct session *s = calloc(1, sizeof(*s));
	bool more = true;
	int err;

	if (!s)
		return -ENOMEM;
	s->h = h;
	s->perf = perf;
	s->at = (struct place){ .block = h->n };
	s->crashed = crash_find(perf, h->tid, &s->crash);
	err = describe(&s->d, h, root);
	while (!err && more && remote_receive(&s->r)) {
		more = answer(s, s->r.packet);
		if (!remote_send(&s->r))
			break;
		if (!strcmp(s->r.packet, "QStartNoAckMode"))
			s->r.no_acks = true;
	}
	description_free(&s->d);
	free(s);
	return err;
}
