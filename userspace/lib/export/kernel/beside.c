// SPDX-License-Identifier: BSD-2-Clause
#include "export/kernel/beside.h"

#include "flow/kernel/names.h"

static void leave_cpu(struct beside *b, struct perfetto *p, struct perfetto_event *ev,
		      const struct softpt_flow_row *row)
{
	const char *why = kernel_left_name(row->value);

	ev->name = why ? why : "off CPU";
	perfetto_note_time(ev, &row->when, false);
	perfetto_begin(p, ev);
	b->off = true;
}

static void come_to_cpu(struct beside *b, struct perfetto *p, struct perfetto_event *ev,
			const struct softpt_flow_row *row)
{
	if (!b->off)
		return;
	perfetto_note_time(ev, &row->when, true);
	perfetto_end(p, ev);
	b->off = false;
}

static void interrupted(struct perfetto *p, struct perfetto_event *ev,
			const struct softpt_flow_row *row)
{
	const bool fault = row->event == SOFTPT_FLOW_FAULT;

	ev->name = fault ? "page fault" : "interrupt";
	perfetto_note(ev, fault ? "address" : "handler", row->value, true);
	perfetto_note_time(ev, &row->when, false);
	perfetto_instant(p, ev);
}

void beside_take(struct beside *b, struct perfetto *p, uint64_t thread,
		 const struct softpt_flow_row *row, uint64_t ns)
{
	struct perfetto_event ev = { 0 };

	if (!b->track)
		b->track = perfetto_track(p, thread, "off CPU, interrupts");
	if (ns > b->ns)
		b->ns = ns;
	ev.track = b->track;
	ev.ns = b->ns;
	if (row->event == SOFTPT_FLOW_SWITCH_OUT)
		leave_cpu(b, p, &ev, row);
	else if (row->event == SOFTPT_FLOW_SWITCH_IN)
		come_to_cpu(b, p, &ev, row);
	else
		interrupted(p, &ev, row);
}

void beside_end(struct beside *b, struct perfetto *p)
{
	const struct perfetto_event ev = { .track = b->track, .ns = b->ns };

	if (b->off)
		perfetto_end(p, &ev);
	b->off = false;
}
