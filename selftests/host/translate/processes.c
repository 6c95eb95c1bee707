// SPDX-License-Identifier: BSD-2-Clause
/* fork, vfork, exec of programs and scripts, and what a program may look at */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void say_self(const char *argv0)
{
	char exe[PATH_MAX] = "", name[16] = "", line[64] = "";
	int fd = open("/proc/self/cmdline", O_RDONLY);
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	prctl(PR_GET_NAME, name);
	if (fd < 0 || read(fd, line, sizeof(line) - 1) < 1 || n < 1)
		printf("cannot look\n");
	printf("exe %s, name %s, argv[0] %s %s, environment %s\n", basename(exe), name,
	       basename(strdup(argv0)), strcmp(line, argv0) ? "differs" : "same",
	       getenv("SOFTPT_TRANSLATE") ? "changed" : "as it was");
}

/* A process looks at another's program: a child's, which is this one */
static void look_at_child(void)
{
	pid_t pid = fork();
	char link[32], exe[PATH_MAX] = "";
	struct stat at = { 0 }, there = { 0 };

	if (!pid)
		pause();
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	if (readlink(link, exe, sizeof(exe) - 1) < 1 || stat(link, &at) || stat(exe, &there))
		printf("cannot look at a child\n");
	printf("child's exe %s, %s\n", basename(exe),
	       at.st_ino == there.st_ino ? "the same file" : "another file");
	kill(pid, SIGKILL);
	status_of(pid);
}

/* By the vdso, if there is one natively */
static void clocks(void)
{
	struct timespec from, to = { 0 };
	int i, back = 0;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < 100000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &to);
		back += to.tv_sec < from.tv_sec ||
			(to.tv_sec == from.tv_sec && to.tv_nsec < from.tv_nsec);
		from = to;
	}
	printf("vdso %s, back %d times\n", getauxval(AT_SYSINFO_EHDR) ? "yes" : "no", back);
}

static int run(char *const argv[])
{
	pid_t pid = vfork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	return status_of(pid);
}

static void script(const char *dir)
{
	static const char text[] = "#! /bin/sh -e\necho \"script $0 $1\" | sed s:/.*/::\nexit 9\n";
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/script", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		printf("no script\n");
	close(fd);
	printf("script: %#x\n", run((char *[]){ path, "one", NULL }));
	unlink(path);
}

static void on_term(int sig)
{
	(void)sig;
}

/* A child of vfork() writes into its parent's memory; its handlers are its own. */
static void shared(void)
{
	static volatile int told;
	struct sigaction act;
	int i, status, wrong = 0;
	pid_t pid;

	signal(SIGTERM, on_term);
	for (i = 0; i < 100; i++) {
		pid = vfork();
		if (!pid) {
			signal(SIGTERM, SIG_DFL);
			told = i;
			if (i % 3 == 0)
				execl("/does/not/exist", "none", NULL);
			if (i % 3 == 1)
				raise(SIGTERM);
			told += errno;
			_exit(5);
		}
		status = status_of(pid);
		sigaction(SIGTERM, NULL, &act);
		wrong += act.sa_handler != on_term;
		wrong += told - i != (i % 3 == 0 ? ENOENT : i % 3 == 1 ? 0 : ENOENT);
		wrong += status != (i % 3 == 1 ? SIGTERM : 5 << 8);
	}
	printf("vfork: %d wrong\n", wrong);
	wrong = posix_spawn(&pid, "/does/not/exist", NULL, NULL, (char *[]){ "x", NULL }, environ);
	printf("spawn of what is not there: %s\n", strerror(wrong));
}

int main(int argc, char **argv)
{
	pid_t pid;
	int i;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 2) {
		say_self(argv[0]);
		return argc;
	}
	say_self(argv[0]);
	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid)
			_exit(i);
		if (WEXITSTATUS(status_of(pid)) != i)
			printf("fork %d\n", i);
	}
	printf("true: %#x, false: %#x\n", run((char *[]){ "true", NULL }),
	       run((char *[]){ "false", NULL }));
	printf("missing: %#x, no program: %#x\n", run((char *[]){ "/does/not/exist", NULL }),
	       run((char *[]){ "/etc/passwd", NULL }));
	printf("myself: %#x\n", run((char *[]){ argv[0], "a", "b", "c", NULL }));
	script(argc > 1 ? argv[1] : "/tmp");
	if (!posix_spawnp(&pid, "echo", NULL, NULL, (char *[]){ "echo", "spawned", NULL }, environ))
		printf("spawned: %#x\n", status_of(pid));
	printf("system: %#x\n", system("exit 3"));
	shared();
	look_at_child();
	clocks();
	execl(argv[0], argv[0], "last", "x", NULL);
	return 1;
}
