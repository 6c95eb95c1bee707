// SPDX-License-Identifier: BSD-2-Clause
/* The trace port, clock by clock: what executes, what enters the FIFO, what the pins say */
#include "sim/port-emulate.h"

#include <errno.h>
#include <string.h>

#define NIL		0xff		/* no symbol yet */
#define GAP_MAX		(1ull << 32)	/* clocks without an event, each a symbol or part of one */
#define CLOCK_MAX	(1ull << 62)
#define PENDING_ALL	(1 << PORT_SE_IAR | 1 << PORT_SE_LR | 1 << PORT_SE_CTR)

/* ---- bytes ---- */

static void put(struct port *p, const void *bytes, size_t len)
{
	if (!p->err)
		p->err = p->buffer ? port_buffer_put(p->buffer, bytes, len) :
			 p->put(p->context, bytes, len);
}

void port_flush(struct port *p)
{
	uint8_t buf[16];
	size_t len = 0;

	if (!p->run)
		return;
	buf[len++] = p->symbol;
	for (p->run--; p->run; p->run >>= 7)
		buf[len++] = SOFTPT_PORT_RUN | (p->run & 0x7f);
	p->symbol = NIL;
	put(p, buf, len);
}

/* Only where nothing happens are symbols joined, so that each of the others is a byte. */
static bool is_idle(uint8_t symbol)
{
	return symbol == SOFTPT_TS_NONE || symbol == SOFTPT_TS_WAIT || symbol == SOFTPT_TS_STOP;
}

void port_write(struct port *p, uint8_t es, uint8_t ts, uint64_t n)
{
	uint8_t symbol = es << 4 | ts;

	if (!p->run || symbol != p->symbol || !is_idle(symbol))
		port_flush(p);
	p->symbol = symbol;
	p->run += n;
	p->counts.clocks += n;
}

/* ---- a clock ---- */

static void begin_reg(struct port_reg *reg)
{
	reg->begin = reg->value;
	reg->clock_fate = PORT_FRESH;
}

static void begin_clock(struct port *p)
{
	p->c = (struct port_clock){ .has_iar = p->has_next, .iar = p->next };
	begin_reg(&p->lr);
	begin_reg(&p->ctr);
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

/* ---- the acquisition buffer ---- */

/* SE IAR enters: the buffer may begin here. */
static void mark_se(struct port *p)
{
	p->known = (struct port_known){ .clock = p->now };
	p->lr.se_fate = p->lr.clock_fate;
	p->ctr.se_fate = p->ctr.clock_fate;
	if (!p->buffer)
		return;
	port_flush(p);
	if (!p->err)
		p->err = port_buffer_se(p->buffer, p->now);
}

/* A clock is over: does a reader who starts at the SE know what was used in it? */
static void mark_known(struct port *p)
{
	struct port_mark *mark = p->buffer ? port_buffer_newest(p->buffer) : NULL;
	struct port_known *k = &p->known;

	if (!mark || mark->sampled)
		return;
	k->lost |= (p->lr.se_fate == PORT_LOST && !k->n) ||
		   (p->ctr.se_fate == PORT_LOST && k->n < 2);
	k->n += p->now > k->clock && p->c.n && !p->c.entry;
	if (k->ctr_entry && p->serial.entered - p->serial.used >= k->ctr_entry)
		k->n = 2;
	mark->sampled = k->n >= 2 && k->ctr_entry && !k->lost;
}

static void mark_dated(struct port *p)
{
	struct port_mark *mark = p->buffer ? port_buffer_newest(p->buffer) : NULL;

	if (mark)
		mark->dated = p->serial.latched < SOFTPT_PORT_OFFSET_MAX;
}

/* The buffer has stopped: what it holds is a file. */
static void take_fragment(struct port *p)
{
	struct port_fragment f;

	port_flush(p);
	if (p->err)
		return;
	f = port_buffer_take(p->buffer, p->now);
	p->err = p->freeze(p->context, &f);
	port_buffer_rearm(p->buffer);
}

static void check_buffer(struct port *p)
{
	if (p->buffer && !p->err &&
	    port_buffer_due(p->buffer, p->now, p->serial.entered - p->serial.used))
		take_fragment(p);
}

/* A TE goes before everything, then what the FIFO holds, then the state of the core. */
static uint8_t trace_status(struct port *p, uint8_t es)
{
	uint8_t ts;

	if (p->te_due)
		return SOFTPT_TS_TE;
	ts = port_send(&p->serial, p->now);
	if (ts == SOFTPT_TS_SE_IAR)
		mark_dated(p);
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
		e = (struct port_entry){ p->lr.begin, PORT_SE_LR };
	else
		e = (struct port_entry){ p->ctr.begin, PORT_SE_CTR };
	p->pending &= ~(1 << e.type);
	if (e.type == PORT_SE_IAR)
		mark_se(p);
	port_enter(&p->serial, &e, p->now);
	if (e.type == PORT_SE_CTR)
		p->known.ctr_entry = p->serial.entered;
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
	mark_known(p);
	p->te_due = p->te_now;
	p->counts.te += p->te_now;
	if (p->te_now && p->buffer && port_buffer_te(p->buffer, p->now, p->serial.entered))
		p->freezer = p->te;
	p->te_now = false;
	port_write(p, es, ts, 1);
	if (p->state != PORT_STOPPED || es)
		p->se_left--;
	p->now++;
	check_buffer(p);
	begin_clock(p);
}

/* Clocks in which nothing changes, up to @to at most */
static uint64_t quiet(const struct port *p, uint64_t to)
{
	uint64_t n;

	if (p->buffer && p->buffer->end > p->now && p->buffer->end < to)
		to = p->buffer->end;
	n = to - p->now;
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
	check_buffer(p);
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

static void trigger(struct port *p, uint32_t addr, bool literal)
{
	if (!p->te_now)
		p->te = (struct port_te){ addr, literal ? -1 : (int)p->triggers->fired };
	p->te_now = true;
	if (!p->triggers || !p->triggers->psb)
		return;
	p->triggers->psb = false;
	p->pending = PENDING_ALL;
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
		end_clock(p);
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

static void happen(struct port *p, const struct softpt_event *ev)
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
		p->pending = PENDING_ALL;
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
	if (p->buffer)
		port_buffer_begin(p->buffer, clock);
	else
		p->err = p->put(p->context, header, sizeof(header));
	begin_clock(p);
}

int port_event(struct port *p, const struct softpt_event *ev, const char **why)
{
	bool te = false;

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
		end_clock(p);
	while (!p->err && (p->serial.used || p->te_due || p->te_now || se_ready(p)))
		end_clock(p);
	port_flush(p);
	if (p->buffer && !p->err)
		take_fragment(p);
	return p->err;
}

void port_init(struct port *p, const struct softpt_port_config *cfg, port_put out, void *context)
{
	memset(p, 0, sizeof(*p));
	p->cfg = *cfg;
	p->serial.size = cfg->fifo;
	p->put = out;
	p->context = context;
	p->symbol = NIL;
}
