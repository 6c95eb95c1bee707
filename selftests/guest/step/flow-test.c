// SPDX-License-Identifier: BSD-2-Clause
/* The packets lead a stock decoder along the very instructions that ptrace saw. */
#include "step.h"

#include <string.h>

static const struct {
	const char *work;
	bool cyc, noretc, model, bits32, roams;
	bool whole;	/* from the first instruction on, not only its work */
} rows[] = {
	{ .work = "true", .whole = true },
	{ .work = "calls" },
	{ .work = "calls", .noretc = true },
	{ .work = "calls", .cyc = true, .model = true },
	{ .work = "signals" },
	{ .work = "jumps" },
	{ .work = "returns" },
	{ .work = "rep", .cyc = true, .model = true },
	{ .work = "pushf" },
	/* Where its code cannot be read in the trap, being switched out leaves a hole. */
	{ .work = "xonly", .model = true },
	{ .work = "again" },
	{ .work = "migrate", .roams = true },
	{ .work = "true", .bits32 = true, .whole = true },
	{ .work = "calls", .bits32 = true },
	{ .work = "signals", .bits32 = true },
	{ .work = "jumps", .bits32 = true },
	{ .work = "pushf", .bits32 = true },
};

static bool same_flow(const struct softpt_config *config, char *const argv[],
		      unsigned int flags, bool whole)
{
	struct flow flow[MAX_CPUS] = { 0 };
	struct ips want = { 0 }, got = { 0 };
	struct code code = { .n = 0 };
	struct trace trace;
	unsigned int cpu;
	bool ok;
	int status = (whole ? oracle_run : oracle_run_work)(argv, &want, &code);

	trace_run(&trace, config, argv, flags);
	ok = trace.wait_status == status;
	for (cpu = 0; cpu < trace.cpus; cpu++) {
		if (trace.cpu[cpu].n)
			ok = !flow_decode(config, &code, trace.cpu[cpu].data, trace.cpu[cpu].n,
					  &flow[cpu]) && ok;
		ok &= !trace.cpu[cpu].status.counts.events_lost;
		kit_note("CPU %u: %zu instructions, %zu bytes, %zu times on", cpu,
			 flow[cpu].ips.n, trace.cpu[cpu].n, flow[cpu].marks);
	}
	flow_merge(flow, trace.cpus, &got);
	if (!whole)
		ips_from(&got, want.ip[0]);
	ok = ips_same(&got, &want) && ok;
	for (cpu = 0; cpu < trace.cpus; cpu++)
		flow_free(&flow[cpu]);
	trace_free(&trace);
	ips_free(&want);
	ips_free(&got);
	code_free(&code);
	return ok;
}

/* Neither the packets nor their times depend on what else the machine did. */
static void test_model(void)
{
	char *const argv[] = { (char *)target, "calls", NULL };
	struct softpt_config config = trace_config();
	struct trace first, second;
	bool same;

	config.flags |= SOFTPT_F_CYC;
	config.clock = SOFTPT_CLOCK_MODEL;
	trace_run(&first, &config, argv, TRACE_PINNED);
	trace_run(&second, &config, argv, TRACE_PINNED);
	same = first.cpu[0].n == second.cpu[0].n && first.cpu[0].n &&
	       !memcmp(first.cpu[0].data, second.cpu[0].data, first.cpu[0].n);
	kit_ok(same, "two runs on the model clock: the same %zu and %zu bytes", first.cpu[0].n,
	       second.cpu[0].n);
	trace_free(&first);
	trace_free(&second);
}

void test_flow(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct softpt_config config = trace_config();
		char *const argv[] = { (char *)(rows[i].bits32 ? target32 : target),
				       (char *)rows[i].work, "quiet", NULL };

		if (only && strcmp(only, rows[i].work))
			continue;
		if (rows[i].cyc)
			config.flags |= SOFTPT_F_CYC;
		if (rows[i].noretc)
			config.flags &= ~SOFTPT_F_RETC;
		config.clock = rows[i].model ? SOFTPT_CLOCK_MODEL : SOFTPT_CLOCK_WALL;
		kit_ok(same_flow(&config, argv, rows[i].roams ? 0 : TRACE_PINNED,
				 rows[i].whole),
		       "flow of %s%s%s%s%s", rows[i].work,
		       rows[i].bits32 ? ", 32-bit" : "", rows[i].cyc ? ", cyc=1" : "",
		       rows[i].noretc ? ", retc=0" : "", rows[i].model ? ", clock=model" : "");
	}
	if (!only)
		test_model();
}
