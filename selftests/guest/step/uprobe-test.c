// SPDX-License-Identifier: BSD-2-Clause
/*
 * Uprobes at many instructions of a stepped program: it runs as it does unstepped, each is hit
 * as often, and the flow lacks nothing but the instructions that have one.
 */
#include "step.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBES	48

struct probes {
	const char *program;
	bool returns;		/* uretprobes, at functions */
	uint64_t at[PROBES];
	int fd[PROBES];
	unsigned int n;
};

/* The type of perf's events for uprobes; negative: this kernel has none */
static int type_of_uprobes(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int type = -1;

	if (f && fscanf(f, "%d", &type) != 1)
		type = -1;
	if (f)
		fclose(f);
	return type;
}

/* Where an address of a program that isn't relocated is in its file; 0: nowhere */
static uint64_t offset_of(const char *program, uint64_t at)
{
	union {
		Elf64_Ehdr h64;
		Elf32_Ehdr h32;
		char bytes[4096];
	} head;
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	uint64_t offset = 0;
	unsigned int i;

	if (fd < 0 || read(fd, &head, sizeof(head)) != sizeof(head))
		kit_bail("%s cannot be read", program);
	close(fd);
	for (i = 0; head.bytes[EI_CLASS] == ELFCLASS64 && i < head.h64.e_phnum; i++) {
		const Elf64_Phdr *p = (const void *)(head.bytes + head.h64.e_phoff);

		if (p[i].p_type == PT_LOAD && at - p[i].p_vaddr < p[i].p_filesz)
			offset = at - p[i].p_vaddr + p[i].p_offset;
	}
	for (i = 0; head.bytes[EI_CLASS] == ELFCLASS32 && i < head.h32.e_phnum; i++) {
		const Elf32_Phdr *p = (const void *)(head.bytes + head.h32.e_phoff);

		if (p[i].p_type == PT_LOAD && at - p[i].p_vaddr < p[i].p_filesz)
			offset = at - p[i].p_vaddr + p[i].p_offset;
	}
	return offset;
}

/* On the program's CPU. Return: fd, or -errno: not every instruction may have one. */
static int set_probe(const struct probes *probes, int type, uint64_t at)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = probes->returns,
		.config1 = (uintptr_t)probes->program,
		.config2 = offset_of(probes->program, at),
	};
	int fd;

	if (!attr.config2)
		return -EINVAL;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool has_probe(const struct probes *probes, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < probes->n; i++)
		if (probes->at[i] == at)
			return true;
	return false;
}

static const uint8_t *code_at(const struct code *code, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < code->n; i++)
		if (at - code->section[i].from < code->section[i].size)
			return code->section[i].bytes + (at - code->section[i].from);
	return (const uint8_t *)"";
}

/* Functions for uretprobes: where a call led */
static bool may_have(const struct probes *probes, const struct ips *ips, const struct code *code,
		     size_t i)
{
	return !probes->returns || (i && *code_at(code, ips->ip[i - 1]) == 0xe8);
}

/*
 * From the first instruction on and from all over the program, as many as there is room for:
 * REP, calls, returns and what uses the address that it is at
 */
static void set_probes(struct probes *probes, const struct ips *ips, const struct code *code,
		       unsigned int stride)
{
	int type = type_of_uprobes();
	size_t i, k = 0;

	for (i = 0; i < ips->n && probes->n < PROBES; i++) {
		if (!may_have(probes, ips, code, i) || has_probe(probes, ips->ip[i]) ||
		    k++ % stride)
			continue;
		probes->fd[probes->n] = set_probe(probes, type, ips->ip[i]);
		if (probes->fd[probes->n] >= 0)
			probes->at[probes->n++] = ips->ip[i];
	}
}

static uint64_t hits(const struct probes *probes)
{
	uint64_t n, sum = 0;
	unsigned int i;

	for (i = 0; i < probes->n; i++)
		if (read(probes->fd[i], &n, sizeof(n)) == sizeof(n))
			sum += n;
	return sum;
}

static void remove_probes(struct probes *probes)
{
	while (probes->n)
		close(probes->fd[--probes->n]);
}

/* Where a uprobe is, the flow has a hole: a uretprobe's is at the function's first instruction. */
static struct ips without(const struct ips *ips, const struct probes *probes)
{
	struct ips left = { 0 };
	size_t i;

	for (i = 0; i < ips->n; i++)
		if (!has_probe(probes, ips->ip[i]))
			ips_add(&left, ips->ip[i]);
	return left;
}

static bool same_flow(const struct trace *trace, const struct softpt_config *config,
		      const struct code *code, const struct ips *want)
{
	struct flow flow = { .marks = 0 };
	bool ok = !flow_decode(config, code, trace->cpu[0].data, trace->cpu[0].n, &flow);

	ok = ips_same(&flow.ips, want) && ok;
	ok &= !trace->cpu[0].status.counts.events_lost;
	flow_free(&flow);
	return ok;
}

static void compare(const char *program, const char *work, unsigned int stride, bool returns)
{
	char *const argv[] = { (char *)program, (char *)work, "quiet", NULL };
	struct probes probes = { .program = program, .returns = returns };
	const char *how = returns ? "uretprobes" : "uprobes";
	struct softpt_config config = trace_config();
	struct code code = { .n = 0 };
	struct ips ips = { 0 }, want;
	struct trace plain, stepped;
	uint64_t before, alone, both;
	int status = oracle_run(argv, &ips, &code);

	set_probes(&probes, &ips, &code, stride);
	before = hits(&probes);
	trace_run(&plain, &config, argv, TRACE_OFF | TRACE_PINNED);
	alone = hits(&probes) - before;
	trace_run(&stepped, &config, argv, TRACE_PINNED);
	both = hits(&probes) - before - alone;
	want = without(&ips, &probes);
	kit_ok(plain.wait_status == status, "%s, %s: %#x without the module", work, how, status);
	kit_ok(stepped.wait_status == status, "%s, %s: stepped, it ends as ever", work, how);
	kit_ok(both == alone && alone, "%s: %u %s hit %llu times, stepped %llu", work, probes.n,
	       how, (unsigned long long)alone, (unsigned long long)both);
	kit_ok(same_flow(&stepped, &config, &code, &want), "%s, %s: its flow", work, how);
	remove_probes(&probes);
	trace_free(&stepped);
	ips_free(&ips);
	ips_free(&want);
	code_free(&code);
}

void test_uprobes(void)
{
	if (type_of_uprobes() < 0) {
		kit_ok(true, "uprobes # SKIP this kernel has none");
		return;
	}
	compare(target, "calls", 23, false);
	compare(target, "pushf", 1, false);
	compare(target32, "signals", 19, false);
	compare(target, "signals", 1, true);
}
