// SPDX-License-Identifier: BSD-2-Clause
/*
 * For each line of stdin it calls called() and late() in all kinds of places, and prints how often,
 * and what was wrong: of signals, masks, stacks, threads, children, mappings. With an argument it
 * has code in memory that no file holds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLED	__attribute__((noinline, noclone))
#define CHECK(x) do { \
	if (!(x)) { \
		wrong++; \
		fprintf(stderr, "line %d\n", __LINE__); \
	} \
} while (0)

extern char **environ;

static volatile long calls, lates, wrong, ticks, handled;
static volatile sig_atomic_t on_stack;
static char alt[64 << 10];
static sigjmp_buf back;

CALLED int called(int n)
{
	return n * 3 + 1;
}

static void call(int n)
{
	int i;

	for (i = 0; i < n; i++)
		CHECK(called(i) == i * 3 + 1);
	__atomic_fetch_add(&calls, n, __ATOMIC_SEQ_CST);
}

static void on_tick(int signo)
{
	(void)signo;
	ticks++;
}

static void on_usr1(int signo, siginfo_t *info, void *context)
{
	const char *here = (const char *)&signo;
	sigset_t set;

	(void)context;
	on_stack = here >= alt && here < alt + sizeof(alt);
	sigprocmask(SIG_BLOCK, NULL, &set);
	CHECK(sigismember(&set, SIGUSR1) && sigismember(&set, SIGUSR2));
	CHECK(info->si_pid == getpid());
	call(2);
	handled++;
}

static void on_usr2(int signo)
{
	(void)signo;
	call(1);
	siglongjmp(back, 1);
}

static bool blocks(int signo)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, signo);
}

static void signals(void)
{
	sigset_t set, old, pending;
	volatile int i;

	for (i = 0; i < 50; i++) {
		handled = 0;
		raise(SIGUSR1);
		CHECK(handled == 1 && on_stack && !blocks(SIGUSR1) && !blocks(SIGUSR2));
		if (!sigsetjmp(back, 1))
			raise(SIGUSR2);
		CHECK(!blocks(SIGUSR2));
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (i = 0; i < 20; i++) {
		handled = 0;
		sigprocmask(SIG_BLOCK, &set, &old);
		kill(getpid(), SIGUSR1);
		sigpending(&pending);
		CHECK(!handled && blocks(SIGUSR1) && sigismember(&pending, SIGUSR1));
		sigsuspend(&old);
		CHECK(handled == 1 && blocks(SIGUSR1));
		sigprocmask(SIG_SETMASK, &old, NULL);
		CHECK(!blocks(SIGUSR1));
	}
}

static void *in_thread(void *n)
{
	call((int)(long)n);
	if ((long)n % 2)
		pthread_exit(n);
	return n;
}

/* More of them than there can be at a time */
static void threads(void)
{
	pthread_t thread[8];
	void *ret;
	long i, k;

	for (k = 0; k < 50; k++) {
		for (i = 0; i < 8; i++)
			CHECK(!pthread_create(&thread[i], NULL, in_thread, (void *)i));
		for (i = 0; i < 8; i++)
			CHECK(!pthread_join(thread[i], &ret) && (long)ret == i);
	}
}

static void finish(pid_t pid)
{
	int status = -1;

	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void children(void)
{
	char *const argv[] = { "sh", "-c", "exit 7", NULL };
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			call(3);
			_exit(wrong ? 1 : 7);
		}
		calls += 3;
		finish(pid);
		CHECK(!posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ));
		finish(pid);
		pid = vfork();
		if (!pid)
			_exit(7);
		finish(pid);
	}
}

/* By a system call whose number no instruction holds */
static void clone_by_number(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid) {
		call(3);
		handled = 0;
		raise(SIGUSR1);
		_exit(handled == 1 && called(2) == 7 ? 7 : 1);
	}
	calls += 6;
	finish(pid);
}

static void loaded(const char *path)
{
	int (*late)(int n);
	void *library;
	int i, k;

	for (k = 0; k < 3; k++) {
		library = dlopen(path, RTLD_NOW);
		CHECK(library);
		late = library ? (int (*)(int))dlsym(library, "late") : NULL;
		for (i = 0; late && i < 10; i++)
			CHECK(late(i) == i + 1);
		lates += i;
		if (library)
			dlclose(library);
	}
}

static void mappings(void)
{
	char *at;
	int i;

	for (i = 0; i < 50; i++) {
		at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(at != MAP_FAILED && !mprotect(at, 8192, PROT_READ | PROT_WRITE));
		at[5000] = 1;
		at = mremap(at, 8192, 1 << 20, MREMAP_MAYMOVE);
		CHECK(at != MAP_FAILED && at[5000] == 1 && !munmap(at, 1 << 20));
	}
}

static void handlers(void)
{
	const struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	const stack_t stack = { .ss_sp = alt, .ss_size = sizeof(alt) };
	struct sigaction a = { .sa_flags = SA_SIGINFO | SA_ONSTACK }, old;

	sigaltstack(&stack, NULL);
	a.sa_sigaction = on_usr1;
	sigaddset(&a.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR1, NULL, &old);
	CHECK(old.sa_sigaction == on_usr1 && old.sa_flags & SA_ONSTACK);
	a = (struct sigaction){ .sa_handler = on_usr2 };
	sigaction(SIGUSR2, &a, NULL);
	a = (struct sigaction){ .sa_handler = on_tick, .sa_flags = SA_RESTART };
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Code that no file holds: the translation has to see what changes from now on. */
static void make_code(void)
{
	static const unsigned char code[] = { 0x8d, 0x47, 0x02, 0xc3 };	/* lea 2(%rdi), %eax; ret */
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
	int i;

	CHECK(at != MAP_FAILED);
	for (i = 0; i < 10; i++) {
		CHECK(!mprotect(at, 4096, PROT_READ | PROT_WRITE));
		memcpy(at, code, sizeof(code));
		at[2] = (unsigned char)i;
		CHECK(!mprotect(at, 4096, PROT_READ | PROT_EXEC));
		CHECK(((int (*)(int))at)(5) == 5 + i);
		call(1);
	}
	munmap(at, 4096);
}

int main(int argc, char **argv)
{
	const struct itimerval none = { 0 };
	char line[80], path[4096];

	(void)argv;
	snprintf(path, sizeof(path), "%s/late.so", getcwd(line, sizeof(line)));
	if (argc > 1 && mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && *line != 'q') {
		calls = 0;
		lates = 0;
		wrong = 0;
		handlers();
		call(1000);
		signals();
		threads();
		children();
		clone_by_number();
		loaded(path);
		mappings();
		if (*line == 'c')
			make_code();
		CHECK(ticks);
		setitimer(ITIMER_REAL, &none, NULL);
		printf("calls %ld wrong %ld\n", calls + lates, wrong);
		fflush(stdout);
	}
	return 0;
}
