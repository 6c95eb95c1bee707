// SPDX-License-Identifier: BSD-2-Clause
/* <softpt/sim.h>: the simulator, and instructions that become its events */
#include <softpt/sim.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/softpt.h>

#include "sim/sim.h"
#include "source/insns.h"

struct softpt_sim {
	struct sim *sim;
	struct import_flow flow;
	bool stepped;		/* instructions are given */
	const char *why;
};

static int send(void *ctx, const struct softpt_event *ev)
{
	struct softpt_sim *s = ctx;

	return sim_event(s->sim, ev, &s->why);
}

int softpt_sim_new(struct softpt_sim **sim, const struct softpt_config *config,
		   softpt_sim_bytes_fn bytes, void *ctx)
{
	const struct sim_output out = { .bytes = bytes, .ctx = ctx };
	struct softpt_sim *s;
	char why[ERROR_TEXT];

	*sim = NULL;
	if (softpt_config_validate(config, why, sizeof(why)))
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->sim = sim_new(config, &out);
	if (!s->sim) {
		free(s);
		return -ENOMEM;
	}
	s->flow.send = send;
	s->flow.ctx = s;
	*sim = s;
	return 0;
}

void softpt_sim_free(struct softpt_sim *sim)
{
	if (!sim)
		return;
	sim_free(sim->sim);
	free(sim);
}

static int done(const struct softpt_sim *s, int err, const char **why)
{
	if (why)
		*why = err ? s->why : NULL;
	return err;
}

int softpt_sim_event(struct softpt_sim *sim, const struct softpt_event *event, const char **why)
{
	sim->why = NULL;
	return done(sim, send(sim, event), why);
}

/* @text: what import_flow_step() says is wrong. */
static int stepped(struct softpt_sim *s, const char *text, const char **why)
{
	int err = s->flow.err;

	if (text) {
		s->why = text;
		err = -EINVAL;
	}
	s->flow.err = 0;
	return done(s, err, why);
}

int softpt_sim_insn(struct softpt_sim *sim, const struct softpt_sim_insn *insn, const char **why)
{
	struct import_step step = {
		.ip = insn->ip, .n = insn->size, .long_mode = insn->long_mode,
	};

	sim->why = NULL;
	if (insn->size > sizeof(step.code)) {
		sim->why = "an instruction has 15 bytes at most";
		return done(sim, -EINVAL, why);
	}
	memcpy(step.code, insn->code, insn->size);
	sim->stepped = true;
	sim->flow.now = insn->tsc;
	return stepped(sim, import_flow_step(&sim->flow, &step), why);
}

int softpt_sim_end(struct softpt_sim *sim, uint64_t tsc, const char **why)
{
	int err = 0;

	sim->why = NULL;
	if (sim->stepped) {
		sim->flow.now = tsc;
		err = stepped(sim, import_flow_end(&sim->flow), why);
	}
	if (!err)
		err = sim_finish(sim->sim);
	return done(sim, err, why);
}

int softpt_sim_flush(struct softpt_sim *sim)
{
	return sim_flush(sim->sim);
}
