// SPDX-License-Identifier: BSD-2-Clause
/* A machine with a stack: each instruction is called through a pointer, and most are one of two */
#include <stdio.h>
#include <stdlib.h>

struct machine {
	long stack[64];
	int top;
	unsigned long pc;
	long faults;
};

struct insn {
	void (*run)(struct machine *m, long arg);
	long arg;
};

static void fault(struct machine *m, const char *what)
{
	if (++m->faults > 1000000)
		fprintf(stderr, "%s at %lu\n", what, m->pc);
	m->top = 0;
}

static void push(struct machine *m, long value)
{
	if (m->top >= 64)
		fault(m, "too much");
	m->stack[m->top++] = value;
}

static long pop(struct machine *m)
{
	if (m->top <= 0) {
		fault(m, "too little");
		return 0;
	}
	return m->stack[--m->top];
}

static void load(struct machine *m, long arg)
{
	push(m, arg);
}

static void add(struct machine *m, long arg)
{
	push(m, pop(m) + pop(m) + arg);
}

static void divide(struct machine *m, long arg)
{
	const long by = pop(m);

	if (by)
		push(m, pop(m) / by + arg);
	else
		fault(m, "division");
}

static void choose(struct machine *m, long arg)
{
	const long a = pop(m), b = pop(m);

	if ((a ^ b) % 64 == 0)
		push(m, a / 3 + arg);
	else
		push(m, a < b ? a : b);
}

static long execute(struct machine *m, const struct insn *code, unsigned long n)
{
	for (m->pc = 0; m->pc < n; m->pc++)
		code[m->pc].run(m, code[m->pc].arg);
	return m->top ? m->stack[m->top - 1] : 0;
}

#define LENGTH	4000

int main(int argc, char **argv)
{
	static struct insn code[LENGTH];
	static struct machine m;
	long i, depth = 0, sum = 0;

	srand(1);
	for (i = 0; i < LENGTH; i++) {
		const int r = rand() % 100;

		if (depth < 2 || (r < 48 && depth < 60)) {
			code[i] = (struct insn){ load, rand() % 100 };
			depth++;
		} else {
			code[i] = (struct insn){ r < 95 ? add : r < 98 ? choose : divide, i % 7 };
			depth--;
		}
	}
	for (i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++)
		sum += execute(&m, code, LENGTH);
	printf("%ld %ld\n", sum, m.faults);
	return 0;
}
