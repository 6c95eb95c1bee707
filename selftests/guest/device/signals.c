// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that wait, and signals: a handled one ends the wait, or with SA_RESTART lets it go on;
 * SIGKILL always ends it. No event and no byte is lost or comes twice.
 */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS	3000
#define RECORD	sizeof(struct softpt_event)

static int dev, session, unit;
static struct softpt_event *ev;
static uint8_t *want;
static struct softpt_counts counts;
static size_t taken;		/* of @ev */
static size_t drained;		/* of @want */

/* ---- a child in a call ---- */

struct caller {
	pid_t pid;
	long nr;	/* of the system call */
	int heard;	/* a byte for each signal */
	int result;
};

static int heard_to;

static void on_signal(int sig)
{
	(void)sig;
	if (write(heard_to, "", 1) != 1)
		_exit(1);
}

static struct caller begin_call(long (*call)(void), long nr, int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	int heard[2], result[2];
	struct caller c = { .nr = nr };
	long ret;

	if (pipe(heard) || pipe(result))
		kit_bail("pipes of a child");
	c.pid = fork();
	if (c.pid < 0)
		kit_bail("a child that calls");
	if (!c.pid) {
		heard_to = heard[1];
		sigaction(SIGUSR1, &action, NULL);
		ret = call();
		_exit(write(result[1], &ret, sizeof(ret)) != sizeof(ret));
	}
	close(heard[1]);
	close(result[1]);
	c.heard = heard[0];
	c.result = result[0];
	return c;
}

/* Once it waits. Return: whether its handler has run */
static bool interrupt(struct caller *c)
{
	char byte;

	return kit_waits(c->pid, c->nr) && !kill(c->pid, SIGUSR1) &&
	       read(c->heard, &byte, 1) == 1;
}

/* What the call returned. */
static long end_call(struct caller *c)
{
	long ret;

	if (read(c->result, &ret, sizeof(ret)) != sizeof(ret))
		ret = -ECHILD;
	waitpid(c->pid, NULL, 0);
	close(c->heard);
	close(c->result);
	return ret;
}

/* Return: whether it was in the call, and is gone. */
static bool is_killed(struct caller *c)
{
	bool waited = kit_waits(c->pid, c->nr);
	int status;

	kill(c->pid, SIGKILL);
	waitpid(c->pid, &status, 0);
	close(c->heard);
	close(c->result);
	return waited && WIFSIGNALED(status);
}

/* ---- replay: nothing is lost ---- */

static long write_rest(void)
{
	return kit_write(unit, ev + taken, (EVENTS - taken) * RECORD);
}

static long finish(void)
{
	return kit_ioctl(unit, SOFTPT_FINISH, NULL);
}

/* All that is there now. Return: false for other bytes than the engine's */
static bool drain(void)
{
	static uint8_t got[4096];
	ssize_t n;

	fcntl(unit, F_SETFL, O_NONBLOCK);
	while ((n = kit_read(unit, got, sizeof(got))) > 0) {
		if (drained + n > counts.bytes || memcmp(got, want + drained, n))
			return false;
		drained += n;
	}
	fcntl(unit, F_SETFL, 0);
	return true;
}

/* While a call waits for room. */
static bool drain_until_end(struct caller *c)
{
	siginfo_t info = { 0 };
	bool same = true;

	while (same && !waitid(P_PID, c->pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid) {
		same = drain();
		usleep(1000);
	}
	return same;
}

/* Three events, of which the last owes more MTCs than the ring takes */
static void put_gap(struct softpt_event *to, uint64_t tsc)
{
	to[0] = (struct softpt_event){
		.kind = SOFTPT_EV_ENABLE, .tsc = tsc + 1, .ip = 0x400000, .cpl = 3,
	};
	to[1] = (struct softpt_event){
		.kind = SOFTPT_EV_JCC, .tsc = tsc + 2, .ip = 0x400000, .target = 0x400010, .cpl = 3,
	};
	to[2] = (struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = tsc + 10000000 };
}

static void open_replay(void)
{
	struct softpt_config config = kit_config();

	config.ring = 4096;
	dev = kit_open();
	session = kit_session(dev);
	unit = kit_begin(session, &config);
	ev = kit_events(37, EVENTS);
	put_gap(&ev[EVENTS - 3], ev[EVENTS - 4].tsc);
	want = kit_expect(&config, ev, EVENTS, &counts);
	taken = 0;
	drained = 0;
}

static void close_replay(void)
{
	close(unit);
	close(session);
	close(dev);
	free(ev);
	free(want);
}

static void test_write(void)
{
	struct caller c = begin_call(write_rest, SYS_write, 0);
	long ret;

	kit_ok(interrupt(&c), "write: waits for room");
	ret = end_call(&c);
	kit_ok(ret > 0 && !(ret % RECORD) && ret / RECORD < EVENTS,
	       "write: a signal behind some records: says how many");
	taken = ret / RECORD;
	c = begin_call(write_rest, SYS_write, 0);
	kit_ok(interrupt(&c), "write: the ring is full");
	kit_is(end_call(&c), -EINTR, "write: a signal before any record");
	c = begin_call(write_rest, SYS_write, SA_RESTART);
	kit_ok(is_killed(&c), "write: SIGKILL");
	c = begin_call(write_rest, SYS_write, SA_RESTART);
	kit_ok(interrupt(&c) && kit_waits(c.pid, SYS_write), "write: goes on with SA_RESTART");
	kit_ok(drain_until_end(&c), "write: its bytes");
	ret = end_call(&c);
	kit_ok(ret == (long)((EVENTS - taken) * RECORD), "write: once there is room, all");
}

static void test_finish(void)
{
	struct caller c = begin_call(finish, SYS_ioctl, 0);

	kit_ok(interrupt(&c), "SOFTPT_FINISH: waits for room");
	kit_is(end_call(&c), -EINTR, "SOFTPT_FINISH: a signal");
	c = begin_call(finish, SYS_ioctl, SA_RESTART);
	kit_ok(is_killed(&c), "SOFTPT_FINISH: SIGKILL");
	c = begin_call(finish, SYS_ioctl, SA_RESTART);
	kit_ok(interrupt(&c) && kit_waits(c.pid, SYS_ioctl), "SOFTPT_FINISH: goes on with SA_RESTART");
	kit_ok(drain_until_end(&c), "SOFTPT_FINISH: its bytes");
	kit_is(end_call(&c), 0, "SOFTPT_FINISH: once there is room");
	kit_ok(drain() && drained == counts.bytes, "none of %llu bytes is missing",
	       (unsigned long long)counts.bytes);
}

/* ---- readers ---- */

static long read_one(void)
{
	char byte;

	return kit_read(unit, &byte, 1);
}

static void test_read(void)
{
	struct caller c = begin_call(read_one, SYS_read, 0);

	kit_ok(interrupt(&c), "read: waits for bytes");
	kit_is(end_call(&c), -EINTR, "read: a signal");
	c = begin_call(read_one, SYS_read, SA_RESTART);
	kit_ok(is_killed(&c), "read: SIGKILL");
	c = begin_call(read_one, SYS_read, SA_RESTART);
	kit_ok(interrupt(&c) && kit_waits(c.pid, SYS_read), "read: goes on with SA_RESTART");
	kit_is(kit_write(unit, ev, 2 * RECORD), 0, "read: bytes come");
	kit_is(end_call(&c), 1, "read: has one");
}

/* To a page that is there when somebody fills it: nobody does. */
static long read_to_nowhere(void)
{
	return kit_read(unit, kit_missing(kit_userfault()), 1);
}

/* A reader whose memory does not come holds up nobody. */
static void test_stuck_reader(void)
{
	int fault = kit_userfault();
	struct caller stuck;

	if (fault < 0) {
		kit_ok(true, "a reader in a page fault # SKIP this kernel has no userfaultfd");
		return;
	}
	close(fault);
	stuck = begin_call(read_to_nowhere, SYS_read, SA_RESTART);
	kit_ok(kit_waits(stuck.pid, SYS_read), "a reader in a page fault");
	kit_is(read_one(), 1, "read: another reader has its byte meanwhile");
	kit_is(kit_write(unit, ev + 2, 2 * RECORD), 0, "write: goes on meanwhile");
	kit_is(kit_disable(session), 0, "SOFTPT_DISABLE: goes on meanwhile");
	kit_ok(is_killed(&stuck), "a reader in a page fault can be killed");
	kit_is(read_one(), 1, "read: has its byte afterwards");
}

/* ---- attaching ---- */

static pid_t target;

static long attach(void)
{
	const struct softpt_attach args = {
		.size = sizeof(args), .flags = SOFTPT_ATTACH_PROCESS, .pid = target,
	};

	return kit_ioctl(session, SOFTPT_ATTACH, &args);
}

static void *idle(void *arg)
{
	char name[32];

	snprintf(name, sizeof(name), "%ld\n", syscall(SYS_gettid));
	if (write(*(int *)arg, name, strlen(name)) < 0)
		_exit(1);
	for (;;)
		pause();
}

/*
 * A program that stays in exec until its second thread is reaped, for which its tracer takes its
 * time. Return: that thread
 */
static pid_t start_exec(void)
{
	char *const argv[] = { "device-signals", "sleep", NULL };
	int told[2], go[2];
	char name[32] = "";
	pthread_t thread;
	pid_t tid;

	if (pipe(told) || pipe(go))
		kit_bail("pipes of a program");
	target = fork();
	if (!target) {
		pthread_create(&thread, NULL, idle, &told[1]);
		if (read(go[0], name, 1) == 1)
			execv("/proc/self/exe", argv);
		_exit(1);
	}
	if (read(told[0], name, sizeof(name) - 1) < 2)
		kit_bail("a second thread");
	tid = atoi(name);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		kit_bail("trace a thread: %s", strerror(errno));
	if (write(go[1], "", 1) != 1 || !kit_waits(target, SYS_execve))
		kit_bail("a program in exec");
	return tid;
}

static void test_attach(void)
{
	struct softpt_config config = kit_config();
	struct caller c;
	unsigned int i;
	pid_t thread;

	config.flags &= ~SOFTPT_F_OS;
	dev = kit_open();
	session = kit_session(dev);
	kit_configure(session, &config);
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), 0, "a session that steps");
	for (i = 0; i < kit_cpus(); i++)
		kit_unit(session, i);
	kit_is(kit_enable(session), 0, "is enabled");
	thread = start_exec();
	c = begin_call(attach, SYS_ioctl, 0);
	kit_ok(is_killed(&c), "SOFTPT_ATTACH: waits for an exec: SIGKILL");
	c = begin_call(attach, SYS_ioctl, 0);
	kit_ok(interrupt(&c) && kit_waits(c.pid, SYS_ioctl),
	       "SOFTPT_ATTACH: goes on after a signal, as ptrace does");
	kit_ok(waitpid(thread, NULL, __WALL) == thread, "the exec goes on");
	kit_is(end_call(&c), 0, "SOFTPT_ATTACH: once the program is there");
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	close(session);
	close(dev);
}

int main(int argc, char *argv[])
{
	if (argc > 1 && !strcmp(argv[1], "sleep"))
		for (;;)
			pause();
	open_replay();
	test_write();
	test_finish();
	close_replay();
	open_replay();
	test_read();
	test_stuck_reader();
	close_replay();
	test_attach();
	return kit_done();
}
