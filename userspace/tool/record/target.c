// SPDX-License-Identifier: BSD-2-Clause
/* The recorded program: forked, armed, and let go when all else is ready */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <softpt/device.h>
#include "record.h"
#include "source/share.h"
#include "../cli/tool.h"

#define NOT_FOUND	127
#define NOT_EXECUTABLE	126

enum stage {
	STAGE_PIN,
	STAGE_ARM,
	STAGE_EXEC,
};

struct failure {
	int stage;
	int error;
};

static void report(int fd, enum stage stage, int error)
{
	const struct failure f = { stage, error };

	if (write(fd, &f, sizeof(f)) != sizeof(f))
		_exit(NOT_EXECUTABLE);
	_exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

static void pin(int fd, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		report(fd, STAGE_PIN, errno);
}

static bool is_elf(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char magic[SELFMAG] = "";
	bool is = file >= 0 && read(file, magic, SELFMAG) == SELFMAG &&
		  !memcmp(magic, ELFMAG, SELFMAG);

	if (file >= 0)
		close(file);
	return is;
}

/* To execvp(), what the kernel does not execute is a script, even another machine's program. */
static void execute(char **argv)
{
	char path[PATH_MAX];

	if (!xl_find(argv[0], path, sizeof(path)) && is_elf(path))
		execv(path, argv);
	else
		execvp(argv[0], argv);
}

/* Arming comes last: what is stepped from the exec on is the program alone. */
static void child(const struct target *t, int go, int fd, char **argv, int session, int cpu)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_REFUSED);	/* the recorder is gone */
	if (cpu >= 0)
		pin(fd, cpu);
	sigprocmask(SIG_SETMASK, &t->mask, NULL);
	err = session >= 0 ? softpt_session_arm_exec(session) : 0;
	if (err)
		report(fd, STAGE_ARM, -err);
	if (t->runtime) {
		fcntl(t->keep, F_SETFD, 0);
		putenv(t->env);
		execv(t->runtime, argv);
	} else {
		execute(argv);
	}
	report(fd, STAGE_EXEC, errno);
}

int target_start(struct target *t, char **argv, int session, int cpu)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return refuse("record", "pipe: %s", strerror(errno));
	t->pid = fork();
	if (t->pid < 0)
		return refuse("record", "fork: %s", strerror(errno));
	if (!t->pid) {
		close(go[1]);
		child(t, go[0], failure[1], argv, session, cpu);
	}
	close(go[0]);
	close(failure[1]);
	t->go = go[1];
	t->failure = failure[0];
	return 0;
}

static int explain(const struct failure *f, const char *name)
{
	switch (f->stage) {
	case STAGE_PIN:
		return refuse(name, "cannot run on that CPU: %s", strerror(f->error));
	case STAGE_ARM:
		if (f->error == EBUSY)
			return refuse(name, "another session steps this process already");
		return refuse(SOFTPT_DEVICE, "arming the program: %s", strerror(f->error));
	}
	if (f->error == ENOEXEC)
		refuse(name, "this kernel does not execute it (32-bit programs: ia32_emulation=on)");
	else
		refuse(name, "%s", f->error == ENOENT ? "command not found" : strerror(f->error));
	return f->error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* It may be dead: its pipe has no reader then. */
void target_let(struct target *t)
{
	void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
	ssize_t n = write(t->go, "", 1);

	(void)n;
	signal(SIGPIPE, before);
	close(t->go);
}

int target_began(struct target *t, const char *name)
{
	struct failure f;
	ssize_t n;

	do {
		n = read(t->failure, &f, sizeof(f));
	} while (n < 0 && errno == EINTR);
	close(t->failure);
	return n == sizeof(f) ? explain(&f, name) : 0;
}

int target_go(struct target *t, const char *name)
{
	target_let(t);
	return target_began(t, name);
}

int target_signals(struct target *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, &t->mask);
	t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return t->signals < 0 ? refuse("signalfd", "%s", strerror(errno)) : 0;
}

void target_limit(uint64_t ns)
{
	const uint64_t us = ns < 1000 ? 1 : ns / 1000;
	const struct itimerval after = {
		.it_value = { .tv_sec = (time_t)(us / 1000000),
			      .tv_usec = (suseconds_t)(us % 1000000) },
	};

	if (ns)
		setitimer(ITIMER_REAL, &after, NULL);
}

/* A terminal sends its signals to the program, too; kill does not. */
static void pass_on(struct target *t, const struct signalfd_siginfo *info)
{
	t->stop = t->asked++ > 0 || !t->pid;
	if (info->ssi_code != SI_KERNEL && !t->exited && t->pid)
		kill(t->pid, info->ssi_signo);
}

static void reap(struct target *t, int how)
{
	if (t->pid && !t->exited)
		t->exited = wait4(t->pid, &t->wstatus, how, &t->usage) == t->pid;
}

void target_signal(struct target *t)
{
	struct signalfd_siginfo info;

	if (read(t->signals, &info, sizeof(info)) != sizeof(info))
		return;
	switch (info.ssi_signo) {
	case SIGALRM:
		t->timed = true;
		t->stop = true;
		break;
	case SIGCHLD:
		reap(t, WNOHANG);
		break;
	default:
		pass_on(t, &info);
	}
}

/* It gets the signals that come meanwhile, and a second one ends that, too. */
void target_wait(struct target *t)
{
	struct pollfd p = { .fd = t->signals, .events = POLLIN };

	reap(t, WNOHANG);
	while (t->pid && !t->exited && !t->stop)
		if (poll(&p, 1, -1) > 0)
			target_signal(t);
}

int target_result(const struct target *t)
{
	if (t->timed)
		return 0;
	return t->stop ? 128 + SIGINT : target_status(t->wstatus);
}

int target_status(int wstatus)
{
	return WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 128 + WTERMSIG(wstatus);
}
