/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt flow: rows of a path as lines */
#ifndef SOFTPT_TOOL_FLOW_PRINT_H
#define SOFTPT_TOOL_FLOW_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/perf.h>
#include "flow/path.h"
#include "input/relative.h"

/**
 * struct flow_printer - how lines look
 * @perf: the recording, for its clock
 * @begin: TSC of the first: times are printed relative to it
 * @json: a JSON object for each row, not text
 * @ticks: the file does not know how long a TSC tick is
 * @tids: lines name their thread
 * @lines: lines have lines of source
 * @module: of the last line
 * @insns: texts of instructions; NULL: none are kept
 */
struct flow_printer {
	const struct softpt_perf *perf;
	uint64_t begin;
	bool json;
	bool ticks;
	bool tids;
	bool lines;
	const char *module;
	struct insn_texts *insns;
};

/* Nanoseconds from one TSC to another, or ticks where the file does not know the clock */
double flow_between(const struct flow_printer *f, uint64_t from, uint64_t to);
void flow_print_begin(struct flow_printer *f);
void flow_print_end(struct flow_printer *f);
void flow_print(struct flow_printer *f, const struct softpt_flow_row *row);

/* A row that is of no code: the trigger event, behind the row @last */
void flow_print_trigger(struct flow_printer *f, const struct trigger_event *te,
			const struct softpt_flow_row *last);

#endif /* SOFTPT_TOOL_FLOW_PRINT_H */
