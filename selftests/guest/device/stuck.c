// SPDX-License-Identifier: BSD-2-Clause
/*
 * device-stuck [TEST]
 *
 * Calls whose memory does not come hold up nobody but themselves: not the kernel's own work, not
 * a task that they name, not whoever closes a descriptor, not another reader. What is checked
 * here is that others come to an end; limits of time end only what hangs.
 */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SESSIONS	300	/* a workqueue of the kernel's runs 256 works at a time */
#define MINUTE		60000
#define NOBODY		65534

/* ---- threads and processes ---- */

/* An ioctl that a thread makes with memory that nobody writes to, and what it returned */
struct call {
	int fd;
	unsigned long cmd;
	void *arg;
	long ret;
	pid_t tid;
	pthread_t thread;
};

static void *make_call(void *arg)
{
	struct call *c = arg;

	long ret;

	__atomic_store_n(&c->tid, gettid(), __ATOMIC_RELEASE);
	ret = kit_ioctl(c->fd, c->cmd, c->arg);
	__atomic_store_n(&c->ret, ret, __ATOMIC_RELEASE);
	return NULL;
}

/* Return: whether it is in the call, and stays there. */
static bool begin_call(struct call *c, int fd, unsigned long cmd, void *arg)
{
	*c = (struct call){ .fd = fd, .cmd = cmd, .arg = arg };
	if (pthread_create(&c->thread, NULL, make_call, c))
		return false;
	while (!__atomic_load_n(&c->tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	return kit_waits(c->tid, SYS_ioctl);
}

/* A page for a call that begins with its size, and that cannot be answered */
static void *unanswerable(int userfault)
{
	const struct softpt_enable enable = { .size = sizeof(enable) };
	void *page = kit_unwritable(userfault, &enable, sizeof(enable));

	if (!page)
		kit_bail("a page that is written to by nobody: %s", strerror(errno));
	return page;
}

struct child {
	pid_t pid;
	int told;	/* a byte for each thing that it has done */
	int go;		/* a byte lets it go on */
};

static int tell_to, go_from;

static void tell(void)
{
	if (write(tell_to, "", 1) != 1)
		_exit(1);
}

static void wait_for_go(void)
{
	char byte;

	if (read(go_from, &byte, 1) != 1)
		_exit(1);
}

static struct child begin(void (*fn)(void))
{
	int told[2], go[2];
	struct child c;

	if (pipe2(told, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		kit_bail("pipes of a child");
	c.pid = fork();
	if (!c.pid) {
		tell_to = told[1];
		go_from = go[0];
		fn();
		_exit(0);
	}
	close(told[1]);
	close(go[0]);
	c.told = told[0];
	c.go = go[1];
	return c;
}

static bool has_told(struct child *c)
{
	struct pollfd p = { .fd = c->told, .events = POLLIN };
	char byte;

	return poll(&p, 1, MINUTE) > 0 && read(c->told, &byte, 1) == 1;
}

/* Return: whether it is gone. */
static bool is_killed(struct child *c)
{
	int i;

	kill(c->pid, SIGKILL);
	close(c->told);
	close(c->go);
	for (i = 0; i < MINUTE / 10; i++) {
		if (waitpid(c->pid, NULL, WNOHANG) == c->pid)
			return true;
		usleep(10000);
	}
	return false;
}

/* ---- the kernel's own work ---- */

static struct one {
	int session;
	int unit[2];
	struct call enable;
} all[SESSIONS];

static void begin_one(struct one *s, int dev, int userfault)
{
	const struct softpt_trigger trigger = {
		.size = sizeof(trigger), .source = SOFTPT_ON_DEMAND, .nth = 1,
		.flags = SOFTPT_TRIGGER_FREEZE | SOFTPT_TRIGGER_UNITS,
	};
	struct softpt_config config = kit_config();
	unsigned int i;

	config.ring = 4096;
	config.mode = SOFTPT_RING_SNAPSHOT;
	s->session = kit_session(dev);
	if (kit_configure(s->session, &config) ||
	    kit_ioctl(s->session, SOFTPT_SET_TRIGGER, &trigger))
		kit_bail("a session that freezes");
	for (i = 0; i < kit_cpus() && i < 2; i++)
		s->unit[i] = kit_unit(s->session, i);
	if (!begin_call(&s->enable, s->session, SOFTPT_ENABLE, unanswerable(userfault)))
		kit_bail("a call that waits");
}

static bool is_frozen(int unit)
{
	int i;

	for (i = 0; i < MINUTE / 10; i++) {
		if (kit_status(unit).flags & SOFTPT_ST_FROZEN)
			return true;
		usleep(10000);
	}
	return false;
}

/* All of them wait for an answer that does not get there, and are to freeze meanwhile. */
static void fill_queue(void)
{
	const struct rlimit files = { 8192, 8192 };
	int dev = kit_open(), userfault = kit_userfault(), i;

	setrlimit(RLIMIT_NOFILE, &files);
	for (i = 0; i < SESSIONS; i++)
		begin_one(&all[i], dev, userfault);
	for (i = 0; i < SESSIONS; i++)
		if (kit_ioctl(all[i].unit[0], SOFTPT_TRIGGER, NULL))
			_exit(1);
	tell();
	for (i = 0; i < SESSIONS; i++)
		if (!is_frozen(all[i].unit[1]))
			_exit(1);
	tell();
	for (i = 0; i < SESSIONS; i++)
		if (kit_disable(all[i].session))
			_exit(1);
	tell();
	pause();
}

/* The kernel's own queue does that, on each CPU. */
static void refresh(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) == 1)
		tell();
	pause();
}

static void test_queue(void)
{
	struct child filler = begin(fill_queue), other;

	kit_ok(has_told(&filler), "%d sessions whose ENABLE is not answered, and that freeze",
	       SESSIONS);
	other = begin(refresh);
	kit_ok(has_told(&other), "the kernel's own work is done");
	kit_ok(has_told(&filler), "each freezes its other unit");
	kit_ok(has_told(&filler), "each can be disabled");
	kit_ok(is_killed(&filler), "they can be killed");
	kit_ok(is_killed(&other), "so can who waited for the kernel's own work");
}

/* ---- a task that is named ---- */

static pid_t target;

static void *sleeper(void *arg)
{
	*(pid_t *)arg = gettid();
	tell();
	for (;;)
		pause();
	return NULL;
}

/* An exec that waits for its thread, whose tracer takes its time, and then another exec */
static void be_target(void)
{
	char *const argv[] = { "device-stuck", "again", NULL };
	static pid_t tid;
	pthread_t thread;
	char fds[2][16];

	pthread_create(&thread, NULL, sleeper, &tid);
	wait_for_go();
	if (write(tell_to, &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	wait_for_go();
	snprintf(fds[0], sizeof(fds[0]), "%d", tell_to);
	snprintf(fds[1], sizeof(fds[1]), "%d", go_from);
	fcntl(tell_to, F_SETFD, 0);
	fcntl(go_from, F_SETFD, 0);
	setenv("TELL", fds[0], 1);
	setenv("GO", fds[1], 1);
	execv("/proc/self/exe", argv);
	_exit(1);
}

/* Behind its first exec, and its second */
static void be_again(const char *which)
{
	char *const argv[] = { "device-stuck", "done", NULL };

	tell_to = atoi(getenv("TELL"));
	go_from = atoi(getenv("GO"));
	tell();
	if (!strcmp(which, "again")) {
		wait_for_go();
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	for (;;)
		pause();
}

static void attack(void)
{
	struct softpt_attach args = { .size = sizeof(args), .pid = target };
	int dev = kit_open(), session = kit_session(dev), userfault = kit_userfault();
	struct softpt_config config = kit_config();
	struct call attach, disable;
	unsigned int i;

	config.flags &= ~SOFTPT_F_OS;
	config.ring = 4096;
	if (userfault < 0 || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1) ||
	    kit_configure(session, &config) ||
	    kit_source(session, SOFTPT_SOURCE_STEP, NULL))
		_exit(1);
	for (i = 0; i < kit_cpus(); i++)
		kit_unit(session, i);
	if (kit_enable(session))
		_exit(1);
	attach = (struct call){ .fd = session, .cmd = SOFTPT_ATTACH, .arg = &args };
	if (pthread_create(&attach.thread, NULL, make_call, &attach))
		_exit(1);
	/* It is refused, or waits. */
	while (!__atomic_load_n(&attach.ret, __ATOMIC_ACQUIRE) &&
	       !(attach.tid && kit_sleeps_in(attach.tid) == SYS_ioctl))
		usleep(1000);
	if (!begin_call(&disable, session, SOFTPT_DISABLE, unanswerable(userfault)))
		_exit(1);
	tell();
	pthread_join(attach.thread, NULL);
	if (attach.ret == -EPERM)
		tell();
	pause();
}

/* A user whose DISABLE is not answered names a process of root's that is in exec. */
static void test_attach(void)
{
	struct child root = begin(be_target), user;
	pid_t tid;

	if (!has_told(&root) || write(root.go, "", 1) != 1 ||
	    read(root.told, &tid, sizeof(tid)) != sizeof(tid) ||
	    ptrace(PTRACE_SEIZE, tid, NULL, NULL) || write(root.go, "", 1) != 1 ||
	    !kit_waits(root.pid, SYS_execve))
		kit_bail("a program in exec: %s", strerror(errno));
	target = root.pid;
	user = begin(attack);
	kit_ok(has_told(&user), "a user's DISABLE is not answered, after it named root's process");
	kit_ok(has_told(&user), "ATTACH is refused, and waits for nothing of that process");
	kit_ok(waitpid(tid, NULL, __WALL) == tid && has_told(&root), "its exec goes on");
	kit_ok(write(root.go, "", 1) == 1 && has_told(&root), "it can exec again");
	kit_ok(is_killed(&user), "the user can be killed");
	kit_ok(is_killed(&root), "so can the process");
}

/* ---- descriptors ---- */

static void close_last(void)
{
	int dev = kit_open(), session = kit_session(dev), userfault = kit_userfault();
	int unit = kit_unit(session, 0);
	struct call enable;
	pid_t pid;

	if (unit < 0 || !begin_call(&enable, session, SOFTPT_ENABLE, unanswerable(userfault)))
		_exit(1);
	pid = fork();
	if (pid) {
		close(unit);
		waitpid(pid, NULL, 0);
		pause();
	}
	close(session);
	wait_for_go();
	close(unit);
	tell();
	_exit(0);
}

/* Who was handed a unit is not held up by its session's owner. */
static void test_close(void)
{
	struct child c = begin(close_last);

	kit_ok(write(c.go, "", 1) == 1 && has_told(&c), "a unit can be closed while ENABLE waits");
	kit_ok(is_killed(&c), "its session's owner can be killed");
}

static int handed;

static void enable_handed(void)
{
	struct call enable;

	if (!begin_call(&enable, handed, SOFTPT_ENABLE, unanswerable(kit_userfault())))
		_exit(1);
	tell();
	pause();
}

/* ENABLE is undone when its caller is killed before the answer gets there, and only then. */
static void test_undone(void)
{
	int dev = kit_open(), unit;
	struct child c;

	handed = kit_session(dev);
	unit = kit_unit(handed, 0);
	c = begin(enable_handed);
	kit_ok(has_told(&c) && kit_status(unit).flags & SOFTPT_ST_ENABLED, "ENABLE waits");
	kit_ok(is_killed(&c), "it is killed");
	kit_is(kit_disable(handed), -EINVAL, "nothing is enabled afterwards");

	c = begin(enable_handed);
	kit_ok(has_told(&c), "ENABLE waits");
	kit_is(kit_disable(handed), 0, "another DISABLE meanwhile");
	kit_is(kit_enable(handed), 0, "another ENABLE meanwhile");
	kit_ok(is_killed(&c), "the first ENABLE is killed");
	kit_is(kit_disable(handed), 0, "the other's holds");
	close(unit);
	close(handed);
	close(dev);
}

/* Each wait for RCU would be a sleep: of hundreds of them a process would die for seconds. */
static void test_many(void)
{
	enum { MANY = 200 };
	struct softpt_config config = kit_config();
	int dev = kit_open(), session[MANY], unit[MANY], i;
	struct rusage before, after;
	long slept;

	config.ring = 4096;
	for (i = 0; i < MANY; i++) {
		session[i] = kit_session(dev);
		unit[i] = kit_begin(session[i], &config);
	}
	getrusage(RUSAGE_THREAD, &before);
	for (i = 0; i < MANY; i++)
		close(unit[i]);
	getrusage(RUSAGE_THREAD, &after);
	slept = after.ru_nvcsw - before.ru_nvcsw;
	kit_ok(slept < MANY / 4, "%d units close, and sleep %ld times meanwhile", MANY, slept);
	for (i = 0; i < MANY; i++)
		close(session[i]);
	close(dev);
}

/* ---- readers ---- */

struct reading {
	int unit;
	void *to;
	long ret;
	pid_t tid;
};

static void *make_read(void *arg)
{
	struct reading *r = arg;

	__atomic_store_n(&r->tid, gettid(), __ATOMIC_RELEASE);
	r->ret = kit_read(r->unit, r->to, 16);
	return NULL;
}

/* What one reader has had while another's memory did not come is not read twice. */
static void test_readers(void)
{
	int dev = kit_open(), session = kit_session(dev), userfault = kit_userfault();
	const struct softpt_config config = kit_config();
	struct softpt_event *ev = kit_events(5, 100);
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&config, ev, 100, &counts), got[16];
	struct reading r = { .unit = kit_begin(session, &config), .to = kit_missing(userfault) };
	struct uffdio_zeropage zero = { .range = { (uintptr_t)r.to, 4096 } };
	pthread_t thread;

	kit_is(kit_write(r.unit, ev, 100 * sizeof(*ev)), 0, "bytes for two readers");
	pthread_create(&thread, NULL, make_read, &r);
	while (!__atomic_load_n(&r.tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	kit_ok(kit_waits(r.tid, SYS_read), "one whose memory does not come");
	kit_ok(kit_read(r.unit, got, 16) == 16 && !memcmp(got, want, 16), "the other has its bytes");
	kit_ok(!ioctl(userfault, UFFDIO_ZEROPAGE, &zero), "the memory comes");
	pthread_join(thread, NULL);
	kit_ok(r.ret == 16 && !memcmp(r.to, want + 16, 16), "the first has those behind them");
	close(userfault);
	close(r.unit);
	close(session);
	close(dev);
	free(ev);
	free(want);
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*test)(void);
	} tests[] = {
		{ "close", test_close }, { "undone", test_undone }, { "readers", test_readers },
		{ "many", test_many },
		{ "attach", test_attach }, { "queue", test_queue },
	};
	int userfault;
	size_t i;

	if (getenv("TELL"))
		be_again(argv[1]);
	userfault = kit_userfault();
	if (userfault < 0) {
		kit_note("this kernel has no userfaultfd: %s", strerror(-userfault));
		return 4;
	}
	close(userfault);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (argc < 2 || !strcmp(argv[1], tests[i].name))
			tests[i].test();
	return kit_done();
}
