// SPDX-License-Identifier: BSD-2-Clause
#include "source/crash.h"

#include <signal.h>
#include <sys/ptrace.h>

/* What a process has sent has its number and its user where a fault has an address. */
static uint64_t address_of(const siginfo_t *info)
{
	if (info->si_code > 0)
		return (uintptr_t)info->si_addr;
	return (uint32_t)info->si_pid | (uint64_t)info->si_uid << 32;
}

void ptrace_crash(pid_t tid, int signo, const struct user_regs_struct *regs,
		  struct softpt_perf_crash *crash)
{
	siginfo_t info = { 0 };

	*crash = (struct softpt_perf_crash){ 0 };
	if (ptrace(PTRACE_GETSIGINFO, tid, 0, &info))
		return;
	*crash = (struct softpt_perf_crash){
		.pid = tid, .tid = tid, .signo = signo, .code = info.si_code,
		.addr = address_of(&info), .rip = regs->rip, .rflags = regs->eflags,
		.reg = {
			[SOFTPT_PERF_RAX] = regs->rax, [SOFTPT_PERF_RCX] = regs->rcx,
			[SOFTPT_PERF_RDX] = regs->rdx, [SOFTPT_PERF_RBX] = regs->rbx,
			[SOFTPT_PERF_RSP] = regs->rsp, [SOFTPT_PERF_RBP] = regs->rbp,
			[SOFTPT_PERF_RSI] = regs->rsi, [SOFTPT_PERF_RDI] = regs->rdi,
			[SOFTPT_PERF_R8] = regs->r8, [SOFTPT_PERF_R9] = regs->r9,
			[SOFTPT_PERF_R10] = regs->r10, [SOFTPT_PERF_R11] = regs->r11,
			[SOFTPT_PERF_R12] = regs->r12, [SOFTPT_PERF_R13] = regs->r13,
			[SOFTPT_PERF_R14] = regs->r14, [SOFTPT_PERF_R15] = regs->r15,
		},
	};
}
