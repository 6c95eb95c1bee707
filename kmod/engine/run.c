// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs of branches (run.h). The state that each of them changes is in registers meanwhile; what the
 * packets are is said by packet/ and flow/branch.c, and run-test.c holds one against the other.
 */
#include "packet/write.h"
#include "run.h"

/* What a run changes of the engine */
struct pen {
	u8 *cur;
	u64 tnt;
	u64 last_ip;
	u64 packets;
	u64 ret_bits;
	unsigned int ntnt;
	u32 top;		/* of the RET stack, and how many it has */
	u32 calls;
	bool mode;		/* a MODE.Exec is due with the next TIP */
};

static __always_inline void put_tnt64(struct pen *p)
{
	p->cur[0] = SOFTPT_OPC_PSB;
	p->cur[1] = SOFTPT_EXT_TNT64;
	softpt_store(p->cur + 2, 1ull << p->ntnt | p->tnt);
	p->cur += SOFTPT_SIZE_TNT64;
	p->packets++;
	p->tnt = 0;
	p->ntnt = 0;
}

/* The @n oldest of pending packets of TNT.8, 8 at most */
static __always_inline void put_tnt8(struct pen *p, unsigned int n)
{
	p->ntnt -= 6 * n;
	softpt_store_tnt(p->cur, p->tnt >> p->ntnt << (48 - 6 * n));
	p->tnt &= (1ull << p->ntnt) - 1;
	p->cur += n;
	p->packets += n;
}

/* @n bits: 58 at most, none set above them. What is full is written. */
static __always_inline void put_bits(struct pen *p, u64 bits, unsigned int n, bool tnt64)
{
	unsigned int k;

	if (!tnt64) {
		p->tnt = p->tnt << n | bits;
		p->ntnt += n;
		if (unlikely(p->ntnt >= 54))
			put_tnt8(p, 8);
		put_tnt8(p, p->ntnt / 6);
		return;
	}
	while (n) {
		k = min(n, 47 - p->ntnt);
		n -= k;
		p->tnt = p->tnt << k | (bits >> n & ((1ull << k) - 1));
		p->ntnt += k;
		if (p->ntnt == 47)
			put_tnt64(p);
	}
}

/* The same, where bits are seldom enough for a packet */
static __always_inline void put_few(struct pen *p, u64 bits, unsigned int n, bool tnt64)
{
	if (p->ntnt + n >= 6) {
		put_bits(p, bits, n, tnt64);
		return;
	}
	p->tnt = p->tnt << n | bits;
	p->ntnt += n;
}

static __always_inline void flush_bits(struct pen *p, bool tnt64)
{
	if (tnt64 && p->ntnt > 6) {
		put_tnt64(p);
		return;
	}
	if (!p->ntnt)
		return;
	*p->cur++ = (1u << p->ntnt | p->tnt) << 1;
	p->packets++;
	p->tnt = 0;
	p->ntnt = 0;
}

static __always_inline void put_tip(struct softpt_engine *e, struct pen *p, u64 ip, bool tnt64)
{
	flush_bits(p, tnt64);
	if (unlikely(p->mode)) {
		p->mode = false;
		e->context.exec_sent = e->context.exec_mode;
		softpt_store(p->cur, SOFTPT_OPC_MODE_EXEC |
			     (SOFTPT_MODE_EXEC | e->context.exec_mode) << 8);
		p->cur += SOFTPT_SIZE_MODE_EXEC;
		p->packets++;
	}
	p->cur = softpt_write_ip(p->cur, SOFTPT_OPC_TIP, ip, p->last_ip);
	p->last_ip = ip;
	p->packets++;
}

static __always_inline void push(struct softpt_engine *e, struct pen *p, u64 back)
{
	e->ret.ip[p->top++ % SOFTPT_RET_DEPTH] = back;
	p->calls += p->calls < SOFTPT_RET_DEPTH;
}

/* As ret_pop() */
static __always_inline void put_ret(struct softpt_engine *e, struct pen *p, u64 to, bool tnt64)
{
	if (p->calls) {
		p->calls--;
		if (e->ret.ip[--p->top % SOFTPT_RET_DEPTH] == to && e->flags & SOFTPT_F_RETC) {
			p->ret_bits++;
			put_few(p, 1, 1, tnt64);
			return;
		}
		if (e->live)
			p->calls = 0;
	}
	put_tip(e, p, to, tnt64);
}

/* No bit is pending. */
static __always_inline void put_ready(struct pen *p, const struct softpt_run_op *op,
				      const u8 *bytes)
{
	const u8 *from = bytes + op->bits;
	unsigned int i;

	for (i = 0; i < op->n; i += SOFTPT_RUN_STRIDE)
		memcpy(p->cur + i, from + i, SOFTPT_RUN_STRIDE);
	p->cur += op->n;
	p->packets += op->packets;
	p->last_ip = op->addr;
}

/* An operation, and the bits before it */
static __always_inline void put_op(struct softpt_engine *e, struct pen *p,
				   const struct softpt_run_op *op, const u8 *bytes, bool tnt64)
{
	if (op->nbits)
		put_few(p, op->bits, op->nbits, tnt64);
	if (op->what <= SOFTPT_RUN_ICALL)
		push(e, p, op->addr);
	else if (op->what == SOFTPT_RUN_TIP)
		put_tip(e, p, op->addr, tnt64);
	else if (op->what == SOFTPT_RUN_RET)
		put_ret(e, p, op->addr, tnt64);
	else if (op->what == SOFTPT_RUN_BYTES)
		put_ready(p, op, bytes);
	else
		p->calls = min(p->calls, (u32)SOFTPT_RET_DEPTH - op->n);
}

/* The indirect branch at the end of the run before went to @head. */
static __always_inline void put_end(struct softpt_engine *e, struct pen *p, u8 end, u64 back,
				    u64 head, bool tnt64)
{
	if (end == SOFTPT_EV_RET) {
		put_ret(e, p, head, tnt64);
		return;
	}
	if (end == SOFTPT_EV_ICALL)
		push(e, p, back);
	put_tip(e, p, head, tnt64);
}

static __always_inline u32 put_runs(struct softpt_engine *e, struct softpt_runs *r,
				    const u32 *number, u32 n, u8 *cur, const u8 *room, bool tnt64)
{
	struct pen p = {
		.cur = cur, .tnt = e->tnt, .ntnt = e->ntnt, .last_ip = e->last_ip,
		.top = e->ret.top, .calls = e->ret.n,
		.mode = e->context.exec_sent != e->context.exec_mode,
	};
	u64 branches = 0, insns = 0, events = 0, back = r->back;
	const struct softpt_run_op *op, *last;
	const struct softpt_run *run;
	u8 end = r->end;
	u32 i;

	for (i = 0; i < n; i++) {
		if (unlikely(number[i] >= r->nr))
			break;
		run = &r->run[number[i]];
		if (unlikely(!run->most || run->most > room - p.cur))
			break;
		if (end)
			put_end(e, &p, end, back, run->head, tnt64);
		events += run->events + !!end;
		for (op = r->op + run->op, last = op + run->nops; op < last; op++)
			put_op(e, &p, op, r->bytes, tnt64);
		put_bits(&p, run->bits, run->nbits, tnt64);
		branches += run->branches;
		insns += run->insns;
		p.ret_bits += run->rets;
		end = run->end;
		back = run->back;
	}
	if (!i)
		return 0;
	e->context.ip = r->run[number[i - 1]].on;
	e->tnt = p.tnt;
	e->ntnt = p.ntnt;
	e->last_ip = p.last_ip;
	e->ret.top = p.top;
	e->ret.n = p.calls;
	e->tnt_bits += branches + p.ret_bits;
	e->counts.packets += p.packets;
	e->counts.events += events;
	e->counts.bytes += p.cur - cur;
	if (branches + p.ret_bits + p.packets)
		softpt_suppressor_ntp(&e->mtc.sup);
	r->end = end;
	r->back = back;
	r->branches += branches;
	r->insns += insns;
	return i;
}

bool softpt_engine_takes_runs(const struct softpt_engine *e, u64 tsc, const struct softpt_sink *s)
{
	const u32 flags = SOFTPT_F_BRANCH | SOFTPT_F_USER;

	return e->packet_en && !e->context.ranges && (e->flags & flags) == flags &&
	       e->context.cpl && !e->watched && !e->checks_group && !e->ratio_unknown &&
	       !e->mtc.missing && tsc < e->due && tsc >= e->now &&
	       s->end - s->cur > SOFTPT_GROUP_MAX && e->counts.bytes < e->psb_at;
}

u32 softpt_engine_run(struct softpt_engine *e, u64 tsc, struct softpt_runs *r, const u32 *number,
		      u32 n, struct softpt_sink *s)
{
	const u64 bytes = e->counts.bytes;
	const u8 *room;
	u32 done;

	e->mark = s->cur;
	if (!softpt_engine_takes_runs(e, tsc, s))
		return 0;
	room = s->cur + min_t(u64, s->end - s->cur - SOFTPT_GROUP_MAX, e->psb_at - bytes);
	if (e->tnt_max == 6)
		done = put_runs(e, r, number, n, s->cur, room, false);
	else
		done = put_runs(e, r, number, n, s->cur, room, true);
	if (done)
		e->now = tsc;
	s->cur += e->counts.bytes - bytes;
	return done;
}
