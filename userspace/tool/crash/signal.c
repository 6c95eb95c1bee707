// SPDX-License-Identifier: BSD-2-Clause
#include "signal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../cli/symbol.h"
#include "code/disassemble.h"

#define PAGE_FAULT	14	/* the exception, and bits of its error code */
#define WRITE		0x2
#define FETCH		0x10
#define STACK		(1u << 20)	/* bytes above RSP that are shown as such */

/* Where @signo is 0, of any signal */
static const struct reason {
	uint32_t signo;
	int32_t code;
	const char *name;
	const char *text;
} reasons[] = {
	{ SIGSEGV, SEGV_MAPERR, "SEGV_MAPERR", "address not mapped" },
	{ SIGSEGV, SEGV_ACCERR, "SEGV_ACCERR", "the mapping does not permit it" },
	{ SIGSEGV, SEGV_BNDERR, "SEGV_BNDERR", "address out of bounds" },
	{ SIGSEGV, SEGV_PKUERR, "SEGV_PKUERR", "the protection key does not permit it" },
	{ SIGSEGV, SI_KERNEL, "SI_KERNEL", "address not canonical, or instruction not permitted" },
	{ SIGBUS, BUS_ADRALN, "BUS_ADRALN", "address not aligned" },
	{ SIGBUS, BUS_ADRERR, "BUS_ADRERR", "no memory there, as behind the end of a file" },
	{ SIGBUS, BUS_OBJERR, "BUS_OBJERR", "error of the device" },
	{ SIGFPE, FPE_INTDIV, "FPE_INTDIV", "division by zero, or its result is too large" },
	{ SIGFPE, FPE_INTOVF, "FPE_INTOVF", "integer overflow" },
	{ SIGFPE, FPE_FLTDIV, "FPE_FLTDIV", "floating-point division by zero" },
	{ SIGFPE, FPE_FLTOVF, "FPE_FLTOVF", "floating-point overflow" },
	{ SIGFPE, FPE_FLTUND, "FPE_FLTUND", "floating-point underflow" },
	{ SIGFPE, FPE_FLTRES, "FPE_FLTRES", "floating-point inexact result" },
	{ SIGFPE, FPE_FLTINV, "FPE_FLTINV", "floating-point invalid operation" },
	{ SIGILL, ILL_ILLOPC, "ILL_ILLOPC", "illegal instruction" },
	{ SIGILL, ILL_ILLOPN, "ILL_ILLOPN", "illegal instruction" },
	{ SIGILL, ILL_PRVOPC, "ILL_PRVOPC", "privileged instruction" },
	{ SIGTRAP, TRAP_BRKPT, "TRAP_BRKPT", "breakpoint" },
	{ SIGTRAP, TRAP_TRACE, "TRAP_TRACE", "single step" },
	{ SIGTRAP, SI_KERNEL, "SI_KERNEL", "breakpoint" },
	{ 0, SI_KERNEL, "SI_KERNEL", "by the kernel" },
	{ 0, SI_USER, "SI_USER", "sent by kill()" },
	{ 0, SI_TKILL, "SI_TKILL", "sent by tgkill()" },
	{ 0, SI_QUEUE, "SI_QUEUE", "sent by sigqueue()" },
	{ 0, SI_TIMER, "SI_TIMER", "a timer" },
};

bool crash_find(const struct softpt_perf *perf, uint32_t tid, struct softpt_perf_crash *crash)
{
	struct softpt_perf_crash c;
	bool found = false;
	size_t i;

	for (i = 0; perf && softpt_perf_crash(perf, i, &c); i++) {
		if ((tid && c.tid != tid) || (found && c.time < crash->time))
			continue;
		*crash = c;
		found = true;
	}
	return found;
}

/* ---- the signal ---- */

static const struct reason *reason_of(const struct softpt_perf_crash *crash)
{
	const struct reason *r;
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		r = &reasons[i];
		if (r->code == crash->code && (!r->signo || r->signo == crash->signo))
			return r;
	}
	return NULL;
}

static bool has_address(const struct softpt_perf_crash *crash)
{
	return (crash->signo == SIGSEGV && crash->code != SI_KERNEL) || crash->signo == SIGBUS ||
	       crash->signo == SIGFPE || crash->signo == SIGILL;
}

static bool was_sent(const struct softpt_perf_crash *crash)
{
	return crash->code == SI_USER || crash->code == SI_TKILL || crash->code == SI_QUEUE;
}

static const char *access_of(const struct softpt_perf_crash *crash)
{
	if (crash->trap != PAGE_FAULT)
		return "";
	if (crash->err & FETCH)
		return ", a fetch of code";
	return crash->err & WRITE ? ", a write" : ", a read";
}

void crash_print_signal(const struct softpt_perf_crash *crash)
{
	const char *name = crash->signo < NSIG ? sigabbrev_np(crash->signo) : NULL;
	const struct reason *r = reason_of(crash);
	const uint32_t pid = (uint32_t)crash->addr;

	if (name)
		printf("  SIG%s: ", name);
	else
		printf("  signal %u: ", crash->signo);
	if (r)
		printf("%s (%s)", r->text, r->name);
	else
		printf("code %d", crash->code);
	if (was_sent(crash))
		printf(" by process %u of user %" PRIu64 "%s", pid, crash->addr >> 32,
		       pid == crash->pid ? ": itself" : "");
	else if (crash->code > 0 && has_address(crash))
		printf(" at 0x%" PRIx64 "%s", crash->addr, access_of(crash));
	putchar('\n');
}

/* ---- memory and registers ---- */

void crash_print_memory(const struct softpt_perf_crash *crash, const uint8_t *code, size_t size,
			unsigned int bits)
{
	struct disassembled_memory mem[DISASSEMBLE_MEMORY];
	unsigned int n, i;

	if (was_sent(crash))
		return;
	n = disassemble_memory(crash->rip, code, size, bits, crash->reg, mem);
	for (i = 0; i < n; i++)
		printf("  its operand: 0x%" PRIx64 ", %u byte%s, %s\n", mem[i].addr, mem[i].size,
		       mem[i].size == 1 ? "" : "s", mem[i].read && mem[i].write ?
		       "read and written" : mem[i].write ? "written" : "read");
}

static void print_register(const char *name, uint64_t value, uint64_t rsp,
			   const struct softpt_flow_row *row)
{
	struct softpt_symbol sym;

	printf("  %-6s 0x%016" PRIx64, name, value);
	softpt_flow_symbol(row, value, &sym);
	if (sym.module) {
		fputs("  ", stdout);
		symbol_print(&sym, value);
	} else if (value != rsp && value - rsp < STACK) {
		printf("  rsp+0x%" PRIx64, value - rsp);
	}
	putchar('\n');
}

void crash_print_registers(const struct softpt_perf_crash *crash,
			   const struct softpt_flow_row *row)
{
	static const struct {
		const char *name;
		enum softpt_perf_reg reg;
	} order[] = {
		{ "rax", SOFTPT_PERF_RAX }, { "rbx", SOFTPT_PERF_RBX },
		{ "rcx", SOFTPT_PERF_RCX }, { "rdx", SOFTPT_PERF_RDX },
		{ "rsi", SOFTPT_PERF_RSI }, { "rdi", SOFTPT_PERF_RDI },
		{ "rbp", SOFTPT_PERF_RBP }, { "rsp", SOFTPT_PERF_RSP },
		{ "r8", SOFTPT_PERF_R8 }, { "r9", SOFTPT_PERF_R9 },
		{ "r10", SOFTPT_PERF_R10 }, { "r11", SOFTPT_PERF_R11 },
		{ "r12", SOFTPT_PERF_R12 }, { "r13", SOFTPT_PERF_R13 },
		{ "r14", SOFTPT_PERF_R14 }, { "r15", SOFTPT_PERF_R15 },
	};
	const uint64_t rsp = crash->reg[SOFTPT_PERF_RSP];
	unsigned int i;

	printf("\nRegisters at the end:\n");
	for (i = 0; i < SOFTPT_PERF_REGS; i++)
		print_register(order[i].name, crash->reg[order[i].reg], rsp, row);
	print_register("rip", crash->rip, rsp, row);
	printf("  %-6s 0x%016" PRIx64 "\n", "rflags", crash->rflags);
}
