// SPDX-License-Identifier: BSD-2-Clause
/* A picture of rows that are made here: calls of the kernel, and waits */
#include "selftests/kit/kit.h"
#include "userspace/lib/chart/chart.h"
#include "userspace/lib/flow/process.h"

static struct softpt_flow_thread thread = { .tid = 1 };
static struct chart chart;

static struct softpt_flow_time at(uint64_t tsc, uint64_t off)
{
	return (struct softpt_flow_time){
		.tsc = tsc, .min = tsc - off, .max = tsc + off, .bounded = true,
	};
}

static void row(enum softpt_flow_event event, uint64_t since, uint64_t tsc, uint64_t value)
{
	struct softpt_flow_row r = {
		.event = event, .thread = &thread, .tid = 1, .comm = "", .depth = 1,
		.when = at(tsc, 2), .value = value,
	};

	if (since)
		r.since = at(since, 3);
	if (!chart_take(&chart, &r))
		kit_bail("no memory");
}

static void begin(size_t marks)
{
	if (chart_begin(&chart, 0, marks))
		kit_bail("no memory");
}

static void test_calls(void)
{
	begin(8);
	row(SOFTPT_FLOW_SYSCALL, 0, 100, 7);
	row(SOFTPT_FLOW_KERNEL, 100, 200, 0);
	row(SOFTPT_FLOW_KERNEL, 300, 400, 0);
	row(SOFTPT_FLOW_SYSCALL, 0, 500, CHART_SYSCALLS);
	row(SOFTPT_FLOW_KERNEL, 500, 600, 0);
	kit_ok(!chart_finish(&chart) && chart.slices == 3, "slices");
	kit_ok(chart.slice[0].what == CHART_SYSCALL + 7 && chart.slice[0].begin == 100 &&
	       chart.slice[0].end == 200, "a system call by its number");
	kit_ok(chart.slice[1].what == CHART_KERNEL, "another way into the kernel");
	kit_ok(chart.slice[2].what == CHART_KERNEL, "a number that is none");
	chart_free(&chart);
}

static void test_waits(void)
{
	begin(1);
	row(SOFTPT_FLOW_SWITCH_OUT, 0, 100, 2);
	row(SOFTPT_FLOW_SWITCH_IN, 100, 150, 0);
	row(SOFTPT_FLOW_SWITCH_IN, 200, 250, 0);
	row(SOFTPT_FLOW_FAULT, 0, 300, 0x1000);
	kit_ok(chart.waits == 1 && chart.wait->begin == 100 && chart.wait->end == 150 &&
	       chart.wait->why == 2 && chart.wait->off == 3, "a wait, and its reason");
	kit_ok(chart.waits_left == 1, "one that has no room");
	kit_ok(chart.marks == 1 && chart.mark->value == 0x1000 && chart.mark->at == 300,
	       "a page fault");
	chart_free(&chart);
}

int main(void)
{
	test_calls();
	test_waits();
	return kit_done();
}
