// SPDX-License-Identifier: BSD-2-Clause
/*
 * A debugger beside the stepping sees each stop that it sees without, with the same registers,
 * and the program's flow is what it would be. Watchpoints on data are missing: QEMU 7.2 hangs where
 * one is set and the program is stepped, if only by ptrace.
 */
#include "step.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define POINTS	8
#define INT3	0xcc
/* Flags that depend on the random numbers that a program starts with */
#define ARITHMETIC	0x8d5UL

/*
 * What is done, one after the other and over again. Scripts of the same work stand together: its
 * path is looked up once.
 */
struct script {
	const char *name;
	const char *work;
	const enum __ptrace_request *request;
	unsigned int n;
	bool breakpoints;	/* INT3 at some instructions of the program */
	bool hardware;		/* one of them with a debug register */
	bool holes;		/* the flow isn't followed everywhere */
	bool bits32;
};

#define SCRIPT(...)	.request = (const enum __ptrace_request[]){ __VA_ARGS__ }, \
	.n = sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)

static const struct script scripts[] = {
	{ "cont", "signals", SCRIPT(PTRACE_CONT) },
	{ "step", "signals", SCRIPT(PTRACE_SINGLESTEP) },
	{ "syscall", "signals", SCRIPT(PTRACE_SYSCALL) },
	{ "step, cont", "signals", SCRIPT(PTRACE_SINGLESTEP, PTRACE_CONT) },
	{ "syscall, 32-bit", "signals", SCRIPT(PTRACE_SYSCALL), .bits32 = true },
	{ "cont, its own TF", "selftf", SCRIPT(PTRACE_CONT), .holes = true },
	{ "block, syscall", "jumps", .holes = true,
	  SCRIPT(PTRACE_SINGLEBLOCK, PTRACE_SINGLEBLOCK, PTRACE_SYSCALL) },
	{ "break, step, syscall", "jumps", .breakpoints = true,
	  SCRIPT(PTRACE_CONT, PTRACE_SINGLESTEP, PTRACE_SYSCALL, PTRACE_SINGLESTEP) },
	{ "step, syscall", "pushf", SCRIPT(PTRACE_SINGLESTEP, PTRACE_SINGLESTEP, PTRACE_SYSCALL) },
	{ "step, cont, exec", "again", SCRIPT(PTRACE_SINGLESTEP, PTRACE_CONT) },
	{ "hardware break, step", "true", .hardware = true,
	  SCRIPT(PTRACE_CONT, PTRACE_SINGLESTEP, PTRACE_SINGLESTEP) },
};

/* Each stop, as the debugger sees it */
struct stop {
	uint64_t ip, flags, r11, orig_ax, dr6, status;
};

struct log {
	struct stop *stop;
	size_t n, room;
};

struct debugger {
	const struct script *script;
	pid_t pid;
	uint64_t point[POINTS];
	long code[POINTS];
	unsigned int points;
	struct log log;
};

static struct user_regs_struct registers(pid_t pid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs))
		kit_bail("PTRACE_GETREGS failed");
	return regs;
}

static long peek_dr(pid_t pid, unsigned int i)
{
	return ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, u_debugreg[i]), 0);
}

static void poke_dr(pid_t pid, unsigned int i, uint64_t value)
{
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[i]), value))
		kit_bail("debug register %u cannot be set", i);
}

/* Else R11 may be anything, and depend on where the stack begins. */
static uint64_t copy_in(const struct user_regs_struct *regs)
{
	return regs->r11 >> 16 ? 0 : regs->r11 & ~ARITHMETIC;
}

static void note_stop(struct debugger *d, int status)
{
	struct user_regs_struct regs = registers(d->pid);
	struct log *log = &d->log;

	if (log->n == log->room) {
		log->room = log->room ? 2 * log->room : 1024;
		log->stop = realloc(log->stop, log->room * sizeof(*log->stop));
		if (!log->stop)
			kit_bail("no memory for %zu stops", log->room);
	}
	log->stop[log->n++] = (struct stop){
		.ip = regs.rip, .flags = regs.eflags & ~ARITHMETIC, .r11 = copy_in(&regs),
		.orig_ax = regs.orig_rax, .dr6 = peek_dr(d->pid, 6), .status = status,
	};
	if (d->script->hardware)
		poke_dr(d->pid, 6, 0);
}

static void poke(const struct debugger *d, unsigned int i, bool set)
{
	const long mask = 0xff;

	if (ptrace(PTRACE_POKETEXT, d->pid, d->point[i],
		   set ? (d->code[i] & ~mask) | INT3 : d->code[i]))
		kit_bail("no breakpoint at %#lx", (unsigned long)d->point[i]);
}

static void set_points(struct debugger *d)
{
	unsigned int i;

	for (i = 0; d->script->breakpoints && i < d->points; i++) {
		d->code[i] = ptrace(PTRACE_PEEKTEXT, d->pid, d->point[i], 0);
		poke(d, i, true);
	}
	if (!d->script->hardware)
		return;
	poke_dr(d->pid, 0, d->point[0]);
	poke_dr(d->pid, 7, 1);
}

static int wait_for(const struct debugger *d)
{
	int status;

	if (waitpid(d->pid, &status, 0) != d->pid)
		kit_bail("the program is lost");
	return status;
}

/* Breakpoints must not be near each other: @code was read before any was set. */
static bool at_point(const struct debugger *d, uint64_t ip, unsigned int *i)
{
	for (*i = 0; d->script->breakpoints && *i < d->points; ++*i)
		if (d->point[*i] == ip)
			return true;
	return false;
}

/* INT3, and not a step to behind it */
static bool is_hit(const struct debugger *d, uint64_t ip, unsigned int *i)
{
	siginfo_t info;

	return at_point(d, ip - 1, i) && !ptrace(PTRACE_GETSIGINFO, d->pid, 0, &info) &&
	       info.si_signo == SIGTRAP && info.si_code == SI_KERNEL;
}

/* As debuggers do it: the instruction itself in place of the INT3, one step, the INT3 again */
static int step_over(const struct debugger *d, unsigned int i, bool hit, int sig)
{
	struct user_regs_struct regs = registers(d->pid);
	int status;

	poke(d, i, false);
	if (hit) {
		regs.rip--;
		ptrace(PTRACE_SETREGS, d->pid, 0, &regs);
	}
	ptrace(PTRACE_SINGLESTEP, d->pid, 0, sig);
	status = wait_for(d);
	if (WIFSTOPPED(status))
		poke(d, i, true);
	return status;
}

static int signal_of(int status)
{
	return WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

/* Its own: a step's and a breakpoint's of the debugger have another si_code, or none. */
static bool is_its_own(const struct debugger *d)
{
	return !strcmp(d->script->work, "selftf") && d->log.n > 1;
}

static int go(struct debugger *d, int status)
{
	enum __ptrace_request request = d->script->request[d->log.n % d->script->n];
	uint64_t ip = registers(d->pid).rip;
	int sig = is_its_own(d) ? WSTOPSIG(status) : signal_of(status);
	unsigned int i;

	if (is_hit(d, ip, &i))
		return step_over(d, i, true, 0);
	if (at_point(d, ip, &i))
		return step_over(d, i, false, sig);
	if (ptrace(request, d->pid, 0, sig))
		kit_bail("request %d is refused", request);
	return wait_for(d);
}

/* Return: wait status at the end */
static int debug(struct debugger *d, int session, char *const argv[])
{
	cpu_set_t before;
	int status;

	d->pid = oracle_start_armed(argv, session, &before);
	status = wait_for(d);
	set_points(d);
	while (WIFSTOPPED(status)) {
		note_stop(d, status);
		status = go(d, status);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return status;
}

static bool same_stops(const struct log *got, const struct log *want)
{
	size_t i, n = got->n < want->n ? got->n : want->n;

	for (i = 0; i < n && !memcmp(&got->stop[i], &want->stop[i], sizeof(struct stop)); i++)
		;
	if (i == n && got->n == want->n && n)
		return true;
	kit_note("%zu stops, expected %zu; the first to differ is %zu", got->n, want->n, i);
	if (i < n) {
		const struct stop *g = &got->stop[i], *w = &want->stop[i];

		kit_note("IP %lx flags %lx R11 %lx orig_ax %ld DR6 %lx status %lx", g->ip, g->flags,
			 g->r11, g->orig_ax, g->dr6, g->status);
		kit_note("expected: IP %lx flags %lx R11 %lx orig_ax %ld DR6 %lx status %lx", w->ip,
			 w->flags, w->r11, w->orig_ax, w->dr6, w->status);
	}
	return false;
}

/* Instructions of the program, each executed several times, and no two near each other */
static void choose_points(struct debugger *d, const struct ips *ips)
{
	size_t i, k, hits;
	unsigned int p;

	for (i = ips->n / 3; i < ips->n && d->points < POINTS; i += ips->n / 100 + 1) {
		for (k = 0, hits = 0; k < ips->n; k++)
			hits += ips->ip[k] == ips->ip[i];
		for (p = 0; p < d->points; p++)
			if (llabs((long long)(d->point[p] - ips->ip[i])) < 16)
				hits = 0;
		if (hits > 2 && hits < 400)
			d->point[d->points++] = ips->ip[i];
	}
	if (!d->points)
		kit_bail("no instruction for a breakpoint");
}

static bool same_flow(const struct trace_session *s, const struct softpt_config *config,
		      const struct code *code, const struct ips *want, bool holes)
{
	size_t room = config->ring, n = 0;
	uint8_t *data = malloc(room);
	struct flow flow = { .marks = 0 };
	ssize_t ret;
	bool ok;

	if (!data)
		kit_bail("no memory for the trace");
	while (n < room && (ret = kit_read(s->unit[0], data + n, room - n)) > 0)
		n += ret;
	ok = !flow_decode(config, code, data, n, &flow);
	ok = (holes || ips_same(&flow.ips, want)) && ok;
	ok = !kit_status(s->unit[0]).counts.events_lost && ok;
	flow_free(&flow);
	free(data);
	return ok;
}

/* What a work executes, when nobody disturbs it */
struct path {
	const struct script *of;
	struct ips ips;
	struct code code;
};

static void path_free(struct path *path)
{
	ips_free(&path->ips);
	code_free(&path->code);
	*path = (struct path){ NULL };
}

static void path_find(struct path *path, const struct script *script, char *const argv[])
{
	if (path->of && !strcmp(path->of->work, script->work) &&
	    path->of->bits32 == script->bits32)
		return;
	path_free(path);
	path->of = script;
	oracle_run(argv, &path->ips, &path->code);
}

static void compare(const struct script *script, struct path *path)
{
	char *const argv[] = { (char *)(script->bits32 ? target32 : target),
			       (char *)script->work, "quiet", NULL };
	struct debugger plain = { .script = script }, stepped;
	struct softpt_config config = trace_config();
	struct trace_session s;
	int status;

	config.flags &= ~SOFTPT_F_MTC;	/* a debugger takes its time */
	path_find(path, script, argv);
	if (script->breakpoints || script->hardware)
		choose_points(&plain, &path->ips);
	stepped = plain;
	status = debug(&plain, -1, argv);
	trace_open(&s, &config, 0);
	kit_ok(debug(&stepped, s.session, argv) == status, "%s: %s ends as ever: %#x",
	       script->name, script->work, status);
	kit_ok(same_stops(&stepped.log, &plain.log), "%s: %s: the same %zu stops", script->name,
	       script->work, plain.log.n);
	kit_ok(trace_ended(s.unit[0], 60), "%s: %s: EPOLLHUP", script->name, script->work);
	kit_ok(same_flow(&s, &config, &path->code, &path->ips, script->holes), "%s: flow of %s",
	       script->name, script->work);
	trace_close(&s);
	free(plain.log.stop);
	free(stepped.log.stop);
}

void test_debugger(void)
{
	struct path path = { NULL };
	size_t i;

	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (!only || !strcmp(only, scripts[i].name))
			compare(&scripts[i], &path);
	path_free(&path);
}
