// SPDX-License-Identifier: BSD-2-Clause
/*
 * Branches in bulk: what they write, and what they leave of the unit, is what the same branches do
 * as events; and they write no more than was said.
 */
#include <string.h>

#include <softpt/classes.h>
#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"

#define BRANCHES	600
#define BURSTS		500
#define DEPTH		16

enum watch { NOBODY, COUNTER_OF_TRACE, COUNTER_OF_STALLS, TRIGGER, NOT_ENABLED };

static const struct row {
	const char *name;
	uint32_t flags;		/* added */
	uint32_t without;	/* removed */
	uint8_t suppress;
	uint8_t resume;
	uint8_t preroll;
	uint8_t range;		/* enum softpt_range_kind */
	enum watch watch;
	bool live;
	bool held;		/* PSB+ come at anchors */
	bool refused;		/* all of it is given as events */
} rows[] = {
	{ .name = "defaults" },
	{ "live", .live = true },
	{ "live, PSB+ at anchors", .live = true, .held = true },
	{ "tnt64, PSB+ at anchors", .flags = SOFTPT_F_TNT64, .held = true },
	{ "tnt64", .flags = SOFTPT_F_TNT64 },
	{ "tnt64, live", .flags = SOFTPT_F_TNT64, .live = true },
	{ "retc=0", .without = SOFTPT_F_RETC },
	{ "tnt64, retc=0", .flags = SOFTPT_F_TNT64, .without = SOFTPT_F_RETC },
	{ "mtc=0", .without = SOFTPT_F_MTC },
	{ "tsc=0 mtc=0", .without = SOFTPT_F_TSC | SOFTPT_F_MTC },
	{ "os=0", .without = SOFTPT_F_OS },
	{ "suppressed MTCs", .suppress = 2, .resume = SOFTPT_RESUME_COUNT },
	{ "pre-roll", .suppress = 2, .resume = SOFTPT_RESUME_COUNT, .preroll = 2 },
	{ "a counter of stalls", .watch = COUNTER_OF_STALLS },
	{ "resume=tsc", .suppress = 2, .resume = SOFTPT_RESUME_TSC, .refused = true },
	{ "user=0", .without = SOFTPT_F_USER, .refused = true },
	{ "cyc=1", .flags = SOFTPT_F_CYC, .refused = true },
	{ "branch=0", .without = SOFTPT_F_BRANCH, .refused = true },
	{ "a filter", .range = SOFTPT_RANGE_FILTER, .refused = true },
	{ "a stop", .range = SOFTPT_RANGE_STOP, .refused = true },
	{ "a counter of packets", .watch = COUNTER_OF_TRACE, .refused = true },
	{ "a trigger", .watch = TRIGGER, .refused = true },
	{ "never enabled", .watch = NOT_ENABLED, .refused = true },
};

/* One unit gets events, the other as much in bulk as it takes. */
struct side {
	struct softpt_engine e;
	struct softpt_sink sink;
	uint8_t bytes[1 << 17];
};

static struct side single, bulk;
static struct softpt_event branches[BRANCHES];

static struct walk {
	uint64_t random;
	uint64_t tsc;
	uint64_t ip;
	uint64_t calls[DEPTH];
	unsigned int depth;
	bool far;		/* all targets need 9 bytes of TIP */
	uint64_t in_bulk;	/* branches */
	uint64_t untold;	/* direct jumps of them, which are not told */
	uint64_t over;		/* runs that wrote more than there was room for */
	uint64_t wrong;		/* runs that were done and must not be, and what is left over */
	uint64_t different;
} w;

static uint64_t draw(uint64_t below)
{
	return (kit_random(&w.random) >> 16) % below;
}

static void give(struct side *s, const struct softpt_event *ev)
{
	const char *why;

	if (softpt_engine_check(&s->e, ev, &why))
		kit_bail("an event of kind %u: %s", ev->kind, why);
	if (softpt_engine_event(&s->e, ev, &s->sink))
		kit_bail("more than %zu bytes", sizeof(s->bytes));
}

static void give_both(const struct softpt_event ev)
{
	give(&single, &ev);
	give(&bulk, &ev);
}

/* ---- units ---- */

static void count(struct softpt_engine *e, uint8_t event_class)
{
	struct softpt_escr escr = { .event_class = event_class, .mask = 0xffff, .usr = ~0u };
	struct softpt_counter counter = { .index = 0 };
	const char *why;

	while (softpt_set_escr(&e->counters, &escr, &why))
		if (++escr.index == SOFTPT_ESCRS)
			kit_bail("an ESCR: %s", why);
	counter.escr = escr.index;
	while (softpt_set_counter(&e->counters, &counter, &why))
		if (++counter.index == SOFTPT_COUNTERS)
			kit_bail("a counter: %s", why);
	softpt_count_control(e, 0, &(struct softpt_count_args){ .start = 1u << counter.index });
}

static void arm(struct softpt_engine *e)
{
	const struct softpt_trigger trigger = { .source = SOFTPT_ON_DEMAND, .nth = 1 };
	struct softpt_triggers set = { 0 };
	const char *why;

	if (softpt_set_trigger(&set, &trigger, &why))
		kit_bail("a trigger: %s", why);
	softpt_triggers_arm(e, &set);
}

static void begin_side(struct side *s, const struct row *row, uint8_t psb_freq)
{
	struct softpt_config config;

	softpt_config_default(&config);
	config.flags = (config.flags | row->flags) & ~row->without;
	config.psb_freq = psb_freq;
	config.suppress = row->suppress;
	if (row->suppress) {
		config.resume = row->resume;
		config.resume_value = row->resume == SOFTPT_RESUME_COUNT ? 5 : 0;
	}
	config.preroll = row->preroll;
	config.nr_ranges = !!row->range;
	config.range[0] = (struct softpt_range){
		.kind = row->range, .from = 0x402000, .to = 0x407fff,
	};
	softpt_engine_init(&s->e, &config);
	s->e.live = row->live;
	if (row->held)
		softpt_engine_hold_psb(&s->e);
	if (row->watch == COUNTER_OF_TRACE || row->watch == COUNTER_OF_STALLS)
		count(&s->e, row->watch == COUNTER_OF_TRACE ? SOFTPT_CLASS_TRACE :
							      SOFTPT_CLASS_STALLS);
	else if (row->watch == TRIGGER)
		arm(&s->e);
}

/* ---- branches ---- */

static uint64_t somewhere(void)
{
	switch (w.far ? 0 : draw(8)) {
	case 0:
		return kit_random(&w.random);
	case 1:
		return 0x7f0000000000 + draw(1 << 30);
	default:
		return 0x400000 + draw(1 << 16);
	}
}

static void draw_call(struct softpt_event *ev, uint16_t kind)
{
	ev->kind = kind;
	ev->len = ev->kind == SOFTPT_EV_CALL ? 5 : 2;
	if (ev->kind == SOFTPT_EV_CALL && !draw(8))
		ev->target = ev->ip + ev->len;
	else
		w.calls[w.depth++ % DEPTH] = ev->ip + ev->len;
}

/* Mostly to where it was called from */
static void draw_ret(struct softpt_event *ev)
{
	ev->kind = SOFTPT_EV_RET;
	if (w.depth && draw(8))
		ev->target = w.calls[--w.depth % DEPTH];
}

#define DIRECT	100

/* @bits conditional branches or so are between others; DIRECT: all are direct */
static void draw_branch(struct softpt_event *ev, uint64_t tsc, unsigned int bits)
{
	*ev = (struct softpt_event){
		.tsc = tsc, .kind = SOFTPT_EV_JCC, .ip = w.ip + draw(64), .target = somewhere(),
		.cpl = 3,
	};
	if (bits == DIRECT) {
		ev->kind = SOFTPT_EV_JMP;
		if (draw(4))
			draw_call(ev, SOFTPT_EV_CALL);
	} else if (draw(bits + 1)) {
		ev->flags = draw(3) ? SOFTPT_EVF_TAKEN : 0;
		if (draw(4))
			ev->flags |= SOFTPT_EVF_TARGET;
		else
			ev->target = ev->ip;
	} else if (draw(3)) {
		if (draw(2))
			draw_call(ev, draw(2) ? SOFTPT_EV_CALL : SOFTPT_EV_ICALL);
		else
			draw_ret(ev);
	} else {
		ev->kind = draw(2) ? SOFTPT_EV_JMP : SOFTPT_EV_IJMP;
	}
	w.ip = ev->target;
}

/* ---- in bulk ---- */

/* The branches at hand as runs of random length, and their numbers in order */
static struct softpt_run runs[BRANCHES + 1];
static struct softpt_run_op ops[BRANCHES * 2];
static uint32_t numbers[BRANCHES + 1];
static unsigned int first[BRANCHES + 2];	/* of each run: its first branch */
static unsigned int nr_runs, nr_ops;

static bool is_indirect(const struct softpt_event *ev)
{
	return ev->kind == SOFTPT_EV_RET || ev->kind == SOFTPT_EV_IJMP ||
	       ev->kind == SOFTPT_EV_ICALL;
}

static void put_op(struct softpt_run *r, uint64_t addr, uint8_t what)
{
	ops[nr_ops++] = (struct softpt_run_op){
		.addr = addr, .bits = r->bits, .nbits = r->nbits, .what = what,
	};
	r->nops++;
	r->bits = 0;
	r->nbits = 0;
	r->most += 10;
}

/* A branch within a run */
static void put_branch(struct softpt_run *r, const struct softpt_event *ev)
{
	r->events++;
	switch (ev->kind) {
	case SOFTPT_EV_JCC:
		r->bits = r->bits << 1 | !!(ev->flags & SOFTPT_EVF_TAKEN);
		r->nbits++;
		r->branches++;
		r->most++;
		break;
	case SOFTPT_EV_JMP:
		r->events--;		/* direct ones are not told */
		break;
	case SOFTPT_EV_CALL:
		if (ev->target == ev->ip + ev->len)
			r->events--;
		else
			put_op(r, ev->ip + ev->len, SOFTPT_RUN_CALL);
		break;
	case SOFTPT_EV_ICALL:
		put_op(r, ev->ip + ev->len, SOFTPT_RUN_ICALL);
		put_op(r, ev->target, SOFTPT_RUN_TIP);
		break;
	default:
		put_op(r, ev->target, ev->kind == SOFTPT_EV_RET ? SOFTPT_RUN_RET : SOFTPT_RUN_TIP);
	}
}

/* Return: branches of the run that begins with @ev; the last of them may wait for the next head. */
static unsigned int make_run(struct softpt_run *r, const struct softpt_event *ev, unsigned int n)
{
	const unsigned int limit = 1 + draw(draw(4) ? 8 : SOFTPT_RUN_BITS);
	const bool waits = draw(2);
	unsigned int i;

	*r = (struct softpt_run){
		.head = ev->ip, .op = nr_ops, .most = SOFTPT_RUN_BEFORE, .insns = draw(100),
	};
	for (i = 0; i < n && i < limit; i++) {
		if (waits && i + 1 < n && is_indirect(&ev[i])) {
			r->end = ev[i].kind;
			r->back = ev[i].ip + ev[i].len;
			r->on = ev[i].ip;
			return i + 1;
		}
		put_branch(r, &ev[i]);
		r->on = ev[i].target;
	}
	return i;
}

static void move(struct softpt_event *ev, uint64_t ip)
{
	ev->ip = ip;
	if (ev->kind == SOFTPT_EV_JCC && !(ev->flags & SOFTPT_EVF_TARGET))
		ev->target = ip;
}

static void make_runs(struct softpt_event *ev, unsigned int n)
{
	unsigned int i;

	nr_runs = 0;
	nr_ops = 0;
	for (i = 0; i < n; nr_runs++) {
		first[nr_runs] = i;
		numbers[nr_runs] = nr_runs;
		i += make_run(&runs[nr_runs], ev + i, n - i);
		/* Where an indirect branch went is the next head. */
		if (runs[nr_runs].end)
			move(&ev[i], ev[i - 1].target);
	}
	first[nr_runs] = n;
}

/* What the engine has not done as runs is done as events, a run at a time. */
static void give_bulk(const struct softpt_event *ev)
{
	uint8_t *const room = bulk.sink.end;
	struct softpt_runs r = { .run = runs, .op = ops };
	const uint8_t *from;
	uint32_t at = 0, done, i;

	while (at < nr_runs) {
		from = bulk.sink.cur;
		if (!draw(4))		/* now and then little room is left */
			bulk.sink.end = bulk.sink.cur + SOFTPT_GROUP_MAX + draw(300);
		r.nr = draw(4) ? nr_runs : draw(nr_runs + 1);	/* others are none */
		done = softpt_engine_run(&bulk.e, ev->tsc, &r, numbers + at, nr_runs - at,
					 &bulk.sink);
		w.over += bulk.sink.cur > bulk.sink.end;
		w.wrong += done && at + done > r.nr;
		for (i = at; i < at + done; i++)
			w.in_bulk += first[i + 1] - first[i];
		for (i = first[at]; i < first[at + done]; i++)
			w.untold += ev[i].kind == SOFTPT_EV_JMP ||
				    (ev[i].kind == SOFTPT_EV_CALL &&
				     ev[i].target == ev[i].ip + ev[i].len);
		w.wrong += !done && bulk.sink.cur != from;
		at += done;
		bulk.sink.end = room;
		if (done || at == nr_runs)
			continue;
		if (r.end)		/* it waited: it went to this head */
			give(&bulk, &ev[first[at] - 1]);
		i = first[at];
		r.end = runs[at].end;
		r.back = runs[at].back;
		while (i < first[at + 1] - !!r.end)
			give(&bulk, &ev[i++]);
		at++;
	}
	w.wrong += r.end;
}

/* ---- both ---- */

/* All that a unit knows is the same, but how many direct jumps there were. */
static bool are_same(void)
{
	static struct softpt_engine copy;
	size_t n = single.sink.cur - single.bytes;

	copy = bulk.e;
	copy.counts.events += w.untold;
	copy.mark = single.e.mark;
	return (size_t)(bulk.sink.cur - bulk.bytes) == n &&
	       !memcmp(single.bytes, bulk.bytes, n) && !memcmp(&copy, &single.e, sizeof(copy));
}

/* Events that no run can hold, and anchors; then the program runs on. */
static void between(const struct row *row)
{
	struct softpt_event ev;

	if (row->watch == NOT_ENABLED)
		return;
	kit_event(&w.random, &w.tsc, &ev);
	give_both(ev);
	if (!draw(8))
		give_both((struct softpt_event){
			.tsc = w.tsc, .kind = SOFTPT_EV_MODE, .arg = 16 << draw(3) });
	if (draw(2)) {
		give_both((struct softpt_event){
			.tsc = w.tsc += 20, .kind = SOFTPT_EV_ENABLE, .ip = w.ip });
		give_both((struct softpt_event){
			.tsc = w.tsc, .kind = SOFTPT_EV_FAR, .ip = w.ip, .target = w.ip,
			.cpl = 3 });
	}
	if (!draw(4) && (softpt_engine_anchor(&single.e, &single.sink) ||
			 softpt_engine_anchor(&bulk.e, &bulk.sink)))
		kit_bail("an anchor has no room");
}

static void burst(const struct row *row)
{
	unsigned int n = 1 + draw(draw(8) ? 20 : BRANCHES), i;
	unsigned int bits = draw(8) ? draw(24) : DIRECT;

	single.sink = (struct softpt_sink){ single.bytes, single.bytes + sizeof(single.bytes) };
	bulk.sink = (struct softpt_sink){ bulk.bytes, bulk.bytes + sizeof(bulk.bytes) };
	between(row);
	w.tsc += draw(draw(8) ? 2000 : 100000);
	w.far = !draw(4);
	for (i = 0; i < n; i++)
		draw_branch(&branches[i], w.tsc, bits);
	make_runs(branches, n);
	for (i = 0; i < n; i++)
		give(&single, &branches[i]);
	give_bulk(branches);
	w.different += !are_same();
}

static void judge(const struct row *row, uint8_t psb_freq)
{
	unsigned int i;

	w = (struct walk){ .random = psb_freq + 1, .ip = 0x400000 };
	begin_side(&single, row, psb_freq);
	begin_side(&bulk, row, psb_freq);
	for (i = 0; i < BURSTS && !w.different; i++)
		burst(row);
	kit_ok(!w.different, "%s, psb_freq=%u: %u bursts are what their events are", row->name,
	       psb_freq, i);
	kit_ok(!w.over && !w.wrong, "%s, psb_freq=%u: no run writes more than it has room for",
	       row->name, psb_freq);
	kit_ok(!w.in_bulk == row->refused, "%s, psb_freq=%u: %llu branches in bulk", row->name,
	       psb_freq, (unsigned long long)w.in_bulk);
}

/* ---- anchors ---- */

static size_t anchor(size_t room)
{
	struct softpt_sink sink = { single.bytes, single.bytes + room };
	int ret = softpt_engine_anchor(&single.e, &sink);

	return ret ? 0 : sink.cur - single.bytes;
}

static void judge_anchors(void)
{
	static const struct row row = { .watch = COUNTER_OF_TRACE };
	const struct softpt_counters *c = &single.e.counters;
	const struct softpt_counts *n = &single.e.counts;

	begin_side(&single, &row, 3);
	single.sink = (struct softpt_sink){ single.bytes, single.bytes + sizeof(single.bytes) };
	kit_ok(!anchor(SOFTPT_GROUP_MAX), "anchor: none of a unit that was never enabled");
	give(&single, &(struct softpt_event){ .tsc = 1000, .kind = SOFTPT_EV_ENABLE });
	kit_ok(!anchor(SOFTPT_GROUP_MAX - 1), "anchor: none without room");
	kit_ok(anchor(SOFTPT_GROUP_MAX) == SOFTPT_SIZE_TSC + SOFTPT_SIZE_TMA, "anchor: TSC, TMA");
	kit_ok(c->packets == n->packets, "anchor: a counter of packets has counted them");
	give(&single, &(struct softpt_event){ .tsc = 2000, .kind = SOFTPT_EV_SLEEP, .arg = 5000 });
	kit_ok(!anchor(SOFTPT_GROUP_MAX), "anchor: none while the clocks stand still");
}

int main(void)
{
	size_t i;

	judge_anchors();

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		judge(&rows[i], 0);
		judge(&rows[i], 3);
	}
	return kit_done();
}
