// SPDX-License-Identifier: BSD-2-Clause
/*
 * From every SE in every window back to the instructions: small programs by hand, then random
 * ones on a core of a few lines, whose path is the truth.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/lib/port/insn.h"
#include "userspace/lib/sim/port-emulate.h"
#include "selftests/kit/kit.h"

#define BASE	0x10000000u
#define WORDS	256
#define STEPS	6000
#define VECTOR	(BASE + 4 * 128)

struct truth {
	uint32_t addr;
	bool interrupt;
	bool counted;		/* CTR was counted down since it was moved */
};

struct scene {
	uint64_t seed;
	uint32_t code[WORDS];
	struct truth truth[STEPS + 1];
	uint64_t clock[STEPS + 1];	/* of each, as executed */
	size_t steps;
	uint8_t *file;
	size_t len, alloc;
	struct port port;
	struct port_buffer buffer;
	bool no_counts;		/* no branch counts CTR down */
};

struct tally {
	uint64_t walks, instructions, ends[32], wrong, te, inferred, misled;
};

static uint64_t below(struct scene *s, uint64_t n)
{
	/* splitmix64 */
	uint64_t z = s->seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % n;
}

static int keep(void *context, const void *bytes, size_t len)
{
	struct scene *s = context;

	if (s->len + len > s->alloc) {
		s->alloc = (s->len + len) * 2;
		s->file = realloc(s->file, s->alloc);
	}
	memcpy(s->file + s->len, bytes, len);
	s->len += len;
	return 0;
}

static int read_word(void *context, uint32_t addr, uint32_t *insn)
{
	const struct scene *s = context;

	if (addr < BASE || addr >= BASE + 4 * WORDS)
		return -1;
	*insn = s->code[(addr - BASE) / 4];
	return 0;
}

/* ---- random programs ---- */

static uint32_t random_insn(struct scene *s, unsigned int at)
{
	static const uint32_t registers[] = {
		0x4e800020,	/* blr */
		0x4e800021,	/* blrl */
		0x4d820020,	/* beqlr */
		0x4d820420,	/* beqctr */
		0x4d820421,	/* beqctrl */
		0x7c6803a6,	/* mtlr r3 */
		0x7c6803a6,
		0x7c6903a6,	/* mtctr r3 */
		0x7c6903a6,
	};
	uint32_t to = ((uint32_t)below(s, WORDS) - at) * 4;

	if (at == WORDS - 1)
		return 0x48000000 | (to & 0x3fffffc);		/* b */
	switch (below(s, 12)) {
	case 0:
		return 0x48000000 | (to & 0x3fffffc) | below(s, 2);	/* b, bl */
	case 1 ... 2:
		return 0x41820000 | (to & 0xfffc);		/* beq */
	case 3:
		if (!s->no_counts)
			return 0x42000000 | (to & 0xfffc);	/* bdnz */
		break;
	case 4 ... 6:
		return registers[below(s, 9)];
	}
	return 0x60000000;					/* nop */
}

/* A core: registers as the truth has them */
struct core {
	uint32_t addr, lr, ctr;
	bool counted;
	uint64_t now;
};

static void event(struct scene *s, const struct core *c, uint16_t kind, uint32_t target, bool taken)
{
	struct softpt_event ev = {
		.tsc = c->now, .kind = kind, .ip = c->addr, .target = target,
		.flags = kind != SOFTPT_EV_JCC ? 0 :
			 SOFTPT_EVF_TARGET | (taken ? SOFTPT_EVF_TAKEN : 0),
		.arg = kind == SOFTPT_EV_RETIRE ? 1 : kind == SOFTPT_EV_INTR ? 5 :
		       kind == SOFTPT_EV_LR ? c->lr : kind == SOFTPT_EV_CTR ? c->ctr : target,
	};
	const char *why;

	if (kind == SOFTPT_EV_MTLR || kind == SOFTPT_EV_MTCTR)
		ev.flags = SOFTPT_EVF_IP;
	if (port_event(&s->port, &ev, &why))
		kit_bail("event refused: %s", why);
}

static void branch(struct scene *s, struct core *c, const struct ppc_flow *in)
{
	uint32_t target = in->kind == PPC_BRANCH ? in->target : in->kind == PPC_BRANCH_LR ? c->lr :
			  c->ctr & ~3u;
	bool taken = in->always || below(s, 2);
	uint32_t word;

	if (in->counts) {
		c->ctr--;
		c->counted = true;
		taken = c->ctr;
	}
	if (!in->always && read_word(s, target, &word))
		taken = false;
	/* A call that is not taken writes LR, and no event says so. */
	event(s, c, in->always && in->link ? SOFTPT_EV_CALL : SOFTPT_EV_JCC, target, taken);
	if (in->counts)
		event(s, c, SOFTPT_EV_CTR, 0, false);
	if (in->link) {
		c->lr = c->addr + 4;
		event(s, c, SOFTPT_EV_LR, 0, false);
	}
	c->addr = taken ? target : c->addr + 4;
}

static void execute(struct scene *s, struct core *c)
{
	uint32_t word = 0, value = BASE + 4 * below(s, WORDS);
	struct ppc_flow in;

	read_word(s, c->addr, &word);
	in = ppc_decode(c->addr, word);
	s->truth[s->steps++] = (struct truth){ .addr = c->addr, .counted = c->counted };
	switch (in.kind) {
	case PPC_OTHER:
		event(s, c, SOFTPT_EV_RETIRE, 0, false);
		c->addr += 4;
		break;
	case PPC_MTLR:
		event(s, c, SOFTPT_EV_MTLR, value, false);
		c->lr = value;
		c->addr += 4;
		break;
	case PPC_MTCTR:
		value = s->no_counts || below(s, 3) ? value : below(s, 20) + 1;
		event(s, c, SOFTPT_EV_MTCTR, value, false);
		c->ctr = value;
		c->counted = false;
		c->addr += 4;
		break;
	default:
		branch(s, c, &in);
	}
}

static void step(struct scene *s, struct core *c, bool exceptions)
{
	c->now += below(s, 3) ? below(s, 2) : below(s, 30) ? 0 : below(s, 300);
	if (!below(s, 40))
		event(s, c, SOFTPT_EV_TRIG, 1, false);
	if (!below(s, 100))
		event(s, c, SOFTPT_EV_PSB, 0, false);
	if (exceptions && !below(s, 60)) {
		s->truth[s->steps++] = (struct truth){ .addr = c->addr, .interrupt = true };
		event(s, c, SOFTPT_EV_INTR, VECTOR, false);
		c->addr = VECTOR;
	} else {
		execute(s, c);
	}
}

/* A program, and a port for it */
static void begin(struct scene *s, uint64_t seed)
{
	struct softpt_port_config cfg;
	unsigned int i;

	s->seed = seed;
	s->steps = 0;
	s->len = 0;
	for (i = 0; i < WORDS; i++)
		s->code[i] = random_insn(s, i);
	cfg.se_period = 128 + below(s, 500);
	cfg.fifo = below(s, 2) ? 8 : 1 + below(s, 20);
	port_init(&s->port, &cfg, keep, s);
}

/* And what it runs */
static void run(struct scene *s)
{
	struct core c = { .addr = BASE, .lr = BASE, .now = 1000 };
	bool exceptions = below(s, 2);

	event(s, &c, SOFTPT_EV_LR, 0, false);
	while (s->steps < STEPS)
		step(s, &c, exceptions);
	if (port_finish(&s->port))
		kit_bail("port_finish");
}

static void make(struct scene *s, uint64_t seed)
{
	*s = (struct scene){ 0 };
	begin(s, seed);
	run(s);
}

/* ---- decoded ---- */

static const struct softpt_port_code all_code = { BASE, BASE + 4 * WORDS };

/* When each executed: ES alone, no code and no addresses */
static void find_clocks(struct scene *s, const struct softpt_port *p)
{
	struct softpt_port_symbol sym = { 0 };
	size_t n = 0;

	while (softpt_port_next(p, &sym)) {
		unsigned int i = sym.es & 4 ? 2 : sym.es ? 1 : 0;

		if (sym.ts == SOFTPT_TS_RESERVED)
			kit_bail("TS 0001 is never sent");

		while (i-- && n < s->steps)
			s->clock[n++] = sym.clock;
	}
	if (n != s->steps)
		kit_bail("%zu executed, %zu in ES", s->steps, n);
}

/* The first that executes in a clock or later */
static size_t truth_at(const struct scene *s, uint64_t clock)
{
	size_t lo = 0, hi = s->steps;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->clock[mid] < clock)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool may_end(const struct scene *s, unsigned int reason, size_t at, size_t walked)
{
	switch (reason) {
	case SOFTPT_PORT_END:
	case SOFTPT_PORT_NOT_SENT:
	case SOFTPT_PORT_BEFORE:
	case SOFTPT_PORT_NO_CLOCK:
		return true;
	case SOFTPT_PORT_CTR_COUNTED:
		return s->truth[at].counted;
	case SOFTPT_PORT_NO_LR:
	case SOFTPT_PORT_NO_CTR:
		return walked < 4 * 64;		/* until the SE has sent them */
	}
	return false;
}

static uint8_t kind_of(const struct truth *t)
{
	return t->interrupt ? SOFTPT_PORT_ROW_INTERRUPT : SOFTPT_PORT_ROW_INSN;
}

static void walk(struct scene *s, const struct softpt_port *p, const struct softpt_port_se *se,
		 struct tally *t)
{
	struct softpt_port_walk *w = softpt_port_walk_new(p, se, read_word, s);
	size_t first = truth_at(s, se->clock), at = first;
	struct softpt_port_row row;
	unsigned int reason;
	uint64_t clock;
	uint32_t addr;
	uint64_t steps = 1 << 22;

	softpt_port_walk_in(w, &all_code, 1, &steps);
	while (softpt_port_walk_next(w, &row)) {
		t->te += row.kind == SOFTPT_PORT_ROW_TE && at > first;
		if (row.kind == SOFTPT_PORT_ROW_TE)
			continue;
		if (at == s->steps || row.addr != s->truth[at].addr || row.clock != s->clock[at] ||
		    row.kind != kind_of(&s->truth[at])) {
			t->wrong += !row.inferred;
			t->misled += row.inferred;
			softpt_port_walk_free(w);
			return;
		}
		t->inferred += row.inferred;
		at++;
	}
	reason = softpt_port_walk_end(w, &clock, &addr);
	t->ends[reason]++;
	t->walks++;
	t->instructions += at - first;
	if (!may_end(s, reason, at < s->steps ? at : s->steps - 1, at - first)) {
		kit_note("seed: se %llu: %s after %zu", (unsigned long long)se->clock,
			 softpt_port_reason(reason), at - first);
		t->wrong++;
	}
	softpt_port_walk_free(w);
}

static void check(struct scene *s, const struct softpt_port *p, struct tally *t)
{
	struct softpt_port_symbol at = { 0 };
	struct softpt_port_se se;

	while (softpt_port_next_se(p, &at, &se))
		walk(s, p, &se, t);
}

static void test_random(unsigned int scenes)
{
	static struct scene s;
	struct tally t = { 0 };
	struct softpt_port p, window;
	uint64_t offset, i, k, stalls = 0;

	for (i = 1; i <= scenes; i++) {
		make(&s, i);
		stalls += s.port.counts.stalls;
		if (softpt_port_open(&p, s.file, s.len, &offset))
			kit_bail("softpt_port_open");
		find_clocks(&s, &p);
		check(&s, &p, &t);
		for (k = 0; k < 5; k++) {
			uint64_t from = p.clock + below(&s, p.end - p.clock);

			softpt_port_window(&p, from, from + below(&s, p.end - from + 1), &window);
			check(&s, &window, &t);
		}
		free(s.file);
	}
	kit_ok(!t.wrong, "%llu instructions in %llu walks from SEs",
	       (unsigned long long)t.instructions, (unsigned long long)t.walks);
	kit_ok(t.inferred > 1000 && t.misled * 100000 <= t.walks, "%llu inferred, %llu walks astray",
	       (unsigned long long)t.inferred, (unsigned long long)t.misled);
	/* What a clock begins with is sent, whatever it writes: 8 in a hundred without that */
	kit_ok((t.ends[SOFTPT_PORT_NO_LR] + t.ends[SOFTPT_PORT_NO_CTR]) * 1000 < t.walks * 75,
	       "few walks end for want of LR or CTR");
	kit_ok(t.te > 1000, "TE in the walk: %llu", (unsigned long long)t.te);
	for (i = 0; i < 32; i++)
		if (t.ends[i])
			kit_note("%llu: %s", (unsigned long long)t.ends[i], softpt_port_reason(i));
	kit_ok(stalls && t.instructions > 100000, "%llu stalls", (unsigned long long)stalls);
	kit_ok(t.ends[SOFTPT_PORT_CTR_COUNTED] && t.ends[SOFTPT_PORT_NOT_SENT] &&
	       t.ends[SOFTPT_PORT_END], "walks end for each reason that they may have");
}

/* ---- figure 8: what is before a TE ---- */

struct history {
	struct scene *s;
	uint64_t buffers, late, wrong, open, short_fixed;
};

/* Up to which clock a walk from an SE says what ran. Return: false: it says something else */
static bool reach(struct scene *s, const struct softpt_port *p, const struct softpt_port_se *se,
		  uint64_t *to)
{
	struct softpt_port_walk *w = softpt_port_walk_new(p, se, read_word, s);
	size_t at = truth_at(s, se->clock);
	struct softpt_port_row row;
	uint64_t steps = 1 << 22;
	bool right = true;
	uint32_t addr;

	softpt_port_walk_in(w, &all_code, 1, &steps);
	while (right && softpt_port_walk_next(w, &row))
		if (row.kind != SOFTPT_PORT_ROW_TE) {
			right = at < s->steps && row.addr == s->truth[at].addr &&
				row.clock == s->clock[at];
			at++;
		}
	softpt_port_walk_end(w, to, &addr);
	softpt_port_walk_free(w);
	return right;
}

/* A buffer has stopped: from its first SE on all is known up to the TE, and it is early enough. */
static int judge(void *context, const struct port_fragment *f)
{
	struct history *h = context;
	struct softpt_port p = {
		.buf = f->bytes, .len = f->len, .clock = f->clock, .end = f->end,
	};
	struct softpt_port_symbol at = { 0 };
	struct softpt_port_se se = { 0 };
	uint64_t to = 0;

	if (!f->has_te || !f->whole || f->clock == h->s->buffer.first)
		return 0;
	h->buffers++;
	while (softpt_port_next_se(&p, &at, &se) && se.clock < f->clock)
		;	/* sent in the buffer, and from before it */
	if (se.clock != f->clock ||
	    f->te - se.clock < h->s->buffer.history)
		h->late++;
	else if (!reach(h->s, &p, &se, &to))
		h->wrong++;
	else if (to <= f->te)
		h->open++;
	return 0;
}

/* What a buffer of m intervals and no more would have, and how far it is from a guarantee */
static bool is_fixed_short(struct scene *s, const struct softpt_port *p, uint64_t m)
{
	uint64_t depth = m * s->port.cfg.se_period, from, to = 0;
	struct softpt_port_symbol at = { 0 };
	struct softpt_port window;
	struct softpt_port_se se;

	if (p->end - p->clock < 2 * depth)
		return false;
	from = p->clock + below(s, p->end - p->clock - depth);
	softpt_port_window(p, from, from + depth, &window);
	return !softpt_port_next_se(&window, &at, &se) || !reach(s, &window, &se, &to) ||
	       to - se.clock < depth - s->port.cfg.se_period;
}

static void test_history(uint64_t buffers)
{
	static struct scene s;
	struct history h = { .s = &s };
	struct softpt_port p;
	uint64_t offset, seed, m;

	for (seed = 1; h.buffers < buffers; seed++) {
		free(s.file);
		s = (struct scene){ .no_counts = true };
		begin(&s, seed);
		run(&s);
		if (softpt_port_open(&p, s.file, s.len, &offset))
			kit_bail("softpt_port_open");
		find_clocks(&s, &p);
		m = 2 + below(&s, 4);
		h.short_fixed += is_fixed_short(&s, &p, m);
		s.buffer = (struct port_buffer){ .nth = 1 + below(&s, 9) };
		s.buffer.history = (m - 1) * s.port.cfg.se_period;
		s.buffer.depth = below(&s, 2) ? m * s.port.cfg.se_period : 0;
		s.buffer.after = below(&s, 300);
		begin(&s, seed);
		s.port.context = &h;
		s.port.freeze = judge;
		s.port.buffer = &s.buffer;
		run(&s);
		port_buffer_free(&s.buffer);
	}
	free(s.file);
	kit_note("%llu of %llu buffers of just m intervals are short",
		 (unsigned long long)h.short_fixed, (unsigned long long)seed - 1);
	kit_ok(!h.late, "%llu wrapped buffers begin m - 1 intervals before the TE",
	       (unsigned long long)h.buffers);
	kit_ok(!h.wrong && !h.open, "and are read up to it (%llu wrong, %llu unknown)",
	       (unsigned long long)h.wrong, (unsigned long long)h.open);
}

/* Any bytes: every SE in them is walked, and ends. */
static void test_hostile(void)
{
	static struct scene s;
	struct softpt_port_symbol at = { 0 };
	struct softpt_port_row row;
	struct softpt_port_se se;
	struct softpt_port p;
	uint64_t offset, rows = 0;
	size_t i, n, walks = 0;

	make(&s, 99);
	for (i = 0; i < 3000; i++) {
		for (n = 0; n < 20; n++)
			s.file[32 + below(&s, s.len - 32)] = below(&s, 128);
		if (softpt_port_open(&p, s.file, s.len, &offset))
			continue;
		at = (struct softpt_port_symbol){ 0 };
		while (softpt_port_next_se(&p, &at, &se)) {
			struct softpt_port_walk *w = softpt_port_walk_new(&p, &se, read_word, &s);

			while (softpt_port_walk_next(w, &row) && rows < 1ull << 32)
				rows++;
			softpt_port_walk_free(w);
			walks++;
		}
	}
	kit_ok(walks > 100, "damaged: %zu walks end", walks);
	free(s.file);
}

/* Enough for a guess that is taken for confirmed to show; what ASan looks for needs fewer. */
#ifdef __SANITIZE_ADDRESS__
#define SCENES	40
#define BUFFERS	1000
#else
#define SCENES	160
#define BUFFERS	3000
#endif

int main(int argc, char **argv)
{
	test_random(argc > 1 ? atoi(argv[1]) : SCENES);
	test_history(argc > 1 ? 0 : BUFFERS);
	test_hostile();
	return kit_done();
}
