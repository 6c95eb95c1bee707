// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a step costs: the module, and ptrace on the same CPU. Under -icount a
 * nanosecond is an instruction of the guest.
 */
#include "step.h"

#include <time.h>

#define LEAST_RATIO	10	/* below this the module would not be worth its while */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double traced(const struct softpt_config *config, const char *work, unsigned int flags)
{
	char *const argv[] = { (char *)target, (char *)work, NULL };
	struct trace trace;
	double ns;

	trace_run(&trace, config, argv, TRACE_PINNED | flags);
	ns = trace.seconds * 1e9;
	trace_free(&trace);
	return ns;
}

static double ptraced(const char *work, size_t *steps)
{
	char *const argv[] = { (char *)target, (char *)work, NULL };
	struct code code = { .n = 0 };
	struct ips ips = { 0 };
	double ns = -now();

	oracle_run(argv, &ips, &code);
	ns += now();
	*steps = ips.n;
	ips_free(&ips);
	code_free(&code);
	return ns;
}

/*
 * A round of the work. What begins and ends a trace, tens of milliseconds of waiting
 * for RCU, is the same for ten rounds and for a hundred.
 */
static double round_of(const struct softpt_config *config, unsigned int flags)
{
	return (traced(config, "long", flags) - traced(config, "work", flags)) / 90;
}

void test_cost(void)
{
	struct softpt_config config = trace_config();
	double plain, wall, model, ptrace;
	size_t n_long, n_short, n;

	config.suppress = 2;
	config.mtc_freq = 3;	/* the default: that is what a user pays */
	ptrace = ptraced("work", &n_long);
	ptrace = (ptrace - ptraced("calls", &n_short)) / 9;
	n = (n_long - n_short) / 9;
	plain = round_of(&config, TRACE_OFF);
	wall = (round_of(&config, 0) - plain) / n;
	config.clock = SOFTPT_CLOCK_MODEL;
	model = (round_of(&config, 0) - plain) / n;
	ptrace = (ptrace - plain) / n;
	kit_note("%zu steps a round: %.0f ns each, %.0f ns on the model clock, %.0f ns with ptrace",
		 n,
		 wall, model, ptrace);
	kit_ok(wall * LEAST_RATIO < ptrace, "a step costs less than 1/%d of ptrace's: 1/%.0f",
	       LEAST_RATIO, ptrace / wall);
}
