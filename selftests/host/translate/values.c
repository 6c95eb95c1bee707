// SPDX-License-Identifier: BSD-2-Clause
/*
 * PTWRITE of registers and memory, also under a timer: each value is written once, and nothing else
 * changes. Prints a sum of what it has written. ./values few: without the timer; ./values fault: of
 * an operand that is not there
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile uint64_t memory = 0x1122334455667788;
static volatile sig_atomic_t ticks;

static void on_alarm(int sig)
{
	(void)sig;
	ticks++;
	__asm__ volatile("ptwrite %0" : : "r" (0xa1a1a1a1u));
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	printf("signal %d at %p\n", sig, info->si_addr);
	exit(0);
}

static void every_way(void)
{
	uint64_t value = 0x8877665544332211;
	const char *at = (const char *)&memory;

	__asm__ volatile("ptwrite %k0" : : "r" (value));
	__asm__ volatile("ptwrite %q0" : : "r" (value));
	__asm__ volatile("ptwrite %q0" : : "c" (value));
	__asm__ volatile("ptwritel %0" : : "m" (memory));
	__asm__ volatile("ptwriteq %0" : : "m" (memory));
	__asm__ volatile("ptwriteq (%%rcx)" : : "c" (at));
	__asm__ volatile("ptwritel 4(%%rcx)" : : "c" (at));
	__asm__ volatile("mov %1, %%r9; ptwriteq (%%r9, %%rcx, 8)" : : "c" (1l), "r" (at - 8)
			 : "r9");
}

/* The flags and all registers are what they were. */
static uint64_t sum(uint64_t n)
{
	uint64_t i, s = 0, before, after;

	for (i = 0; i < n; i++) {
		__asm__ volatile("cmp $100, %[i]\n\tpushf\n\tpop %[b]\n\tptwrite %q[i]\n\tpushf\n\tpop %[a]"
				 : [b] "=&r" (before), [a] "=&r" (after) : [i] "c" (i) : "cc");
		s += i + (before != after);
	}
	return s;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	struct sigaction act = { .sa_handler = on_alarm };
	uint64_t s;

	sigaction(SIGALRM, &act, NULL);
	act.sa_sigaction = on_fault;
	act.sa_flags = SA_SIGINFO;
	sigaction(SIGSEGV, &act, NULL);
	if (argc > 1 && argv[1][1] == 'a')
		__asm__ volatile("ptwriteq 0x123456");
	every_way();
	if (argc == 1)
		setitimer(ITIMER_REAL, &often, NULL);
	s = sum(argc == 1 ? 200000 : 200);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%llu\n", (unsigned long long)s);
	return argc > 1 || ticks > 3 ? 0 : 1;
}
