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
	uint64_t over;		/* runs that wrote more than was said */
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

/* Bytes that @n branches of a kind may write */
static uint64_t most(const struct softpt_event *ev, unsigned int n)
{
	switch (ev->kind) {
	case SOFTPT_EV_JCC:
		return n;
	case SOFTPT_EV_JMP:
	case SOFTPT_EV_CALL:
		return 0;
	default:
		return 10;
	}
}

/* Conditional branches in a row, but not more than fit one call */
static unsigned int row_of_bits(const struct softpt_event *ev, const struct softpt_event *end,
				uint64_t *bits)
{
	const unsigned int limit = 1 + draw(63);
	unsigned int n = 0;

	*bits = kit_random(&w.random);		/* those above are nobody's */
	for (; ev < end && n < limit && ev->kind == SOFTPT_EV_JCC; ev++, n++)
		*bits = *bits << 1 | !!(ev->flags & SOFTPT_EVF_TAKEN);
	return n;
}

static void tell(const struct softpt_event *ev, uint64_t bits, unsigned int n)
{
	switch (ev->kind) {
	case SOFTPT_EV_JCC:
		softpt_engine_run_bits(&bulk.e, bits, n, &bulk.sink);
		break;
	case SOFTPT_EV_JMP:
		w.untold++;
		break;
	case SOFTPT_EV_CALL:
		if (ev->target == ev->ip + ev->len)
			w.untold++;
		else
			softpt_engine_run_call(&bulk.e, ev->ip + ev->len);
		break;
	default:
		give(&bulk, ev);
	}
}

/* Return: the first branch that was not told */
static const struct softpt_event *run(const struct softpt_event *ev, const struct softpt_event *end)
{
	uint8_t *const from = bulk.sink.cur, *const room = bulk.sink.end;
	uint64_t left, bits, cost, said;
	unsigned int n;

	if (!draw(4))		/* now and then little room is left */
		bulk.sink.end = bulk.sink.cur + SOFTPT_GROUP_MAX + draw(300);
	said = softpt_engine_run_begin(&bulk.e, ev->tsc, &bulk.sink);
	left = said > SOFTPT_RUN_BEFORE ? said - SOFTPT_RUN_BEFORE : 0;
	for (; left && ev < end; ev += n, left -= cost) {
		n = row_of_bits(ev, end, &bits);
		cost = most(ev, n);
		n = n ? n : 1;
		if (cost > left)
			break;
		if (!draw(8))
			softpt_engine_run_bits(&bulk.e, bits, 0, &bulk.sink);
		tell(ev, bits, n);
		w.in_bulk += n;
		softpt_engine_run_end(&bulk.e, ev[n - 1].target);
	}
	w.over += bulk.sink.cur > from + said;
	bulk.sink.end = room;
	return ev;
}

static void give_bulk(const struct softpt_event *ev, const struct softpt_event *end)
{
	const struct softpt_event *next;

	for (; ev < end; ev = next) {
		next = run(ev, end);
		if (next == ev)
			give(&bulk, next++);
	}
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
	for (i = 0; i < n; i++) {
		draw_branch(&branches[i], w.tsc, bits);
		give(&single, &branches[i]);
	}
	give_bulk(branches, branches + n);
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
	kit_ok(!w.over, "%s, psb_freq=%u: no run writes more than it said", row->name, psb_freq);
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
