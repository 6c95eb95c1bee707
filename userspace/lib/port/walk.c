// SPDX-License-Identifier: BSD-2-Clause
/*
 * From an SE on, instruction by instruction: ES says how many execute and which branches are
 * taken, the image what they are, TS what was moved to LR and CTR and where vectors are.
 *
 * What enters the port's FIFO leaves it in its order, so what is sent behind the SE belongs, in
 * that order, to the moves and exceptions behind its clock, and to the SEs that follow.
 */
#include "port/insn.h"
#include "port/walk.h"

const char *softpt_port_reason(unsigned int reason)
{
	static const char *const texts[] = {
#define X(id, text) text,
		SOFTPT_PORT_REASONS(X)
#undef X
	};

	return reason < sizeof(texts) / sizeof(texts[0]) ? texts[reason] : "unknown reason";
}

static bool stop(struct softpt_port_walk *w, enum softpt_port_reason reason)
{
	if (w->reason < 0)
		w->reason = reason;
	return false;
}

static void give(struct softpt_port_walk *w, const struct softpt_port_row *row)
{
	w->row[w->rows++] = *row;
}

/* ---- what was sent ---- */

static void next_head(struct softpt_port_walk *w)
{
	w->has_head = port_sender_next(&w->sender, &w->head);
}

static bool entered_in(const struct softpt_port_walk *w, uint64_t last)
{
	const struct port_sent *h = &w->head;

	return w->has_head && h->code == SOFTPT_TS_SE_IAR && h->offset < SOFTPT_PORT_OFFSET_MAX &&
	       h->clock - h->offset <= last;
}

static bool sample(struct softpt_port_walk *w, struct reg *r, enum softpt_port_reason other)
{
	if (!r->written && r->known && r->value != w->head.value)
		return stop(w, other);
	if (!r->written)
		*r = (struct reg){ .known = true, .value = w->head.value, .guessed = r->guessed };
	r->early = false;
	return true;
}

/* The oldest is of an SE and has entered by now. */
static bool take_se(struct softpt_port_walk *w)
{
	bool good = true;

	if (w->head.code == SOFTPT_TS_SE_IAR)
		w->entered_known = false;
	else if (w->entered_known && w->head.code == SOFTPT_TS_SE_LR)
		good = sample(w, &w->lr, SOFTPT_PORT_SE_LR);
	else if (w->entered_known)
		good = sample(w, &w->ctr, SOFTPT_PORT_SE_CTR);
	next_head(w);
	return good;
}

/*
 * Another SE: its address must be this one. Where an entry before it hid it until now, what
 * happened since it entered is not told apart.
 */
static bool check_iar(struct softpt_port_walk *w, uint64_t last)
{
	bool late;

	while (w->has_head && w->head.code != SOFTPT_TS_SLICE &&
	       w->head.code != SOFTPT_TS_SE_IAR && w->head.clock <= w->clock)
		if (!take_se(w))
			return false;
	if (!entered_in(w, last))
		return true;
	w->entered = w->head.clock - w->head.offset;
	w->entered_known = true;
	late = w->entered < w->clock;
	if (!late && w->head.value != w->addr)
		return stop(w, SOFTPT_PORT_SE_IAR);
	w->confirmed += !late;
	w->inferred = w->inferred && late;
	w->lr.written = late;
	w->ctr.written = late;
	next_head(w);
	return true;
}

/*
 * What enters an empty FIFO goes out in the next clock, or behind TEs: so the oldest entered in the
 * last clock that had nothing to send, or later, and before its own.
 */
static bool may_enter(const struct softpt_port_walk *w)
{
	return w->clock < w->head.clock && w->clock >= w->head.idle;
}

/* Of a move or an exception: what is of SEs and before it entered before it. */
static bool regular(struct softpt_port_walk *w, bool *sent, uint32_t *value)
{
	while (w->has_head && w->head.code != SOFTPT_TS_SLICE)
		if (!take_se(w))
			return false;
	if (w->trial && w->has_head && !may_enter(w))
		return stop(w, SOFTPT_PORT_NO_VECTOR);
	*sent = w->has_head;
	*value = w->head.value;
	if (w->has_head)
		next_head(w);
	return true;
}

/*
 * A clock in which something executes, and no move or exception: had the FIFO been full, nothing
 * would have, so SE LR or SE CTR has entered, with what the register held as the clock began.
 */
static bool enter_se(struct softpt_port_walk *w, bool *entry)
{
	if (*entry || !w->has_head || !w->entered_known || w->clock <= w->entered ||
	    (w->head.code != SOFTPT_TS_SE_LR && w->head.code != SOFTPT_TS_SE_CTR))
		return true;
	*entry = true;
	return take_se(w);
}

/* ---- registers ---- */

static bool write_reg(struct softpt_port_walk *w, struct reg *r, uint32_t value,
		      enum softpt_port_reason late)
{
	if (r->early && r->guessed)
		return stop(w, late);
	*r = (struct reg){ .known = true, .written = true, .value = value };
	return true;
}

static bool count_down(struct softpt_port_walk *w)
{
	struct reg *r = &w->ctr;

	if (r->early && r->guessed)
		return stop(w, SOFTPT_PORT_CTR_LATE);
	*r = (struct reg){ .counted = true, .written = true };
	return true;
}

/*
 * What the SE is going to say of a register is what it holds now if it is the next to enter, for
 * then it enters before anything else executes; else that must be confirmed. (blrl writes
 * what it reads.)
 */
static bool read_reg(struct softpt_port_walk *w, struct reg *r, uint8_t code, uint32_t *value,
		     enum softpt_port_reason unknown)
{
	bool sure = w->last && w->has_head && w->head.code == code;

	if (!r->known && !(r->early && (sure || w->guess))) {
		if (r->unsent)
			return stop(w, SOFTPT_PORT_NOT_SENT);
		if (w->used == w->forced)
			return stop(w, r->counted ? SOFTPT_PORT_CTR_COUNTED : unknown);
		*r = (struct reg){
			.known = true, .written = r->written, .value = w->force[w->used++],
		};
		w->inferred = true;
	}
	r->guessed |= !r->known && !sure;
	w->inferred |= !r->known && !sure;
	*value = r->value;
	return true;
}

/* ---- instructions ---- */

static bool target_of(struct softpt_port_walk *w, const struct ppc_flow *in, uint32_t *target)
{
	switch (in->kind) {
	case PPC_BRANCH:
		*target = in->target;
		return true;
	case PPC_BRANCH_LR:
		w->last = w->last && !in->link;
		return read_reg(w, &w->lr, SOFTPT_TS_SE_LR, target, SOFTPT_PORT_NO_LR);
	case PPC_BRANCH_CTR:
		return read_reg(w, &w->ctr, SOFTPT_TS_SE_CTR, target, SOFTPT_PORT_NO_CTR);
	case PPC_RETURN:
		return stop(w, SOFTPT_PORT_NO_TARGET);
	}
	return stop(w, SOFTPT_PORT_NO_BRANCH);
}

static bool move(struct softpt_port_walk *w, const struct ppc_flow *in, bool *entry)
{
	bool lr = in->kind == PPC_MTLR;
	struct reg *r = lr ? &w->lr : &w->ctr;
	uint32_t value;
	bool sent;

	if (!lr && in->kind != PPC_MTCTR)
		return true;
	*entry = true;
	if (!regular(w, &sent, &value) ||
	    !write_reg(w, r, value, lr ? SOFTPT_PORT_LR_LATE : SOFTPT_PORT_CTR_LATE))
		return false;
	r->known = sent;
	r->unsent = !sent;
	return true;
}

static bool execute(struct softpt_port_walk *w, bool taken, bool *entry)
{
	struct softpt_port_row row = {
		.clock = w->clock, .kind = SOFTPT_PORT_ROW_INSN, .addr = w->addr, .taken = taken,
		.inferred = w->inferred,
	};
	uint32_t next = w->addr + 4;
	bool last = w->last;
	struct ppc_flow in;

	if (w->read(w->context, w->addr, &row.insn))
		return stop(w, SOFTPT_PORT_NO_CODE);
	in = ppc_decode(w->addr, row.insn);
	if (!taken && in.always)
		return stop(w, SOFTPT_PORT_NOT_TAKEN);
	if (taken && !target_of(w, &in, &next))
		return false;
	if ((in.counts || in.link) && last && !enter_se(w, entry))
		return false;
	if (in.counts && !count_down(w))
		return false;
	if (in.link && !write_reg(w, &w->lr, w->addr + 4, SOFTPT_PORT_LR_LATE))
		return false;
	if (!move(w, &in, entry))
		return false;
	give(w, &row);
	w->addr = next;
	return true;
}

static bool interrupt(struct softpt_port_walk *w)
{
	bool sent;
	struct softpt_port_row row = {
		.clock = w->clock, .kind = SOFTPT_PORT_ROW_INTERRUPT, .addr = w->addr,
		.inferred = w->inferred,
	};

	if (!regular(w, &sent, &row.target))
		return false;
	if (!sent)
		return stop(w, SOFTPT_PORT_NOT_SENT);
	give(w, &row);
	w->addr = row.target;
	return true;
}

/* What the ES pins say. @entry: something of it entered the FIFO */
static bool status(struct softpt_port_walk *w, uint8_t es, bool *entry)
{
	if (es == SOFTPT_ES_INTERRUPT) {
		*entry = true;
		return interrupt(w);
	}
	w->last = !(es & SOFTPT_ES_TWO);
	if (es & SOFTPT_ES_TWO) {
		if (!execute(w, es & 1, entry))
			return false;
		w->last = true;
		return execute(w, es & 2, entry);
	}
	return !es || execute(w, es & 1, entry);
}

/* On the path that is tried something should have entered before this clock, for it is sent now. */
static bool is_overdue(const struct softpt_port_walk *w)
{
	return w->trial && w->has_head && w->head.code == SOFTPT_TS_SLICE &&
	       w->head.clock <= w->clock;
}

bool port_walk_symbol(struct softpt_port_walk *w)
{
	const struct softpt_port_symbol *s = &w->at;
	uint64_t last = s->clock + s->count - 1;
	bool entry = false;

	if (is_overdue(w))
		return stop(w, SOFTPT_PORT_NO_VECTOR);
	if (s->ts == SOFTPT_TS_TE && w->clock)
		give(w, &(struct softpt_port_row){
			.clock = w->clock - 1, .kind = SOFTPT_PORT_ROW_TE,
			.inferred = w->inferred,
		});
	if (!check_iar(w, last) || !status(w, s->es, &entry))
		return false;
	if (s->es && !enter_se(w, &entry))
		return false;
	w->clock = last + 1;
	return true;
}

/* ---- the walk ---- */

void port_walk_begin(struct softpt_port_walk *w, const struct softpt_port_se *se, bool guess)
{
	w->reason = -1;
	w->guess = guess;
	w->inferred = false;
	w->rows = 0;
	w->given = 0;
	w->clock = se->clock;
	w->addr = se->iar;
	w->entered = se->clock;
	w->entered_known = true;
	w->lr = (struct reg){ .early = se->has_lr, .value = se->lr };
	w->ctr = (struct reg){ .early = se->has_ctr, .value = se->ctr };
	w->sender = (struct port_sender){ .port = w->port, .at = se->behind, .sync = true };
	next_head(w);
	w->at = (struct softpt_port_symbol){ 0 };
	if (se->offset >= SOFTPT_PORT_OFFSET_MAX)
		stop(w, SOFTPT_PORT_NO_CLOCK);
	else if (se->clock < w->port->clock)
		stop(w, SOFTPT_PORT_BEFORE);
}

bool port_walk_find(struct softpt_port_walk *w)
{
	while (!w->at.count || w->at.clock + w->at.count - 1 < w->clock)
		if (!softpt_port_next(w->port, &w->at))
			return stop(w, SOFTPT_PORT_END);
	return true;
}
