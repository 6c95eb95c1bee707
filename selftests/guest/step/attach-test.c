// SPDX-License-Identifier: BSD-2-Clause
/* Tasks that run already are stepped from where they are, and left to themselves again. */
#include "step.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOMENTS	12
#define AGAIN	60
#define NOBODY	65534
#define NO_NAMESPACE	254	/* no errno */

/* A program that is not traced, and its standard input and output */
struct running {
	pid_t pid;
	int in, out;
	char said[4096];
	size_t n;
};

/* It has begun to do its work: its first line is there. */
static struct running start(const char *work)
{
	char *const argv[] = { (char *)target, (char *)work, NULL };
	struct running r = { 0 };
	int in[2], out[2];
	char c = 0;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		kit_bail("no pipe");
	r.pid = fork();
	if (!r.pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		setpgid(0, 0);
		trace_exec(-1, argv, 0);
	}
	close(in[0]);
	close(out[1]);
	r.in = in[1];
	r.out = out[0];
	while (c != '\n')
		if (read(r.out, &c, 1) != 1)
			kit_bail("%s did not start", work);
	return r;
}

static void hear(struct running *r)
{
	ssize_t n = read(r->out, r->said + r->n, sizeof(r->said) - 1 - r->n);

	r->n += n > 0 ? n : 0;
}

/* What it has said since its first line is in @said. Return: wait status */
static int finish(struct running *r)
{
	size_t before;
	int status;

	do {
		before = r->n;
		hear(r);
	} while (r->n > before);
	close(r->out);
	waitpid(r->pid, &status, 0);
	return status;
}

static long attach(int session, pid_t pid, unsigned int flags)
{
	const struct softpt_attach args = { .size = sizeof(args), .flags = flags, .pid = pid };

	return kit_ioctl(session, SOFTPT_ATTACH, &args);
}

static uint64_t events(const struct trace_session *s)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < s->cpus; i++)
		n += kit_status(s->unit[i]).counts.events;
	return n;
}

/* As many as it takes to be sure; at most half a minute */
static bool stepped(const struct trace_session *s, uint64_t enough)
{
	int i;

	for (i = 0; i < 3000 && events(s) < enough; i++)
		usleep(10000);
	return events(s) >= enough;
}

static void open_session(struct trace_session *s, unsigned int flags)
{
	struct softpt_config config = trace_config();

	trace_open(s, &config, flags);
}

/* ---- it goes on as if nothing had been ---- */

static void test_undone(const char *work)
{
	struct running plain = start(work), r;
	int want, status, i;
	struct trace_session s;
	bool all = true, same;

	close(plain.in);	/* that ends it */
	want = finish(&plain);

	r = start(work);
	for (i = 0; i < 3; i++) {
		open_session(&s, TRACE_INHERIT);
		all &= kit_is(attach(s.session, r.pid, SOFTPT_ATTACH_PROCESS), 0,
			      "%s: attached, time %d", work, i + 1);
		all &= kit_ok(stepped(&s, 2000), "%s: stepped, time %d", work, i + 1);
		if (i != 1)
			kit_disable(s.session);
		trace_close(&s);
	}
	kit_ok(kill(r.pid, 0) == 0, "%s: it goes on by itself", work);
	close(r.in);
	status = finish(&r);
	same = status == want && r.n == plain.n && !memcmp(r.said, plain.said, r.n);
	kit_ok(all && same && WEXITSTATUS(status) == 42,
	       "%s: attached and detached, it ends as ever", work);
	if (!same)
		kit_note("status %#x, alone %#x; said '%s', alone '%s'", status, want, r.said,
			 plain.said);
}

/* What "waits" says when nobody disturbs it */
static const char unheard[] = "epoll_wait 1 0\nread 1 a\nread 1 b TF 0\n";

/* To its end */
static void test_ends(void)
{
	struct trace_session s;
	struct running r = start("waits");
	int status;

	open_session(&s, 0);
	kit_is(attach(s.session, r.pid, 0), 0, "one that waits is attached to");
	usleep(100000);
	kit_ok(!events(&s), "while it waits there is nothing to be told");
	kit_ok(write(r.in, "ab", 2) == 2, "it is given its bytes");
	close(r.in);
	status = finish(&r);
	kit_ok(!strncmp(r.said, unheard, strlen(unheard)),
	       "no system call was interrupted, nor is TF seen");
	kit_note("said '%s'", r.said);
	kit_ok(trace_ended(s.unit[0], 60), "it exits: EPOLLHUP");
	kit_ok((int)kit_status(s.unit[0]).exit_code == status, "the exit code is its own");
	kit_ok(events(&s) > 1000, "it was stepped: %llu events", (unsigned long long)events(&s));
	trace_close(&s);
}

/* The session goes while it waits, before or after the first step. */
static void test_waits(void)
{
	struct running r = start("waits");
	struct trace_session s;
	int status;

	open_session(&s, 0);
	kit_is(attach(s.session, r.pid, SOFTPT_ATTACH_PROCESS), 0, "it waits");
	trace_close(&s);
	open_session(&s, 0);
	kit_is(attach(s.session, r.pid, SOFTPT_ATTACH_PROCESS), 0,
	       "it waits still, and can be attached to again");
	kit_ok(write(r.in, "a", 1) == 1, "a byte for it");
	while (!strchr(r.said, 'a') || !strstr(r.said, "read"))
		hear(&r);
	kit_ok(stepped(&s, 10), "it is stepped up to where it waits again");
	trace_close(&s);
	open_session(&s, 0);
	kit_is(attach(s.session, r.pid, 0), 0, "what is left of the session before is in nobody's way");
	kit_ok(write(r.in, "b", 1) == 1, "another byte");
	close(r.in);
	status = finish(&r);
	kit_ok(!strncmp(r.said, unheard, strlen(unheard)) && WEXITSTATUS(status) == 42,
	       "it has noticed nothing");
	kit_ok(trace_ended(s.unit[0], 60) && events(&s) > 1000, "it was stepped to its end");
	trace_close(&s);
}

/* While it sleeps each session leaves something of its own behind. */
static void test_piles_up(void)
{
	struct running r = start("waits");
	struct trace_session s;
	int i, status;
	long err = 0;

	for (i = 0; i < 80 && !err; i++) {
		open_session(&s, 0);
		err = attach(s.session, r.pid, 0);
		trace_close(&s);
	}
	kit_ok(err == -EBUSY && i == 65, "64 sessions leave something with one that waits (%d: %ld)",
	       i, err);
	kit_ok(write(r.in, "a", 1) == 1, "a byte for it");
	while (!strchr(r.said, 'a') || !strstr(r.said, "read"))
		hear(&r);
	open_session(&s, 0);
	kit_is(attach(s.session, r.pid, 0), 0, "it has come by: there is room again");
	kit_ok(write(r.in, "b", 1) == 1, "another byte");
	close(r.in);
	status = finish(&r);
	kit_ok(!strncmp(r.said, unheard, strlen(unheard)) && WEXITSTATUS(status) == 42,
	       "none of them has touched it");
	kit_ok(trace_ended(s.unit[0], 60) && events(&s) > 1000, "the last has its trace");
	trace_close(&s);
}

/* ---- who, and by whom ---- */

static void test_busy(void)
{
	struct running r = start("pair");
	struct trace_session a, b;
	siginfo_t info;
	pid_t zombie;

	open_session(&a, 0);
	open_session(&b, 0);
	kit_is(attach(a.session, r.pid, 0), 0, "a thread");
	kit_is(attach(b.session, r.pid, 0), -EBUSY, "another session steps it");
	kit_is(attach(b.session, r.pid, SOFTPT_ATTACH_PROCESS), -EBUSY,
	       "another session steps a thread of it");
	kit_ok(!events(&b), "nothing of it is stepped");
	kit_is(kit_disable(a.session), 0, "the first session is disabled");
	kit_is(attach(a.session, r.pid, 0), -EBADFD, "a disabled session attaches to nobody");
	kit_is(attach(b.session, r.pid, SOFTPT_ATTACH_PROCESS), 0, "it is free again");
	kill(r.pid, SIGKILL);
	close(r.in);
	finish(&r);
	kit_ok(trace_ended(b.unit[0], 60), "killed: EPOLLHUP");
	trace_close(&a);
	trace_close(&b);

	open_session(&a, 0);
	kit_is(attach(a.session, r.pid, 0), -ESRCH, "one that is gone");
	zombie = fork();
	if (!zombie)
		_exit(0);
	waitid(P_PID, zombie, &info, WEXITED | WNOWAIT);
	kit_is(attach(a.session, zombie, 0), -ESRCH, "a zombie");
	kit_is(attach(a.session, zombie, SOFTPT_ATTACH_PROCESS), -ESRCH, "a zombie's process");
	waitpid(zombie, NULL, 0);
	trace_close(&a);
}

static bool set_own(char c)
{
	FILE *f = fopen("/sys/module/softpt/parameters/attach_own", "w");

	return f && fputc(c, f) != EOF && !fclose(f);
}

/* Without other capabilities @keep one, as a user */
static bool keep_capability(int keep)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { };

	data[0].permitted = 1u << keep;
	return !syscall(SYS_capset, &header, data);
}

/* A user of the group @gid; with @keep >= 0 it keeps that capability */
static pid_t sleeper_of(uid_t uid, gid_t gid, int keep, bool dumpable)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_KEEPCAPS, keep >= 0);
		if (uid && (setgroups(0, NULL) || setgid(gid) || setuid(uid) ||
			    (keep >= 0 && !keep_capability(keep))))
			_exit(1);
		prctl(PR_SET_DUMPABLE, dumpable);
		close(ready[0]);
		if (write(ready[1], "", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		kit_bail("no sleeper");
	close(ready[0]);
	return pid;
}

static pid_t sleeper(uid_t uid, bool dumpable)
{
	return sleeper_of(uid, uid, -1, dumpable);
}

/* What a user without capabilities is told: of a session that root made for it */
static int as_user(pid_t pid, bool own_namespace)
{
	struct trace_session s;
	int status;
	pid_t child;

	open_session(&s, 0);
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(255);
		if (own_namespace && unshare(CLONE_NEWUSER))	/* where it has all capabilities */
			_exit(NO_NAMESPACE);
		_exit(-attach(s.session, pid, 0));
	}
	waitpid(child, &status, 0);
	trace_close(&s);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -255;
}

static int as_nobody(pid_t pid)
{
	return as_user(pid, false);
}

static void refused_in_namespace(pid_t pid, const char *name)
{
	int err = as_user(pid, true);

	if (err == -NO_NAMESPACE)
		kit_ok(true, "%s # SKIP this kernel makes users no namespaces", name);
	else
		kit_is(err, -EPERM, "%s", name);
}

static void test_permitted(void)
{
	pid_t own = sleeper(NOBODY, true), secret = sleeper(NOBODY, false);
	pid_t another = sleeper(NOBODY - 1, true), root = sleeper(0, true);
	pid_t group = sleeper_of(NOBODY, NOBODY - 1, -1, true);
	pid_t more = sleeper_of(NOBODY, NOBODY, CAP_NET_RAW, true);
	struct trace_session s;

	kit_is(as_nobody(root), -EPERM, "a user and root's process");
	kit_is(as_nobody(another), -EPERM, "a user and another's");
	kit_is(as_nobody(own), -EPERM, "a user and its own: security modules can't be asked");
	kit_ok(set_own('Y'), "attach_own=Y");
	kit_is(as_nobody(own), 0, "a user and its own with attach_own");
	kit_is(as_nobody(secret), -EPERM, "a user and its own that isn't dumpable");
	kit_is(as_nobody(another), -EPERM, "a user and another's with attach_own");
	kit_is(as_nobody(root), -EPERM, "a user and root's with attach_own");
	kit_is(as_nobody(group), -EPERM, "a user and its own of another group");
	kit_is(as_nobody(more), -EPERM, "a user and its own that has a capability more");
	refused_in_namespace(root, "root of a user namespace and root's");
	refused_in_namespace(another, "root of a user namespace and another's");
	kit_ok(set_own('N'), "attach_own=N");
	open_session(&s, 0);
	kit_is(attach(s.session, secret, 0), 0, "root and anybody's");
	trace_close(&s);
	kill(own, SIGKILL);
	kill(secret, SIGKILL);
	kill(another, SIGKILL);
	kill(root, SIGKILL);
	kill(group, SIGKILL);
	kill(more, SIGKILL);
	while (wait(NULL) > 0)
		;
}

/*
 * A program that execs another when it is told to, as a user. One that gains root's rights is let
 * go, and goes on.
 */
static void test_gains(mode_t mode, bool let_go)
{
	static const char copy[] = "/tmp/step-gains";
	struct trace_session s;
	char command[256], c;
	int go[2], status;
	pid_t pid;

	snprintf(command, sizeof(command), "cp %s %s", target, copy);
	if (system(command) || chmod(copy, mode) || pipe(go))
		kit_bail("cannot copy %s", target);
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) ||
		    read(go[0], &c, 1) != 1)
			_exit(1);
		close(0);
		dup2(go[0], 0);
		execl(copy, "step-target", "waits", NULL);
		_exit(2);
	}
	open_session(&s, 0);
	kit_is(attach(s.session, pid, SOFTPT_ATTACH_PROCESS), 0, "one that will exec");
	kit_ok(write(go[1], "x", 1) == 1 && trace_ended(s.unit[0], let_go ? 60 : 3) == let_go,
	       "a program of mode %04o is %s", mode, let_go ? "let go at its exec" : "stepped on");
	kit_ok(!waitpid(pid, &status, WNOHANG), "and goes on");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	trace_close(&s);
	close(go[0]);
	close(go[1]);
	unlink(copy);
}

/* ---- at any moment ---- */

enum end { TARGET_KILLED, RECORDER_KILLED, RECORDER_EXECS };

/* Threads and children that are made meanwhile; who attaches may be killed, or exec, too. */
static void test_moments(const char *work, enum end end)
{
	static const char *const names[] = {
		"it is killed", "its recorder is killed", "its recorder execs"
	};
	char *const nap[] = { (char *)target, "nap", NULL };
	bool kill_target = end == TARGET_KILLED;
	struct trace_session s;
	int i, status, ok = 0;
	pid_t pid, recorder;

	for (i = 0; i < MOMENTS; i++) {
		char *const argv[] = { (char *)target, (char *)work, NULL };

		pid = fork();
		if (!pid) {
			close(1);
			setpgid(0, 0);
			trace_exec(-1, argv, 0);
		}
		usleep(i * 1000);
		recorder = fork();
		if (!recorder) {
			open_session(&s, TRACE_INHERIT);
			attach(s.session, pid, SOFTPT_ATTACH_PROCESS);
			usleep(i * 3000);
			if (end == RECORDER_EXECS)
				trace_exec(-1, nap, 0);
			for (;;)
				pause();
		}
		usleep(i * 3000);
		if (end != RECORDER_EXECS)
			kill(kill_target ? pid : recorder, SIGKILL);
		waitpid(pid, &status, 0);
		ok += kill_target ? WIFSIGNALED(status) || WIFEXITED(status) :
				    WIFEXITED(status) && !WEXITSTATUS(status);
		kill(-pid, SIGKILL);
		kill(recorder, SIGKILL);
		while (wait(NULL) > 0)
			;
	}
	kit_ok(ok == MOMENTS, "%s, %s at %d moments: %d ended well", work, names[end], MOMENTS, ok);
}

/* Sessions that come and go as fast as they can, while the program does its work */
static void test_again_and_again(const char *work)
{
	struct running r = start(work);
	struct trace_session s;
	int i, status, ok = 0;

	for (i = 0; i < AGAIN; i++) {
		open_session(&s, TRACE_INHERIT);
		ok += !attach(s.session, r.pid, SOFTPT_ATTACH_PROCESS);
		if (i % 3 == 1)
			stepped(&s, i % 7);
		if (i % 2)
			kit_disable(s.session);
		trace_close(&s);
	}
	kit_ok(ok == AGAIN, "%s: attached to %d times of %d", work, ok, AGAIN);
	close(r.in);
	status = finish(&r);
	kit_ok(WEXITSTATUS(status) == 42 && !strpbrk(strstr(r.said, "wrong"), "123456789"),
	       "%s: it ends as ever", work);
	kit_note("status %#x, said '%s'", status, r.said);
}

void test_attach(void)
{
	test_again_and_again("steady");
	test_again_and_again("pair");
	test_busy();
	test_permitted();
	test_gains(0755, false);
	test_gains(04755, true);
	test_ends();
	test_waits();
	test_piles_up();
	test_undone("steady");
	test_undone("pair");
	test_moments("threads", RECORDER_KILLED);
	test_moments("forks", RECORDER_KILLED);
	test_moments("spawn", RECORDER_KILLED);
	test_moments("signals", RECORDER_KILLED);
	test_moments("selftf", RECORDER_KILLED);
	test_moments("threads", TARGET_KILLED);
	test_moments("spawn", TARGET_KILLED);
	test_moments("threads", RECORDER_EXECS);
	test_moments("spawn", RECORDER_EXECS);
}
