// SPDX-License-Identifier: BSD-2-Clause
#include "flow/land.h"

#include <string.h>

#include "code/blocks.h"

/* GCC and Clang put what is executed seldom into NAME.cold, and jump there. */
static size_t whole_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

static bool is_cold(const struct softpt_symbol *sym)
{
	return sym->name && sym->name[whole_length(sym->name)];
}

/* Whether two addresses are in one function, or in the two parts of one */
static bool is_same(const struct softpt_symbol *a, const struct softpt_symbol *b)
{
	size_t len;

	if (!a->name || !b->name || a->module != b->module)
		return false;
	if (a->start == b->start)
		return true;
	if (is_cold(a) == is_cold(b))
		return false;
	len = whole_length(a->name);
	return len == whole_length(b->name) && !strncmp(a->name, b->name, len);
}

static enum flow_move move_of(struct symbols *symbols, uint64_t from, uint64_t to)
{
	struct softpt_symbol a, b;

	symbols_find(symbols, to, &b);
	if (b.plt)
		return FLOW_MOVE_STAYS;
	symbols_find(symbols, from, &a);
	if (a.plt)
		return FLOW_MOVE_ENTERS;
	if (!b.name || is_same(&a, &b))
		return FLOW_MOVE_STAYS;
	return b.start == to && !is_cold(&b) ? FLOW_MOVE_ENTERS : FLOW_MOVE_LANDS;
}

enum flow_move flow_note_jump(const struct flow_step *step, struct symbols *symbols)
{
	const bool direct = step->packet != FLOW_TIP;
	uint8_t *note = step->note;
	enum flow_move move;

	if (note && *note)
		return *note == CODE_ENTERS ? FLOW_MOVE_ENTERS : FLOW_MOVE_STAYS;
	move = move_of(symbols, step->from, step->to);
	if (move == FLOW_MOVE_LANDS && direct)	/* at an end that functions share */
		move = FLOW_MOVE_STAYS;
	if (note && move != FLOW_MOVE_LANDS)
		*note = move == FLOW_MOVE_ENTERS ? CODE_ENTERS : CODE_STAYS;
	return move;
}

bool flow_note_call(const struct flow_step *step, struct symbols *symbols)
{
	uint8_t *note = step->note;
	struct softpt_symbol sym;

	if (note && *note)
		return *note == CODE_STAYS;
	symbols_find(symbols, step->to, &sym);
	if (note)
		*note = sym.plt ? CODE_STAYS : CODE_ENTERS;
	return sym.plt;
}

void flow_note(const struct flow_step *step, struct symbols *symbols)
{
	if (!step->note || *step->note)
		return;
	if (step->kind == FLOW_JUMP && step->taken)
		flow_note_jump(step, symbols);
	else if (step->kind == FLOW_CALL)
		flow_note_call(step, symbols);
}

unsigned int flow_land(const struct softpt_flow_thread *t, uint64_t to)
{
	struct softpt_symbol at, sym;
	unsigned int i;

	symbols_find(t->process->symbols, to, &at);
	for (i = t->frames; at.name && i > 0; i--) {
		symbols_find(t->process->symbols, t->frame[i - 1].ip, &sym);
		if (is_same(&sym, &at))
			return i;
	}
	return 0;
}
