/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs with PTWRITE in them, of both widths */
#ifndef SOFTPT_TARGET_PTWRITE_H
#define SOFTPT_TARGET_PTWRITE_H

#include <stdint.h>

#include "say.h"

#ifdef __x86_64__
#define PUT_IP	"lea 1f(%%rip), %0\n1:\t"
#define REG_PC	REG_RIP
#define SP	"rsp"
#define PTWRITE	"ptwriteq"
#define PUSHF	"pushfq\n\t"
#define POPF	"popfq\n\t"
#define WIDTH	8
#else
#define PUT_IP	"mov $1f, %0\n1:\t"
#define REG_PC	REG_EIP
#define SP	"esp"
#define PTWRITE	"ptwritel"
#define PUSHF	"pushfl\n\t"
#define POPF	"popfl\n\t"
#define WIDTH	4
#endif

/* The trace must hold this. */
void expect(uintptr_t ip, uint64_t value, const char *name);

extern uint64_t words[1024];
/* What PTWRITE reads there */
uint64_t at(const void *p);
/* Pages that have never been touched */
char *pages(unsigned int n);

/* @insn finds its operands at %1 and on. */
#define PTW(insn, value, ...) do { \
	uintptr_t _at; \
	asm volatile(PUT_IP insn : "=&r"(_at) : __VA_ARGS__ : "memory"); \
	expect(_at, value, insn); \
} while (0)

/* The same, by way of a register of its own */
#define PTW_BY(reg, insn, value, content) do { \
	uintptr_t _at; \
	asm volatile("mov %1, %%" reg "\n\t" PUT_IP insn \
		     : "=&r"(_at) : "r"(content) : reg, "memory"); \
	expect(_at, value, insn); \
} while (0)

/* ---- works of target-ptwrite-signals.c ---- */

int faults(void);
int wild(void);
int blocked(void);
int illegal(void);
int xonly(void);
int selftf(void);
int stops(void);
int nopstops(void);

#endif
