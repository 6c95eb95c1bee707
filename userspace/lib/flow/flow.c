// SPDX-License-Identifier: BSD-2-Clause
/* <softpt/flow.h>: a recording, and the walks through it */
#include <softpt/flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <softpt/perf.h>

#include "code/disassemble.h"
#include "code/dwarf/lines.h"
#include "flow/path.h"
#include "flow/process.h"

struct softpt_flow {
	struct input in;
	struct flow_path path;
	struct error_sink errors;
	softpt_flow_tell_fn tell;
	void *ctx;
};

static void tell(void *ctx, const char *file, const struct error *e)
{
	const struct softpt_flow *flow = ctx;
	char text[ERROR_TEXT + 32];

	if (!flow->tell)
		return;
	if (e->has_offset)
		snprintf(text, sizeof(text), "%s, at 0x%" PRIx64, e->text, e->offset);
	else
		snprintf(text, sizeof(text), "%s", e->text);
	flow->tell(flow->ctx, file, e->err, text);
}

int softpt_flow_open(struct softpt_flow **flow, const char *path, const char *root,
		     softpt_flow_tell_fn teller, void *ctx)
{
	struct softpt_flow *f = calloc(1, sizeof(*f));
	struct error e;
	int err;

	*flow = NULL;
	if (!f)
		return -ENOMEM;
	f->tell = teller;
	f->ctx = ctx;
	f->errors = (struct error_sink){ .tell = tell, .ctx = f };
	err = input_open(&f->in, path, &e);
	if (err) {
		error_pass(&f->errors, path, &e);
		free(f);
		return err;
	}
	f->path = (struct flow_path){
		.in = &f->in, .root = root ? root : "", .errors = &f->errors,
	};
	err = flow_path_check(&f->path);
	if (err)
		softpt_flow_close(f);
	else
		*flow = f;
	return err;
}

void softpt_flow_close(struct softpt_flow *flow)
{
	if (!flow)
		return;
	input_close(&flow->in);
	free(flow);
}

int softpt_flow_walk(struct softpt_flow *flow, uint32_t events, softpt_flow_row_fn row, void *ctx)
{
	flow->path.wanted = events;
	flow->path.row = row;
	flow->path.context = ctx;
	return flow_path_walk(&flow->path);
}

const struct softpt_flow_totals *softpt_flow_totals(const struct softpt_flow *flow)
{
	return &flow->path.totals;
}

bool softpt_flow_many(const struct softpt_flow *flow)
{
	return flow->path.many;
}

uint64_t softpt_flow_ns(const struct softpt_flow *flow, uint64_t tsc)
{
	return softpt_perf_time(flow->in.perf, tsc);
}

void softpt_flow_symbol(const struct softpt_flow_row *row, uint64_t address,
			struct softpt_symbol *symbol)
{
	symbols_find(row->thread->process->symbols, address, symbol);
}

unsigned int softpt_flow_lines(const struct softpt_flow_row *row, uint64_t address,
			       struct softpt_flow_line *frame, unsigned int n)
{
	struct symbol_place place;

	symbols_place(row->thread->process->symbols, address, &place);
	return source_frames(&place, frame, n);
}

const char *softpt_flow_insn(const struct softpt_flow_row *row, char *buf, size_t len)
{
	return disassemble(row->ip, row->code, row->size, row->bits, buf, len);
}

const char *softpt_flow_event_name(enum softpt_flow_event event)
{
	static const char *const names[] = {
#define X(id, name) name,
		SOFTPT_FLOW_EVENTS(X)
#undef X
	};

	return (unsigned int)event < SOFTPT_FLOW_EVENT_NR ? names[event] : NULL;
}
