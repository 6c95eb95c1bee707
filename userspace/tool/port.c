// SPDX-License-Identifier: BSD-2-Clause
/* The trace port, clock by clock: what executes, what enters the FIFO, what the pins say */
#include "port.h"

#include <errno.h>

#define GAP_MAX		(1ull << 32)	/* clocks without an event, each a symbol or part of one */
#define CLOCK_MAX	(1ull << 62)
#define PENDING_ALL	(1 << PORT_SE_IAR | 1 << PORT_SE_LR | 1 << PORT_SE_CTR)

/* ---- a clock ---- */

static void begin_clock(struct port *p)
{
	p->c = (struct port_clock){ .has_iar = p->has_next, .iar = p->next };
	p->lr_begin = p->lr;
	p->ctr_begin = p->ctr;
	if (!p->se_left) {
		p->pending = PENDING_ALL;
		p->se_left = p->cfg.se_period;
		p->counts.se++;
	}
	if (p->state == PORT_STOPPED && p->now >= p->stop_end)
		p->state = PORT_RUNS;
}

static uint8_t execution_status(const struct port_clock *c)
{
	if (c->interrupt)
		return SOFTPT_ES_INTERRUPT;
	if (c->n == 2)
		return SOFTPT_ES_TWO | c->taken;
	return c->n ? SOFTPT_ES_ONE | c->taken : SOFTPT_ES_NONE;
}

static uint8_t state_status(const struct port *p)
{
	if (p->state == PORT_WAITS)
		return SOFTPT_TS_WAIT;
	return p->state == PORT_STOPPED ? SOFTPT_TS_STOP : SOFTPT_TS_NONE;
}

/* A TE goes before everything, then what the FIFO holds, then the state of the core. */
static uint8_t trace_status(struct port *p, uint8_t es)
{
	uint8_t ts;

	if (p->te_due) {
		p->te_due--;
		return SOFTPT_TS_TE;
	}
	ts = port_send(&p->serial, p->now);
	return ts || es ? ts : state_status(p);
}

/* There is one offset counter: a second IAR waits for it. */
static bool se_ready(const struct port *p)
{
	if (p->pending & 1 << PORT_SE_IAR)
		return p->c.has_iar && !p->serial.counting;
	return p->pending;
}

/* SE IAR, SE LR, SE CTR, one a clock */
static void enter_se(struct port *p)
{
	struct port_entry e;

	if (p->pending & 1 << PORT_SE_IAR)
		e = (struct port_entry){ p->c.iar, PORT_SE_IAR };
	else if (p->pending & 1 << PORT_SE_LR)
		e = (struct port_entry){ p->lr_begin, PORT_SE_LR };
	else
		e = (struct port_entry){ p->ctr_begin, PORT_SE_CTR };
	p->pending &= ~(1 << e.type);
	port_enter(&p->serial, &e, p->now);
}

/* What enters the FIFO in a clock is seen by the pins in the next, room that it gets, too. */
static void end_clock(struct port *p)
{
	bool full = port_full(&p->serial);
	uint8_t es = execution_status(&p->c);
	uint8_t ts = trace_status(p, es);

	if (p->c.entry)
		port_enter(&p->serial, &(struct port_entry){ p->c.value, PORT_REGULAR }, p->now);
	else if (se_ready(p) && !full)
		enter_se(p);
	p->te_due += p->te_now;
	p->te_now = 0;
	port_write(p, es, ts, 1);
	if (p->state != PORT_STOPPED || es)
		p->se_left--;
	p->now++;
	begin_clock(p);
}

/* Clocks in which nothing changes, up to @to at most */
static uint64_t quiet(const struct port *p, uint64_t to)
{
	uint64_t n = to - p->now;

	if (p->serial.used || p->te_due || p->te_now || se_ready(p) || p->c.n || p->c.interrupt)
		return 0;
	if (p->state != PORT_STOPPED)
		return n < p->se_left ? n : p->se_left;
	return n < p->stop_end - p->now ? n : p->stop_end - p->now;
}

static void skip(struct port *p, uint64_t n)
{
	port_write(p, SOFTPT_ES_NONE, state_status(p), n);
	if (p->state != PORT_STOPPED)
		p->se_left -= n;
	p->now += n;
	begin_clock(p);
}

static void advance(struct port *p, uint64_t to)
{
	uint64_t n;

	while (p->now < to && !p->err) {
		n = quiet(p, to);
		if (n)
			skip(p, n);
		else
			end_clock(p);
	}
}

/* ---- the core ---- */

static void goes_to(struct port *p, bool known, uint32_t addr)
{
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
		end_clock(p);
	}
}

static void execute(struct port *p, bool taken)
{
	find_clock(p, false, false);
	p->c.taken |= taken << p->c.n++;
	p->counts.instructions++;
	p->has_next = p->has_next && !taken;
	p->next += 4;
}

/* mtlr, mtctr: the clock's entry */
static void move(struct port *p, uint32_t *reg, const struct softpt_event *ev)
{
	find_clock(p, true, false);
	p->c.entry = true;
	p->c.value = ev->arg;
	execute(p, false);
	*reg = ev->arg;
}

static void interrupt(struct port *p, const struct softpt_event *ev)
{
	find_clock(p, true, true);
	p->c.interrupt = true;
	p->c.entry = true;
	p->c.value = ev->target;
	p->counts.interrupts++;
	p->has_next = true;
	p->next = ev->target;
}

static void branch(struct port *p, const struct softpt_event *ev)
{
	bool conditional = ev->kind == SOFTPT_EV_JCC;
	bool taken = !conditional || ev->flags & SOFTPT_EVF_TAKEN;

	execute(p, taken);
	if (ev->kind == SOFTPT_EV_CALL || ev->kind == SOFTPT_EV_ICALL)
		p->lr = (uint32_t)ev->ip + 4;
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

static void happen(struct port *p, const struct softpt_event *ev)
{
	bool idle = !p->c.n && !p->c.interrupt;
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
		p->lr = ev->arg;
		p->lr_begin = idle ? p->lr : p->lr_begin;
		break;
	case SOFTPT_EV_CTR:
		p->ctr = ev->arg;
		p->ctr_begin = idle ? p->ctr : p->ctr_begin;
		break;
	case SOFTPT_EV_FAR:
	case SOFTPT_EV_INTR:
		interrupt(p, ev);
		break;
	case SOFTPT_EV_PSB:
		p->pending = PENDING_ALL;
		p->counts.se++;
		break;
	case SOFTPT_EV_TRIG:
		p->te_now++;
		p->counts.te++;
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

static int judge(const struct port *p, const struct softpt_event *ev, const char **why)
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
	p->err = p->put(p->context, header, sizeof(header));
	begin_clock(p);
}

int port_event(struct port *p, const struct softpt_event *ev, const char **why)
{
	if (judge(p, ev, why))
		return -EINVAL;
	if (!p->began)
		first_clock(p, ev->tsc);
	if (p->now < ev->tsc + p->shift) {
		if (p->c.n || p->c.interrupt)
			end_clock(p);
		/* Up to here, what executes next is this. */
		if (has_address(ev))
			goes_to(p, true, ev->ip);
		advance(p, ev->tsc + p->shift);
	}
	if (has_address(ev))
		goes_to(p, true, ev->ip);
	if (p->state != PORT_RUNS && wakes(p, ev))
		p->state = PORT_RUNS;
	happen(p, ev);
	return p->err;
}

int port_finish(struct port *p)
{
	if (!p->began)
		first_clock(p, 0);
	if (p->c.n || p->c.interrupt)
		end_clock(p);
	while (!p->err && (p->serial.used || p->te_due || p->te_now || se_ready(p)))
		end_clock(p);
	p->counts.fullest = p->serial.most;
	port_flush(p);
	return p->err;
}
