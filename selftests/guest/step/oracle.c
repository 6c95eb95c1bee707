// SPDX-License-Identifier: BSD-2-Clause
/* The same program under PTRACE_SINGLESTEP: the judge of what was executed. */
#include "step.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CS_32		0x23
#define BEGIN_32	64	/* getppid() of 32-bit programs */

#define CPUID		0xa20f
#define CPUID_SIZE	2

static void add_section(struct code *code, int mem, uint64_t from, uint64_t to)
{
	struct section *s = &code->section[code->n];

	if (code->n == sizeof(code->section) / sizeof(code->section[0]))
		kit_bail("more executable mappings than expected");
	*s = (struct section){ from, to - from, malloc(to - from) };
	if (!s->bytes)
		kit_bail("no memory for code");
	/* The vsyscall page cannot be read. */
	if (pread(mem, s->bytes, s->size, from) == (ssize_t)s->size)
		code->n++;
	else
		free(s->bytes);
}

static void read_code(struct code *code, pid_t pid)
{
	char path[64], line[512], perms[8];
	unsigned long from, to;
	FILE *maps;
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (!maps || mem < 0)
		kit_bail("cannot read the memory of %d", pid);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, perms) == 3 && perms[2] == 'x')
			add_section(code, mem, from, to);
	fclose(maps);
	close(mem);
}

uint64_t oracle_ip(pid_t pid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs))
		kit_bail("PTRACE_GETREGS failed");
	return regs.rip;
}

void oracle_step(pid_t pid, struct ips *ips)
{
	uint64_t ip = oracle_ip(pid), last = ips->n ? ips->ip[ips->n - 1] : 0;

	if (last && ip != last + CPUID_SIZE &&
	    (ptrace(PTRACE_PEEKTEXT, pid, last, 0) & 0xffff) == CPUID)
		ips_add(ips, last + CPUID_SIZE);
	ips_add(ips, ip);
}

static pid_t start(char *const argv[], int session)
{
	pid_t pid = fork();
	int out[2];

	if (pid)
		return pid;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(126);
	/* The C library does as it does when it is stepped: its output is a pipe. */
	if (pipe(out) || dup2(out[1], 1) < 0)
		_exit(126);
	trace_exec(session, argv, TRACE_PINNED);
}

/*
 * One stop. A signal is delivered before the instruction at the IP: it has not been
 * executed, and is met again after the handler, if at all.
 *
 * Return: the signal to go on with
 */
static int stopped(pid_t pid, int status, struct ips *ips, struct code *code)
{
	int sig = WSTOPSIG(status);

	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
		read_code(code, pid);
		return 0;
	}
	if (sig == SIGTRAP) {
		oracle_step(pid, ips);
		return 0;
	}
	if (ips->n && ips->ip[ips->n - 1] == oracle_ip(pid))
		ips->n--;
	return sig;
}

/* On the program's CPU a step is a switch of tasks, and no interrupt of another CPU. */
pid_t oracle_start_armed(char *const argv[], int session, cpu_set_t *before)
{
	pid_t pid = start(argv, session);
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_getaffinity(0, sizeof(*before), before);
	sched_setaffinity(0, sizeof(first), &first);
	return pid;
}

pid_t oracle_start(char *const argv[], cpu_set_t *before)
{
	return oracle_start_armed(argv, -1, before);
}

void oracle_code(char *const argv[], struct code *code)
{
	cpu_set_t before;
	pid_t pid = oracle_start(argv, &before);
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		kit_bail("ptrace cannot run %s", argv[0]);
	read_code(code, pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	sched_setaffinity(0, sizeof(before), &before);
}

/* To the end of the system call with which target.c begins its work */
static void run_to_work(pid_t pid, const char *program)
{
	struct user_regs_struct regs = { .orig_rax = 0 };
	int status, begun = 0;

	while (begun < 2) {
		if (ptrace(PTRACE_SYSCALL, pid, 0, 0) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, pid, 0, &regs))
			kit_bail("%s does not come to its work", program);
		begun += regs.orig_rax == (regs.cs == CS_32 ? BEGIN_32 : SYS_getppid);
	}
}

static int run(char *const argv[], struct ips *ips, struct code *code, bool work)
{
	cpu_set_t before;
	pid_t pid = oracle_start(argv, &before);
	int status, sig;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		kit_bail("ptrace cannot run %s", argv[0]);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
	if (work)
		run_to_work(pid, argv[0]);
	while (WIFSTOPPED(status)) {
		sig = stopped(pid, status, ips, code);
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, sig) || waitpid(pid, &status, 0) != pid)
			kit_bail("ptrace lost %s", argv[0]);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return status;
}

int oracle_run(char *const argv[], struct ips *ips, struct code *code)
{
	return run(argv, ips, code, false);
}

int oracle_run_work(char *const argv[], struct ips *ips, struct code *code)
{
	return run(argv, ips, code, true);
}
