// SPDX-License-Identifier: BSD-2-Clause
/* System calls that rows tell: what they cost, and what of it was no work */
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/flow/process.h"
#include "userspace/lib/report/syscalls.h"

static struct softpt_flow_thread threads[2] = { { .tid = 1 }, { .tid = 2 } };
static struct report_syscalls *calls;

static void begin(uint32_t tid)
{
	calls = report_syscalls_new(tid);
	if (!calls)
		kit_bail("no memory");
}

static struct softpt_flow_time at(uint64_t tsc, uint64_t off)
{
	return (struct softpt_flow_time){
		.tsc = tsc, .min = tsc - off, .max = tsc + off, .bounded = true,
	};
}

/* @value: of SYSCALL; else where a stretch begins */
static void row(unsigned int thread, enum softpt_flow_event event, uint64_t tsc, uint64_t value)
{
	const uint64_t off = event == SOFTPT_FLOW_SWITCH_IN ? 3 : 0;
	struct softpt_flow_row r = {
		.event = event, .thread = &threads[thread], .tid = threads[thread].tid,
		.when = at(tsc, off), .value = value,
	};

	if (event == SOFTPT_FLOW_KERNEL || event == SOFTPT_FLOW_SWITCH_IN)
		r.since = at(value, off);
	if (!report_syscalls_take(calls, &r))
		kit_bail("no memory");
}

static void leave(unsigned int thread, uint64_t tsc, uint64_t number)
{
	row(thread, SOFTPT_FLOW_SYSCALL, tsc, number);
	row(thread, SOFTPT_FLOW_OFF, tsc, 0);
}

static bool is_span(const struct report_span *s, uint64_t ticks, uint64_t off)
{
	return s->ticks == ticks && s->min == ticks - off && s->max == ticks + off &&
	       !s->unbounded;
}

static void test_calls(void)
{
	const struct report_syscall *call;
	struct report_span kernel;

	begin(0);
	leave(0, 1000, 7);
	leave(1, 1050, 7);
	row(0, SOFTPT_FLOW_SWITCH_IN, 1400, 1100);
	row(0, SOFTPT_FLOW_KERNEL, 1500, 1000);
	row(1, SOFTPT_FLOW_KERNEL, 1150, 1050);
	row(0, SOFTPT_FLOW_SWITCH_IN, 1700, 1600);	/* in user mode */
	leave(0, 2000, 7);
	row(0, SOFTPT_FLOW_KERNEL, 2300, 2000);
	call = report_syscall(calls, 0);
	report_syscall_kernel(call, &kernel);
	kit_ok(report_syscalls_count(calls) == 1 && call->number == 7 && call->calls == 3,
	       "calls of two threads");
	kit_ok(is_span(&call->time, 900, 0), "their time");
	kit_ok(is_span(&call->wait, 300, 6), "waits in them, and none of user mode");
	kit_ok(is_span(&kernel, 600, 6), "what the kernel worked");
	kit_ok(call->ticks.min == 100 && call->ticks.max == 500 &&
	       spread_median(&call->ticks) == 300, "the shortest, the median, the longest");
	report_syscalls_free(calls);
}

static void test_no_way_back(void)
{
	begin(0);
	leave(0, 1000, 60);
	leave(1, 1000, UINT64_MAX);
	row(1, SOFTPT_FLOW_LOST, 1100, 0);
	row(1, SOFTPT_FLOW_KERNEL, 1200, 1000);
	kit_ok(report_syscalls_count(calls) == 2 && report_syscall(calls, 0)->calls == 1 &&
	       !report_syscall(calls, 0)->ticks.n, "a call that does not come back");
	kit_ok(report_syscall(calls, 1)->number == REPORT_NO_NUMBER &&
	       !report_syscall(calls, 1)->time.ticks, "nor one whose end is lost");
	report_syscalls_free(calls);
}

static void test_thread(void)
{
	begin(2);
	leave(0, 1000, 1);
	leave(1, 1000, 2);
	kit_ok(report_syscalls_count(calls) == 1 && report_syscall(calls, 0)->number == 2,
	       "of one thread");
	report_syscalls_free(calls);
	report_syscalls_free(NULL);
}

int main(void)
{
	test_calls();
	test_no_way_back();
	test_thread();
	return kit_done();
}
