/* SPDX-License-Identifier: BSD-2-Clause */
/* Stepped programs, the same under ptrace, and what libipt makes of the packets. */
#ifndef SOFTPT_STEP_TEST_H
#define SOFTPT_STEP_TEST_H

#include <sched.h>

#include "selftests/kit/kit.h"

#define MAX_CPUS	16

/* ---- instruction addresses in the order of execution ---- */

struct ips {
	uint64_t *ip;
	size_t n, room;
};

/* A REP instruction is one, however often it traps. */
void ips_add(struct ips *ips, uint64_t ip);
void ips_free(struct ips *ips);
/* Forget what is before the first @ip. */
void ips_from(struct ips *ips, uint64_t ip);
/* Equal, or the first difference is told */
bool ips_same(const struct ips *got, const struct ips *want);

/* ---- code of a program ---- */

struct code {
	struct section {
		uint64_t from, size;
		uint8_t *bytes;
	} section[32];
	unsigned int n;
};

void code_free(struct code *code);

/* ---- oracle.c: PTRACE_SINGLESTEP ---- */

/* Run @argv; every address, and the code as it was mapped at the exit. Return: wait status */
int oracle_run(char *const argv[], struct ips *ips, struct code *code);
/* From where step-target begins its work: its C library's 11000 instructions take ptrace long */
int oracle_run_work(char *const argv[], struct ips *ips, struct code *code);
/* A child that stops at its first instruction; it and the caller (@before) are on CPU 0 */
pid_t oracle_start(char *const argv[], cpu_set_t *before);
/* The same, stepped by the module, too */
pid_t oracle_start_armed(char *const argv[], int session, cpu_set_t *before);
uint64_t oracle_ip(pid_t pid);
/* Where the thread is now; what retired with a CPUID before it, whose trap the machine forgot */
void oracle_step(pid_t pid, struct ips *ips);
/* The code that @argv has at its first instruction; no more of it is run */
void oracle_code(char *const argv[], struct code *code);

/* ---- tree.c: PTRACE_SINGLESTEP of threads and children ---- */

/* Return: exit status */
int tree_print(char *const argv[]);

/* ---- trace.c: the module ---- */

#define TRACE_PINNED	1	/* to CPU 0 */
#define TRACE_OFF	2	/* not armed: how the program runs by itself */
#define TRACE_NOBODY	4	/* without root's rights */
#define TRACE_INHERIT	8	/* with threads and children */

struct trace {
	struct {
		uint8_t *data;
		size_t n;
		struct softpt_status status;
	} cpu[MAX_CPUS];
	unsigned int cpus;
	int wait_status;
	char out[4096];
	size_t nout;
	double seconds;		/* of the program, in wall time */
};

struct softpt_config trace_config(void);
void trace_run(struct trace *trace, const struct softpt_config *config, char *const argv[],
	       unsigned int flags);
void trace_free(struct trace *trace);

/* What a traced child does before its exec; @session < 0: nothing is armed */
void trace_exec(int session, char *const argv[], unsigned int flags) __attribute__((noreturn));

/* A session with a unit for each CPU, enabled */
struct trace_session {
	int session, unit[MAX_CPUS];
	unsigned int cpus;
};

/* @flags: TRACE_INHERIT or 0 */
void trace_open(struct trace_session *s, const struct softpt_config *config, unsigned int flags);
void trace_close(struct trace_session *s);

/* A stepped child that has begun to do its work, in a process group of its own */
pid_t trace_spawn(const struct trace_session *s, const char *work);
/* Whether POLLHUP comes within @seconds */
bool trace_ended(int unit, int seconds);

/* ---- flow.c: libipt's instruction decoder ---- */

/* What libipt's walk finds in one unit's packets: where the trace was switched on, PTWRITEs */
struct flow {
	struct ips ips;
	struct mark {
		uint64_t tsc;
		size_t from;	/* index into ips */
	} *mark;
	size_t marks;
	struct ptw {
		uint64_t ip, value;
	} *ptw;
	size_t ptws;
};

/* Return: 0, or libipt's error */
int flow_decode(const struct softpt_config *config, const struct code *code, const uint8_t *data,
		size_t n, struct flow *flow);
/* The flows of all units, one after the other as the program went from CPU to CPU */
void flow_merge(const struct flow *flow, unsigned int n, struct ips *ips);
void flow_free(struct flow *flow);

/* ---- tests ---- */

void test_flow(void);
void test_undisturbed(void);
void test_lifetime(void);
void test_inherit(void);
void test_attach(void);
void test_many(void);
void test_tf(void);
void test_debugger(void);
void test_uprobes(void);
void test_hotplug(void);
void test_no_module(void);
void test_same_bytes(void);
void test_cost(void);
void test_count(void);
void test_freeze(void);
void test_ptwrite(void);

extern const char *target;	/* the 64-bit program */
extern const char *target32;
extern const char *target_tf;	/* target/tf.c */
extern const char *target_freeze;	/* target/freeze.S */
extern const char *target_ptwrite[2];	/* 64-bit, 32-bit */
extern const char *only;	/* NULL: all works */

#endif
