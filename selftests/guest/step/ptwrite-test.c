// SPDX-License-Identifier: BSD-2-Clause
/* PTWRITE, which QEMU's processor does not know: packets for stepped programs, else SIGILL. */
#include "step.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/xonly.h"

static char **args(unsigned int bits32, const char *work)
{
	static char *argv[3];

	argv[0] = (char *)target_ptwrite[bits32];
	argv[1] = (char *)work;
	return argv;
}

/* The next "ptw IP VALUE NAME" in what the program said */
static const char *next_expected(const char *line, struct ptw *ptw)
{
	unsigned long ip;
	unsigned long long value;

	while (line && sscanf(line, "ptw %lx %llx", &ip, &value) != 2) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (line)
		*ptw = (struct ptw){ ip, value };
	return line;
}

static bool same_ptws(const struct trace *trace, const struct flow *flow)
{
	const char *line = trace->out;
	struct ptw want;
	bool ok = true;
	size_t n;

	for (n = 0; (line = next_expected(line, &want)); n++, line = strchr(line, '\n')) {
		struct ptw got = n < flow->ptws ? flow->ptw[n] : (struct ptw){ .ip = 0 };

		if (got.ip == want.ip && got.value == want.value)
			continue;
		kit_note("%.*s: got %#lx %#lx", (int)strcspn(line, "\n"), line,
			 (unsigned long)got.ip, (unsigned long)got.value);
		ok = false;
	}
	kit_note("PTWRITEs: %zu expected, %zu found", n, flow->ptws);
	return ok && n == flow->ptws;
}

static void add_xonly(struct code *code)
{
	struct section *s = &code->section[code->n++];

	*s = (struct section){ XONLY_AT, sizeof(xonly_code), malloc(sizeof(xonly_code)) };
	if (!s->bytes)
		kit_bail("no memory for code");
	memcpy(s->bytes, xonly_code, sizeof(xonly_code));
}

static void decode(unsigned int bits32, const char *work, const struct softpt_config *config,
		   struct trace *trace, struct flow *flow, bool *whole)
{
	struct code code = { .n = 0 };

	*flow = (struct flow){ .marks = 0 };
	trace_run(trace, config, args(bits32, work), TRACE_PINNED);
	oracle_code(args(bits32, work), &code);
	add_xonly(&code);
	*whole = trace->cpu[0].n && !flow_decode(config, &code, trace->cpu[0].data,
						 trace->cpu[0].n, flow) &&
		 !trace->cpu[0].status.counts.events_lost;
	code_free(&code);
}

/* What the trace holds is what the program says that it must. */
static void test_values(unsigned int bits32, const char *work, bool model)
{
	struct softpt_config config = trace_config();
	struct trace trace;
	struct flow flow;
	bool whole, ok;

	config.clock = model ? SOFTPT_CLOCK_MODEL : SOFTPT_CLOCK_WALL;
	decode(bits32, work, &config, &trace, &flow, &whole);
	ok = same_ptws(&trace, &flow) && flow.ptws && whole && !trace.wait_status;
	if (trace.wait_status)
		kit_note("wait status %#x", trace.wait_status);
	if (!whole)
		kit_note("not whole: %zu bytes, %llu events lost", trace.cpu[0].n,
			 (unsigned long long)trace.cpu[0].status.counts.events_lost);
	kit_ok(ok, "PTWRITE, %s%s%s: value and IP of each", work, bits32 ? ", 32-bit" : "",
	       model ? ", clock=model" : "");
	flow_free(&flow);
	trace_free(&trace);
}

/* ptw=0: the instruction is executed all the same */
static void test_off(void)
{
	struct softpt_config config = trace_config();
	struct trace trace;
	struct flow flow;
	bool whole;

	config.flags &= ~SOFTPT_F_PTW;
	decode(0, "forms", &config, &trace, &flow, &whole);
	kit_ok(whole && !trace.wait_status && !flow.ptws, "PTWRITE with ptw=0: no packet");
	flow_free(&flow);
	trace_free(&trace);
}

/* What the program is to say, stepped */
static const struct {
	const char *work;
	const char *says[2];	/* 64-bit, 32-bit */
} rows[] = {
	{ "faults", {
		"null: same\nPROT_NONE: same\ninto PROT_NONE: same\nout of PROT_NONE: same\n"
		"unmapped: same\ninto nothing: same\nbehind the end of a file: same\n"
		"kernel: same\nnot canonical: same\nbehind the last of the user's: same\n"
		"not canonical, stack: 7 128 trap 12\n",
		"null: same\nPROT_NONE: same\ninto PROT_NONE: same\nout of PROT_NONE: same\n"
		"unmapped: same\ninto nothing: same\nbehind the end of a file: same\n"
		"the last page: same\n",
	} },
	{ "selftf", {
		"traps 1, same, each of one instruction\n",
		"traps 1, same, each of one instruction\n",
	} },
};

static bool says(const struct trace *trace, const char *text)
{
	size_t n = strlen(text);

	if (trace->nout >= n && !memcmp(trace->out + trace->nout - n, text, n) &&
	    !trace->wait_status)
		return true;
	kit_note("status %#x, says", trace->wait_status);
	for (const char *p = trace->out; *p; p += strcspn(p, "\n"), p += *p == '\n')
		kit_note("%.*s", (int)strcspn(p, "\n"), p);
	return false;
}

static void test_says(unsigned int bits32, const char *work, const char *text)
{
	struct softpt_config config = trace_config();
	struct trace trace;

	trace_run(&trace, &config, args(bits32, work), TRACE_PINNED);
	kit_ok(says(&trace, text), "PTWRITE, %s%s: as any other instruction", work,
	       bits32 ? ", 32-bit" : "");
	trace_free(&trace);
}

static void test_signal(unsigned int bits32, const char *work, unsigned int flags, int sig,
			const char *what)
{
	struct softpt_config config = trace_config();
	struct trace trace;

	trace_run(&trace, &config, args(bits32, work), flags);
	kit_ok(WIFSIGNALED(trace.wait_status) && WTERMSIG(trace.wait_status) == sig, "%s%s",
	       what, bits32 ? ", 32-bit" : "");
	trace_free(&trace);
}

/* What is undefined stays so: stepped or not, the program says the same of its SIGILLs. */
static void test_illegal(unsigned int bits32)
{
	struct softpt_config config = trace_config();
	struct trace plain, stepped;

	trace_run(&plain, &config, args(bits32, "illegal"), TRACE_OFF);
	trace_run(&stepped, &config, args(bits32, "illegal"), TRACE_PINNED);
	kit_ok(plain.nout && says(&stepped, plain.out), "what is no PTWRITE is illegal%s",
	       bits32 ? ", 32-bit" : "");
	trace_free(&stepped);
}

/* ---- a debugger ---- */

static pid_t start_debugged(const struct trace_session *s, unsigned int bits32, const char *work)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(126);
	trace_exec(s->session, args(bits32, work), TRACE_PINNED);
}

/* From the SIGSTOP of a stepped program on. Return: stops of one instruction each */
static unsigned int count_stops(unsigned int bits32, const char *work, bool *each)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	unsigned int n = 0;
	siginfo_t info;
	int status, how = PTRACE_CONT;
	pid_t pid;

	trace_open(&s, &config, 0);
	pid = start_debugged(&s, bits32, work);
	*each = true;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (how == PTRACE_SINGLESTEP) {
			n++;
			*each &= WSTOPSIG(status) == SIGTRAP &&
				 !ptrace(PTRACE_GETSIGINFO, pid, 0, &info) &&
				 (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT);
		} else if (WSTOPSIG(status) == SIGSTOP) {
			how = PTRACE_SINGLESTEP;
		}
		ptrace(how, pid, 0, 0);
	}
	*each &= WIFEXITED(status) && WEXITSTATUS(status) == 42;
	trace_close(&s);
	return n;
}

static void test_debugged(unsigned int bits32)
{
	bool each, want_each;
	unsigned int want = count_stops(bits32, "nopstops", &want_each);
	unsigned int n = count_stops(bits32, "stops", &each);

	kit_ok(each && want_each && n == want && n > 5,
	       "a debugger's steps over PTWRITEs%s: %u stops, over NOPs %u",
	       bits32 ? ", 32-bit" : "", n, want);
}

/* The first process of a namespace, whom no signal kills but such: its parent sees it end. */
static void test_init(void)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	int status = -1, i;
	pid_t pid;

	if (unshare(CLONE_NEWPID)) {
		kit_ok(true, "a fault in a namespace # SKIP this kernel has none of processes");
		return;
	}
	trace_open(&s, &config, 0);
	pid = fork();
	if (!pid) {
		close(1);
		trace_exec(s.session, args(0, "blocked"), TRACE_PINNED);
	}
	for (i = 0; i < 600 && waitpid(pid, &status, WNOHANG) != pid; i++)
		usleep(100000);
	kill(pid, SIGKILL);
	kit_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	       "a fault of PTWRITE kills the first process of a namespace (%#x)", status);
	trace_close(&s);
}

static bool wanted(const char *work)
{
	return !only || !strcmp(only, work);
}

static void test_mode(unsigned int bits32)
{
	unsigned int i;

	if (wanted("forms"))
		test_values(bits32, "forms", false);
	if (wanted("absent"))
		test_values(bits32, "absent", false);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wanted(rows[i].work))
			test_says(bits32, rows[i].work, rows[i].says[bits32]);
	if (wanted("illegal"))
		test_illegal(bits32);
	if (wanted("blocked"))
		test_signal(bits32, "blocked", TRACE_PINNED, SIGSEGV,
			    "a fault of PTWRITE that is blocked kills");
	if (wanted("one"))
		test_signal(bits32, "one", TRACE_OFF, SIGILL, "untraced, PTWRITE is illegal");
	if (wanted("stops"))
		test_debugged(bits32);
}

void test_ptwrite(void)
{
	test_mode(0);
	test_mode(1);
	if (wanted("off"))
		test_off();
	if (wanted("xonly"))
		test_values(0, "xonly", true);
	if (wanted("init"))	/* the last: children are in the namespace from here on */
		test_init();
}
