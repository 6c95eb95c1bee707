/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that walk ahead of lanes */
#ifndef SOFTPT_FLOW_AHEAD_LANES_H
#define SOFTPT_FLOW_AHEAD_LANES_H

#include "flow/lane.h"

/* Before the first lane of a recording is opened: have threads, if there may be several */
void flow_lanes_open(struct flow_lanes *w, const struct input *in, unsigned int threads);
/* The stream of a lane was opened: others walk it ahead, if that can be. */
void flow_lane_open(struct flow_lanes *w, const struct input *in, struct flow_lane *l);

/* Before what happened up to a TSC is told: nobody looks at what it changes. */
void flow_lanes_settle(struct flow_lanes *w, const struct input *in, uint64_t tsc);
/* It was told: lanes go on. */
void flow_lanes_go_on(struct flow_lanes *w);
/* The lane's thread is known. */
void flow_lane_set(struct flow_lanes *w, struct flow_lane *l);

bool flow_lane_next(struct flow_lane *l);
void flow_lane_close(struct flow_lane *l);
/* Behind the last lane */
void flow_lanes_close(struct flow_lanes *w);

#endif /* SOFTPT_FLOW_AHEAD_LANES_H */
