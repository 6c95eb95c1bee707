// SPDX-License-Identifier: BSD-2-Clause
/* Signals and faults of every kind, under a timer: what is printed is the same each time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t ticks, faults, nested, on_alt;
static sigjmp_buf back;
static char alt[64 * 1024];

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	ticks++;
}

/* Skip the faulting instruction, whose length is in RDX. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	char here;

	(void)sig;
	(void)info;
	faults++;
	on_alt += &here >= alt && &here < alt + sizeof(alt);
	uc->uc_mcontext.gregs[REG_RIP] += uc->uc_mcontext.gregs[REG_RDX];
}

static void on_jump(int sig)
{
	siglongjmp(back, sig);
}

static void on_nested(int sig)
{
	nested++;
	if (nested < 5)
		raise(sig);
}

static void install(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &act, NULL);
}

/* Arithmetic whose result tells of each flag and register that a handler would spoil */
static __attribute__((noipa)) uint64_t work(int rounds)
{
	uint64_t a = 1, b = 2, c = 3;
	double d = 1;
	int i;

	for (i = 0; i < rounds; i++) {
		a = a * 6364136223846793005ull + 1442695040888963407ull;
		b += a >> 33 & 1 ? a ^ c : a + c;
		c = c << 7 | c >> 57;
		if ((b ^ a) % 3 == 0)
			c += b;
		d = d * 1.0000001 + (double)(a & 3);
	}
	return a ^ b ^ c ^ (uint64_t)d;
}

static void all_faults(void)
{
	static int zero;
	int i;

	for (i = 0; i < 200; i++) {
		/* a load from 0, UD2, a division by 0 */
		asm volatile("xor %%eax, %%eax\n mov $3, %%edx\n .byte 0x48, 0x8b, 0x08"
			     : : : "rax", "rcx", "rdx");
		asm volatile("mov $2, %%edx\n ud2" : : : "rdx");
		asm volatile("mov $1, %%eax\n mov %0, %%ecx\n mov $2, %%edx\n"
			     "xor %%edx, %%edx\n mov $2, %%dl\n idivl %%ecx"
			     : : "m"(zero) : "rax", "rcx", "rdx");
	}
}

static void jumps(void)
{
	volatile int n = 0;
	int sig = sigsetjmp(back, 1);

	if (sig)
		n++;
	if (n < 50)
		raise(n & 1 ? SIGUSR1 : SIGUSR2);
	printf("jumps %d\n", n);
}

static int child_status(int how)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		if (how == 0)
			*(volatile int *)(uintptr_t)getppid() = 0;	/* no address */
		else if (how == 1)
			abort();
		else if (how == 2)
			raise(SIGTERM);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	return status & ~0x80;		/* whether there was a core is not the program's matter */
}

int main(void)
{
	const struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { 0 };
	const stack_t stack = { .ss_sp = alt, .ss_size = sizeof(alt) };
	uint64_t alone = work(300000), disturbed;
	int i;

	sigaltstack(&stack, NULL);
	install(SIGALRM, on_tick, SA_RESTART);
	install(SIGSEGV, on_fault, SA_ONSTACK);
	install(SIGILL, on_fault, 0);
	install(SIGFPE, on_fault, SA_ONSTACK);
	signal(SIGUSR1, on_jump);
	signal(SIGUSR2, on_jump);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 20; i++) {
		disturbed = work(300000);
		if (disturbed != alone)
			printf("work differs\n");
	}
	all_faults();
	jumps();
	setitimer(ITIMER_REAL, &never, NULL);
	install(SIGHUP, (void *)on_nested, SA_NODEFER);
	raise(SIGHUP);
	printf("ticks %s, faults %d, on the alternate stack %d, nested %d\n",
	       ticks ? "some" : "none", faults, on_alt, nested);
	for (i = 0; i < 4; i++)
		printf("child %d: %#x\n", i, child_status(i));
	return 0;
}
