// SPDX-License-Identifier: BSD-2-Clause
/* A stretch without events as a picture: its MTCs, and what is known of the next event */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <softpt/ctc.h>

#include <softpt/softpt.h>
#include "config/values.h"
#include "panels.h"
#include "sim/sim.h"

#define TICKS_WANTED	40	/* a stretch of about so many can be read */
#define TICKS_AFTER	3

/* Two records, and the silence between them */
struct stretch {
	const struct softpt_config *cfg;
	struct softpt_ratio p;
	struct eval_stream s;
	struct truth_row last, from, to;
	uint64_t last_offset, from_offset;
	struct softpt_record rec;	/* of @to */
	uint64_t score;
};

static uint64_t tick_of(const struct stretch *w, uint64_t tsc)
{
	return softpt_tick_of_tsc(w->p, w->cfg->mtc_freq, tsc);
}

static int keep_bytes(void *ctx, const void *buf, size_t len)
{
	return eval_stream_add(&((struct stretch *)ctx)->s, buf, len);
}

/* The stretch whose length is nearest to what can be read */
static int look(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct stretch *w = ctx;
	uint64_t ticks = w->last.tsc ? tick_of(w, row->tsc) - tick_of(w, w->last.tsc) : 0;
	uint64_t score = ticks > TICKS_WANTED ? ticks - TICKS_WANTED : TICKS_WANTED - ticks;
	bool bounded = rec->flags & SOFTPT_REC_HAS_MIN && rec->flags & SOFTPT_REC_HAS_MAX;

	if (ticks > w->cfg->suppress + 1u && score < w->score && bounded) {
		w->score = score;
		w->from = w->last;
		w->from_offset = w->last_offset;
		w->to = *row;
		w->rec = *rec;
	}
	w->last = *row;
	w->last_offset = rec->offset;
	return 0;
}

static int find(struct stretch *w, const struct event_list *events)
{
	const struct sim_output out = { .bytes = keep_bytes, .row = look, .ctx = w };
	struct sim *sim = sim_new(w->cfg, &out);
	const char *why;
	int err = sim ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < events->n; i++)
		err = sim_event(sim, &events->ev[i], &why);
	if (!err)
		err = sim_finish(sim);
	sim_free(sim);
	return err;
}

/* ---- drawing ---- */

static void mark(const struct svg_panel *panel, double x, double from, double to,
		 const char *colour, const char *title)
{
	double top = svg_y(panel, to);

	fprintf(panel->to, "<rect x='%.1f' y='%.1f' width='2' height='%.1f' fill='%s'><title>%s</title></rect>\n",
		svg_x(panel, x) - 1, top, svg_y(panel, from) - top, colour, title);
}

/* All ticks in grey, and over them those whose MTC is in the stream */
static void draw_ticks(const struct svg_panel *panel, const struct stretch *w, uint64_t last)
{
	uint64_t tick = tick_of(w, w->from.tsc), k;
	const unsigned int freq = w->cfg->mtc_freq;
	struct softpt_packet pkt;
	struct softpt_stream s;

	for (k = tick + 1; k <= last; k++)
		mark(panel, softpt_tsc_of_tick(w->p, freq, k), 0.5, 0.6, "#cccccc", "left out");
	softpt_stream_init(&s, w->s.bytes, w->s.len);
	s.pos += w->from_offset;
	while (softpt_stream_next(&s, &pkt) > 0) {
		uint8_t step = pkt.payload - (uint8_t)tick;

		if (pkt.type != SOFTPT_PKT_MTC)
			continue;
		tick += step ? step : 256;
		if (tick > last)
			break;
		mark(panel, softpt_tsc_of_tick(w->p, freq, tick), 0.5, 0.7, "black", "MTC");
	}
}

static void say(const struct svg_panel *panel, double y, const char *colour, const char *text)
{
	fprintf(panel->to, "<text x='%.1f' y='%.1f' fill='%s'>%s</text>\n", panel->left + 8,
		svg_y(panel, y), colour, text);
}

static void draw(struct svg_panel *panel, const struct stretch *w)
{
	const uint64_t period = ((uint64_t)w->p.ebx << w->cfg->mtc_freq) / w->p.eax;
	const uint64_t last = tick_of(w, w->to.tsc) + TICKS_AFTER;
	const double from = (double)w->from.tsc - 2 * (double)period;
	const double to = softpt_tsc_of_tick(w->p, w->cfg->mtc_freq, last + 1);
	double left, right;
	char title[256 + SOFTPT_VALUE_MAX], resume[SOFTPT_VALUE_MAX];

	panel->x = (struct svg_axis){ NULL, from, to, false };
	panel->y = (struct svg_axis){ NULL, 0, 1, false };
	softpt_print_resume(w->cfg, resume);
	snprintf(title, sizeof(title),
		 "%" PRIu64 " MTC periods without an event, suppress=%u,resume=%s (TSC %" PRIu64 " on)",
		 tick_of(w, w->to.tsc) - tick_of(w, w->from.tsc), w->cfg->suppress, resume,
		 w->from.tsc);
	svg_panel(panel, title);
	say(panel, 0.93, "black", "events, when they really happened");
	mark(panel, w->from.tsc, 0.8, 0.9, "black", "event");
	mark(panel, w->to.tsc, 0.8, 0.9, "black", "event");
	say(panel, 0.73, "black", "MTCs: sent, and left out");
	draw_ticks(panel, w, last);
	say(panel, 0.33, SVG_OURS, "the second event's bounds, and the estimate");
	left = svg_x(panel, w->rec.tsc_min);
	right = svg_x(panel, w->rec.tsc_max);
	fprintf(panel->to, "<rect x='%.1f' y='%.1f' width='%.1f' height='12' fill='%s' fill-opacity='0.4'/>\n",
		left, svg_y(panel, 0.25), right > left + 1 ? right - left : 1, SVG_OURS);
	mark(panel, w->rec.tsc, 0.2, 0.26, SVG_OURS, "estimate");
}

int eval_draw_stretch(struct svg_panel *panel, const struct eval_point *point)
{
	struct stretch w = {
		.cfg = &point->cfg, .p = { point->cfg.tsc_ebx, point->cfg.tsc_eax },
		.score = UINT64_MAX,
	};
	int err = find(&w, point->events);

	if (!err && w.score != UINT64_MAX) {
		draw(panel, &w);
	} else if (!err) {
		panel->x.name = NULL;
		panel->y.name = NULL;
		svg_panel(panel, "No stretch is long enough for an MTC to be left out");
	}
	free(w.s.bytes);
	return err;
}
