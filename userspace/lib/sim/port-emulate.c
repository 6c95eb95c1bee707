// SPDX-License-Identifier: BSD-2-Clause
/* What executes: the clock in which it does, and what it puts into the FIFO */
#include "sim/port-emulate.h"

#include <errno.h>
#include <string.h>

#include "sim/port-clock.h"

#define GAP_MAX		(1ull << 32)	/* clocks without an event, each a symbol or part of one */
#define CLOCK_MAX	(1ull << 62)

/* ---- the core ---- */

static void trigger(struct port *p, uint32_t addr, bool literal)
{
	if (!p->te_now)
		p->te = (struct port_te){ addr, literal ? -1 : (int)p->triggers->fired };
	p->te_now = true;
	if (!p->triggers || !p->triggers->psb)
		return;
	p->triggers->psb = false;
	p->pending = PORT_PENDING_ALL;
	p->counts.se++;
}

static void goes_to(struct port *p, bool known, uint32_t addr)
{
	if (p->triggers && (!known || !p->has_next || addr != p->next))
		port_triggers_split(p->triggers);
	p->has_next = known;
	p->next = addr;
	if (p->c.n || p->c.interrupt)
		return;
	p->c.has_iar = known;
	p->c.iar = addr;
}

/* The clock in which something can execute: FIFO and issue width may make it a later one. */
static void find_clock(struct port *p, bool entry, bool alone)
{
	const struct port_clock *c = &p->c;

	while (!p->err) {
		bool taken = c->interrupt || c->n == 2 || (entry && c->entry) || (alone && c->n);

		if (!taken && (!port_full(&p->serial) || (!entry && !p->pending)))
			return;
		if (!c->n && !c->interrupt) {
			p->counts.stalls++;
			p->shift++;
		}
		port_end_clock(p);
	}
}

static void execute(struct port *p, bool taken)
{
	find_clock(p, false, false);
	p->c.taken |= taken << p->c.n++;
	p->counts.instructions++;
	if (p->triggers && port_triggers_execute(p->triggers, p->has_next, p->next, taken))
		trigger(p, p->next, false);
	p->has_next = p->has_next && !taken;
	p->next += 4;
}

static void write_reg(struct port_reg *reg, uint32_t value)
{
	static const uint8_t next[] = {
		[PORT_FRESH] = PORT_WRITTEN, [PORT_USED] = PORT_LOST,
		[PORT_WRITTEN] = PORT_WRITTEN, [PORT_LOST] = PORT_LOST,
	};

	reg->value = value;
	reg->clock_fate = next[reg->clock_fate];
	reg->se_fate = next[reg->se_fate];
}

/* mtlr, mtctr: the clock's entry */
static void move(struct port *p, struct port_reg *reg, const struct softpt_event *ev)
{
	find_clock(p, true, false);
	p->c.entry = true;
	p->c.value = ev->arg;
	execute(p, false);
	write_reg(reg, ev->arg);
}

static void interrupt(struct port *p, const struct softpt_event *ev)
{
	find_clock(p, true, true);
	p->c.interrupt = true;
	p->c.entry = true;
	p->c.value = ev->target;
	p->counts.interrupts++;
	if (p->triggers)
		port_triggers_split(p->triggers);
	p->has_next = true;
	p->next = ev->target;
}

static void use_reg(struct port_reg *reg)
{
	if (reg->clock_fate == PORT_FRESH)
		reg->clock_fate = PORT_USED;
	if (reg->se_fate == PORT_FRESH)
		reg->se_fate = PORT_USED;
}

static void branch(struct port *p, const struct softpt_event *ev)
{
	bool conditional = ev->kind == SOFTPT_EV_JCC;
	bool taken = !conditional || ev->flags & SOFTPT_EVF_TAKEN;

	execute(p, taken);
	/* Events do not say where a branch has its target from. */
	if (taken) {
		use_reg(&p->lr);
		use_reg(&p->ctr);
	}
	if (ev->kind == SOFTPT_EV_CALL || ev->kind == SOFTPT_EV_ICALL)
		write_reg(&p->lr, (uint32_t)ev->ip + 4);
	if (!taken)
		return;
	p->has_next = !conditional || ev->flags & SOFTPT_EVF_TARGET;
	p->next = ev->target;
}

/* ---- events ---- */

static bool executes(const struct softpt_event *ev)
{
	switch (ev->kind) {
	case SOFTPT_EV_JCC ... SOFTPT_EV_INTR:
	case SOFTPT_EV_RETIRE ... SOFTPT_EV_MTCTR:
		return true;
	}
	return false;
}

static bool has_address(const struct softpt_event *ev)
{
	if (ev->kind == SOFTPT_EV_MTLR || ev->kind == SOFTPT_EV_MTCTR)
		return ev->flags & SOFTPT_EVF_IP;
	return executes(ev) || ev->kind == SOFTPT_EV_ENABLE;
}

static bool wakes(const struct port *p, const struct softpt_event *ev)
{
	if (p->state == PORT_WAITS)
		return executes(ev) || ev->kind == SOFTPT_EV_PWRX || ev->kind == SOFTPT_EV_SLEEP;
	return ev->kind != SOFTPT_EV_IDLE;
}

/* Before anything executes in a clock, that is what it begins with. */
static void set_reg(struct port *p, struct port_reg *reg, uint32_t value)
{
	write_reg(reg, value);
	if (!p->c.n && !p->c.interrupt)
		reg->begin = value;
}

static void dispatch(struct port *p, const struct softpt_event *ev)
{
	uint64_t i;

	switch (ev->kind) {
	case SOFTPT_EV_RETIRE:
		for (i = 0; i < ev->arg && !p->err; i++)
			execute(p, false);
		break;
	case SOFTPT_EV_MTLR:
		move(p, &p->lr, ev);
		break;
	case SOFTPT_EV_MTCTR:
		move(p, &p->ctr, ev);
		break;
	case SOFTPT_EV_LR:
		set_reg(p, &p->lr, ev->arg);
		break;
	case SOFTPT_EV_CTR:
		set_reg(p, &p->ctr, ev->arg);
		break;
	case SOFTPT_EV_FAR:
	case SOFTPT_EV_INTR:
		interrupt(p, ev);
		break;
	case SOFTPT_EV_PSB:
		p->pending = PORT_PENDING_ALL;
		p->counts.se++;
		break;
	case SOFTPT_EV_TRIG:
		trigger(p, p->next, true);
		break;
	case SOFTPT_EV_MWAIT:
		p->state = PORT_WAITS;
		break;
	case SOFTPT_EV_SLEEP:
		p->state = ev->arg ? PORT_STOPPED : PORT_RUNS;
		p->stop_end = p->now + ev->arg;
		break;
	default:
		if (executes(ev))
			branch(p, ev);
	}
}

static int check(const struct port *p, const struct softpt_event *ev, const char **why)
{
	*why = "time is 2^62 or later";
	if (ev->tsc >= CLOCK_MAX)
		return -EINVAL;
	*why = "time is more than 2^32 clocks after the event before it";
	if (p->began && ev->tsc + p->shift > GAP_MAX +
	    (p->state == PORT_STOPPED ? p->stop_end : p->now))
		return -EINVAL;
	*why = "duration is 2^62 clocks or more";
	if (ev->kind == SOFTPT_EV_SLEEP && ev->arg >= CLOCK_MAX)
		return -EINVAL;
	*why = "value is 32 bits";
	if (ev->kind >= SOFTPT_EV_MTLR && ev->kind <= SOFTPT_EV_CTR && ev->arg >> 32)
		return -EINVAL;
	*why = "addresses of the trace port have 32 bits";
	if (!has_address(ev))
		return 0;
	if (ev->ip >> 32 || (executes(ev) && ev->kind != SOFTPT_EV_RETIRE && ev->target >> 32))
		return -EINVAL;
	if (ev->kind == SOFTPT_EV_RETIRE && ev->arg > ((1ull << 32) - ev->ip + 3) / 4)
		return -EINVAL;
	return 0;
}

static void first_clock(struct port *p, uint64_t clock)
{
	uint8_t header[SOFTPT_PORT_HEADER];

	p->began = true;
	p->now = clock;
	softpt_port_header(header, &p->cfg, clock);
	if (p->buffer)
		port_buffer_begin(p->buffer, clock);
	else
		p->err = p->put(p->context, header, sizeof(header));
	port_begin_clock(p);
}

int port_event(struct port *p, const struct softpt_event *ev, const char **why)
{
	bool te = false;

	if (check(p, ev, why))
		return -EINVAL;
	if (!p->began)
		first_clock(p, ev->tsc);
	if (p->now < ev->tsc + p->shift) {
		if (p->c.n || p->c.interrupt)
			port_end_clock(p);
		/* Up to here, what executes next is this. */
		if (has_address(ev))
			goes_to(p, true, ev->ip);
		port_advance(p, ev->tsc + p->shift);
	}
	if (has_address(ev))
		goes_to(p, true, ev->ip);
	if (p->state != PORT_RUNS && wakes(p, ev))
		p->state = PORT_RUNS;
	dispatch(p, ev);
	if (p->triggers && !p->err)
		p->err = port_triggers_event(p->triggers, ev, &te, why);
	if (te)
		trigger(p, p->next, false);
	return p->err;
}

int port_finish(struct port *p)
{
	if (!p->began)
		first_clock(p, 0);
	if (p->c.n || p->c.interrupt)
		port_end_clock(p);
	while (!p->err && (p->serial.used || p->te_due || p->te_now || port_se_ready(p)))
		port_end_clock(p);
	port_flush(p);
	if (p->buffer && !p->err)
		port_take_fragment(p);
	return p->err;
}

void port_init(struct port *p, const struct softpt_port_config *cfg, port_put out, void *context)
{
	memset(p, 0, sizeof(*p));
	p->cfg = *cfg;
	p->serial.size = cfg->fifo;
	p->put = out;
	p->context = context;
	p->symbol = PORT_NIL;
}
