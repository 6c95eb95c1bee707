// SPDX-License-Identifier: BSD-2-Clause
#include "flow/ahead/lanes.h"

#include <softpt/perf.h>

#include "flow/ahead/ahead.h"
#include "flow/ahead/crew.h"
#include "flow/slice/index.h"

/* Counts are of one thread; of one thread's path, what others did is told between its steps. */
void flow_lanes_open(struct flow_lanes *w, const struct input *in, unsigned int threads)
{
	if (threads > 1 && !w->needs && !flow_wants(w, SOFTPT_FLOW_COUNT) && flow_index_fits(in))
		w->crew = flow_crew_new(threads, in->nr);
}

void flow_lane_open(struct flow_lanes *w, const struct input *in, struct flow_lane *l)
{
	if (w->crew && l->walk && flow_walk_is_ours(l->walk))
		l->ahead = flow_ahead_new(w->crew, in, l->stream);
}

void flow_lanes_settle(struct flow_lanes *w, const struct input *in, uint64_t tsc)
{
	unsigned int i;

	if (!w->crew || softpt_perf_time(in->perf, tsc) < flow_processes_next(w->processes))
		return;
	for (i = 0; i < w->nr; i++)
		if (w->lane[i].ahead)
			flow_ahead_settle(w->lane[i].ahead);
}

void flow_lanes_go_on(struct flow_lanes *w)
{
	const uint64_t until = flow_processes_next(w->processes);
	const struct flow_lane *l;
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		l = &w->lane[i];
		if (l->ahead && l->thread)
			flow_ahead_go_on(l->ahead, l->thread->process, until);
	}
}

void flow_lane_set(struct flow_lanes *w, struct flow_lane *l)
{
	if (l->ahead)
		flow_ahead_set(l->ahead, l->walk, l->thread->process,
			       flow_processes_next(w->processes));
	else
		flow_walk_set_code(l->walk, l->thread->process->code);
}

bool flow_lane_next(struct flow_lane *l)
{
	return l->ahead ? flow_ahead_next(l->ahead, &l->walk, &l->step) :
			  flow_walk_next(l->walk, &l->step);
}

void flow_lane_close(struct flow_lane *l)
{
	flow_ahead_free(l->ahead);
	flow_walk_free(l->walk);
}

void flow_lanes_close(struct flow_lanes *w)
{
	flow_crew_free(w->crew);
}
