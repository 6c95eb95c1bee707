// SPDX-License-Identifier: BSD-2-Clause
/*
 * random SEED EPISODES [PATH [tick]]: run the random program of SEED, and print what came of it:
 * the same natively and recorded. PATH gets the branches that it took, as `softpt decode` prints
 * them. tick: under a timer, whose handler looks where the program is.
 *
 * An episode is over when the log is full; the next begins with other registers. Faults of the
 * program, and their registers, are part of the result.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "random.h"

#define ENTRIES		16384
#define CUT		0x80000000u	/* the block before was not left by its branch */
#define AWAY		0x40000000u	/* but by one to what is no code: aways[] has where */

static uint32_t *const records = (uint32_t *)LOG;
static uint64_t state, digest;
static unsigned int left, faults, signals, astray;
static FILE *path;
static bool verbose;
static uint16_t owner[CODE_SIZE];
static uint64_t aways[ENTRIES];
static unsigned int nr_aways;

static void add(const void *at, size_t n)
{
	const uint8_t *bytes = at;

	while (n--)
		digest = (digest ^ *bytes++) * 0x100000001b3ull;
}

/* What a difference comes from: compare stderr of both */
static void print_registers(int sig, const siginfo_t *info, const ucontext_t *uc)
{
	int i;

	fprintf(stderr, "%d %d %p:", sig, info->si_code, info->si_code > 0 ? info->si_addr : NULL);
	for (i = 0; i <= REG_CR2; i++)
		fprintf(stderr, " %llx", (unsigned long long)uc->uc_mcontext.gregs[i]);
	fputc('\n', stderr);
}

/* Behind kill(), RDI is the process, whose number is another each time. It is loaded next. */
static bool is_behind_call(const greg_t *r)
{
	const uint64_t at = (uint64_t)r[REG_RIP] - 2;

	return at - CODE < CODE_SIZE && !memcmp((const void *)at, "\x0f\x05", 2);
}

static void add_registers(int sig, const siginfo_t *info, ucontext_t *uc)
{
	greg_t *r = uc->uc_mcontext.gregs;

	if (is_behind_call(r) && r[REG_RDI] == getpid())
		r[REG_RDI] = 0;
	if (verbose)
		print_registers(sig, info, uc);
	add(uc->uc_mcontext.gregs, sizeof(uc->uc_mcontext.gregs[0]) * (REG_EFL + 1));
	add(uc->uc_mcontext.fpregs->_xmm, sizeof(uc->uc_mcontext.fpregs->_xmm));
}

/* ---- the path ---- */

static void print_branch(const struct block *b, unsigned int next)
{
	if (b->end == END_JCC)
		fputs(next == b->target ? "taken,\n" : "not,\n", path);
	else if (b->end == END_INDIRECT)
		fprintf(path, "tip,%#llx\n", (unsigned long long)blocks[next].at);
}

static void print_path(const uint32_t *end)
{
	const uint64_t *away = aways;
	const uint32_t *e;

	for (e = records; e < end; e++)
		if (*e & AWAY)
			fprintf(path, "tip,%#llx\n", (unsigned long long)*away++);
		else if (e + 1 < end && !((e[0] | e[1]) & CUT))
			print_branch(&blocks[e[0]], e[1]);
}

/* ---- the program's signals ---- */

/* A return always finds a block. */
static void reset_stack(ucontext_t *uc)
{
	uint64_t *stack = (uint64_t *)STACK, *data = (uint64_t *)DATA;
	unsigned int i;

	for (i = 0; i < STACK_SIZE / 8; i++)
		stack[i] = data[draw(&state) % TABLE_SIZE];
	uc->uc_mcontext.gregs[REG_RSP] = STACK + STACK_SIZE / 2;
}

static void go_to(ucontext_t *uc, unsigned int block)
{
	greg_t sp = uc->uc_mcontext.gregs[REG_RSP];

	uc->uc_mcontext.gregs[REG_RIP] = blocks[block].at;
	if (sp < (greg_t)(STACK + 1024) || sp > (greg_t)(STACK + STACK_SIZE - 1024))
		reset_stack(uc);
}

static void begin_episode(ucontext_t *uc)
{
	greg_t *r = uc->uc_mcontext.gregs;
	unsigned int i;

	for (i = 0; i <= REG_RCX; i++)
		r[i] = (greg_t)draw(&state);
	r[REG_R14] = DATA;
	r[REG_R15] = LOG;
	nr_aways = 0;
	reset_stack(uc);
	go_to(uc, (unsigned int)(draw(&state) % BLOCKS));
}

static void finish(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RIP] = blocks[BLOCKS].at;
	uc->uc_mcontext.gregs[REG_R15] = 0;
}

static void end_episode(ucontext_t *uc)
{
	uint32_t *end = (uint32_t *)uc->uc_mcontext.gregs[REG_R15];
	uint64_t here;

	add(records, (size_t)((char *)end - (char *)records));
	here = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	if (path) {
		print_path(end);
		if (here - CODE >= CODE_SIZE)
			fprintf(path, "tip,%#llx\n", (unsigned long long)here);
		else if (!(end[-1] & CUT) && here == blocks[owner[here - CODE]].at)
			print_branch(&blocks[end[-1]], owner[here - CODE]);
	}
	if (--left)
		begin_episode(uc);
	else
		finish(uc);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;
	unsigned int block;

	add_registers(sig, info, uc);
	add(&r[REG_ERR], 2 * sizeof(r[0]));
	add(&info->si_signo, 4);
	add(&info->si_code, 4);
	if (sig != SIGTRAP)
		add(&info->si_addr, 8);
	if (sig == SIGSEGV)
		add(&r[REG_CR2], 8);
	if (r[REG_R15] == (greg_t)(LOG + 4 * ENTRIES)) {
		end_episode(uc);
		return;
	}
	faults++;
	block = (unsigned int)(draw(&state) % BLOCKS);
	*(uint32_t *)r[REG_R15] = CUT | block;
	if ((uint64_t)r[REG_RIP] - CODE >= CODE_SIZE) {
		*(uint32_t *)r[REG_R15] |= AWAY;
		aways[nr_aways++] = (uint64_t)r[REG_RIP];
	}
	r[REG_R15] += 4;
	go_to(uc, block);
}

/* The end: the trap behind the last block */
static void on_last(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (((ucontext_t *)context)->uc_mcontext.gregs[REG_R15]) {
		on_fault(sig, info, context);
		return;
	}
	add((void *)CODE, CODE_SIZE);
	add((void *)DATA, DATA_SIZE);
	printf("%016llx: %u faults, %u signals, %u astray\n", (unsigned long long)digest, faults,
	       signals, astray);
	if (path && fclose(path))
		_exit(1);
	exit(0);
}

/* On the program's stack, of which there may be nothing left */
static void on_count(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	signals++;
}

static void on_call(int sig, siginfo_t *info, void *context)
{
	add_registers(sig, info, context);
	signals++;
}

/* It is at an instruction, and of the block that it has told last. */
static void on_tick(int sig, siginfo_t *info, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t at = (uint64_t)r[REG_RIP] - CODE;
	unsigned int block;

	(void)sig;
	(void)info;
	if (at >= CODE_SIZE)
		return;
	block = owner[at];
	if (!boundary[at] || ((uint64_t)r[REG_RIP] >= blocks[block].at + LOG_BYTES &&
			      *(uint32_t *)(r[REG_R15] - 4) != block))
		astray++;
}

static void on_begin(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	begin_episode(context);
}

static void install(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaddset(&act.sa_mask, SIGALRM);
	sigaction(sig, &act, NULL);
}

static void install_all(void)
{
	static char alt[65536];
	const stack_t stack = { .ss_sp = alt, .ss_size = sizeof(alt) };

	sigaltstack(&stack, NULL);
	install(SIGSEGV, on_fault, SA_ONSTACK);
	install(SIGBUS, on_fault, SA_ONSTACK);
	install(SIGFPE, on_fault, SA_ONSTACK);
	install(SIGTRAP, on_fault, SA_ONSTACK);
	install(SIGILL, on_last, SA_ONSTACK);
	install(SIGUSR1, on_begin, SA_ONSTACK);
	install(SIGUSR2, on_count, 0);
	install(SIGHUP, on_call, SA_ONSTACK);
	install(SIGALRM, on_tick, SA_ONSTACK);
}

/* ---- the start ---- */

static void map(unsigned long at, unsigned long size, int prot)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

	if (mmap((void *)at, size, prot, flags, -1, 0) != (void *)at) {
		perror("mmap");
		exit(2);
	}
}

static void map_all(void)
{
	map(CODE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	map(DATA, DATA_SIZE, PROT_READ | PROT_WRITE);
	map(DATA + DATA_SIZE, 8192, PROT_NONE);
	map(STACK, STACK_SIZE, PROT_READ | PROT_WRITE);
	map(LOG, 4 * ENTRIES, PROT_READ | PROT_WRITE);
	map(LOG + 4 * ENTRIES, 4096, PROT_NONE);
}

static void fill(void)
{
	uint64_t *data = (uint64_t *)DATA;
	unsigned int i, block = 0;

	for (i = TABLE_SIZE; i < DATA_SIZE / 8; i++)
		data[i] = draw(&state);
	for (i = 0; i < CODE_SIZE; i++) {
		while (block < BLOCKS && i >= blocks[block + 1].at - CODE)
			block++;
		owner[i] = (uint16_t)block;
	}
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 150 }, { 0, 150 } };

	if (argc < 3)
		return 2;
	state = strtoull(argv[1], NULL, 0);
	left = (unsigned int)strtoul(argv[2], NULL, 0);
	path = argc > 3 ? fopen(argv[3], "w") : NULL;
	verbose = getenv("VERBOSE");
	map_all();
	generate(state);
	fill();
	install_all();
	if (argc > 4)
		setitimer(ITIMER_REAL, &often, NULL);
	raise(SIGUSR1);
	return 1;
}
