// SPDX-License-Identifier: BSD-2-Clause
#include "sim/port-clock.h"

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
	p->symbol = PORT_NIL;
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

void port_begin_clock(struct port *p)
{
	p->c = (struct port_clock){ .has_iar = p->has_next, .iar = p->next };
	begin_reg(&p->lr);
	begin_reg(&p->ctr);
	if (!p->se_left) {
		p->pending = PORT_PENDING_ALL;
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

/* At the end of a clock: whether a reader who starts at the last SE knows what was used in it */
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
void port_take_fragment(struct port *p)
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
		port_take_fragment(p);
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

bool port_se_ready(const struct port *p)
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

/*
 * The pins send what the FIFO held before this clock. What enters in this clock is sent in the next
 * one at the earliest, and room that becomes free is there in the next one.
 */
void port_end_clock(struct port *p)
{
	bool full = port_full(&p->serial);
	uint8_t es = execution_status(&p->c);
	uint8_t ts = trace_status(p, es);

	if (p->c.entry)
		port_enter(&p->serial, &(struct port_entry){ p->c.value, PORT_REGULAR }, p->now);
	else if (port_se_ready(p) && !full)
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
	port_begin_clock(p);
}

/* Clocks in which nothing changes, up to @to at most */
static uint64_t quiet(const struct port *p, uint64_t to)
{
	uint64_t n;

	if (p->buffer && p->buffer->end > p->now && p->buffer->end < to)
		to = p->buffer->end;
	n = to - p->now;
	if (p->serial.used || p->te_due || p->te_now || port_se_ready(p) || p->c.n ||
	    p->c.interrupt)
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
	port_begin_clock(p);
}

void port_advance(struct port *p, uint64_t to)
{
	uint64_t n;

	while (p->now < to && !p->err) {
		n = quiet(p, to);
		if (n)
			skip(p, n);
		else
			port_end_clock(p);
	}
}
