// SPDX-License-Identifier: BSD-2-Clause
/*
 * Paths as runs: a unit whose records are fused writes what one writes that takes each exit by
 * itself, and is in the same state then. The exits are random, and what follows an exit is mostly
 * what followed it before.
 */
#include <string.h>
#include <sys/mman.h>

#include <softpt/params.h>

#include "kmod/x86/decode.h"
#include "userspace/lib/source/runs.h"
#include "userspace/lib/source/translate.h"
#include "userspace/lib/sim/sim.h"
#include "selftests/kit/kit.h"

#define EXITS		40
#define OPS		250	/* of an exit, at most */
#define WORDS		200
#define ROUNDS		400
#define BACKS		5	/* addresses that calls return to */

static char *area;
static uint64_t state;

struct side {
	struct xl_runs runs;
	struct xl_unit unit;
	uint8_t bytes[64 << 20];
	size_t n;
};

static struct side single, fused;

static uint64_t draw(uint64_t below)
{
	return (kit_random(&state) >> 16) % below;
}

static struct softpt_xl_process *process(void)
{
	return (void *)area;
}

/* ---- descriptions ---- */

/* Mostly near each other, as code is */
static uint32_t somewhere(void)
{
	if (draw(16))
		return 0x401000 + draw(0x8000);
	return draw(4) ? 0x1c900000 + draw(1 << 24) : SOFTPT_XL_FAR + draw(1 << 22);
}

static uint32_t back(void)
{
	return 0x402000 + 0x10 * draw(BACKS);
}

static void write_ops(struct softpt_xl_exit *x, struct softpt_xl_op *op, unsigned int calls,
		      unsigned int most)
{
	static const uint8_t others[] = { SOFTPT_X86_RET, SOFTPT_X86_IJMP, SOFTPT_X86_ICALL };
	unsigned int n = draw(most), bits = 0, kind;

	while (x->nops < n) {
		bits += draw(most > 5 ? 2 : 12);
		bits = bits > 58 ? 58 : bits;
		kind = draw(10) < calls ? SOFTPT_X86_CALL : others[draw(3)];
		if (kind == SOFTPT_X86_CALL || kind == SOFTPT_X86_ICALL)
			op[x->nops++] = (struct softpt_xl_op){
				.addr = back(), .bits = bits, .kind = kind, .push = 1,
			};
		if (kind != SOFTPT_X86_CALL)
			op[x->nops++] = (struct softpt_xl_op){
				.addr = kind == SOFTPT_X86_RET ? back() : somewhere(),
				.bits = bits, .kind = kind,
			};
	}
	x->nbits = bits + draw(draw(8) && bits < 50 ? 8 : 59 - bits);
}

static void write_exits(unsigned int calls, unsigned int most)
{
	static const uint8_t kinds[] = {
		SOFTPT_X86_JCC, SOFTPT_X86_JMP, SOFTPT_X86_RET, SOFTPT_X86_RET, SOFTPT_X86_IJMP,
		SOFTPT_X86_ICALL,
	};
	struct softpt_xl_exit *exits = (void *)(area + SOFTPT_XL_EXITS_AT);
	struct softpt_xl_op *ops = (void *)(area + SOFTPT_XL_OPS_AT);
	unsigned int i;

	for (i = 0; i < EXITS; i++) {
		exits[i] = (struct softpt_xl_exit){
			.bits = kit_random(&state), .op = i * OPS, .insns = draw(100),
			.head = draw(2) ? back() : somewhere(), .last = somewhere(), .len = 2,
			.nsteps = 1, .kind = kinds[draw(sizeof(kinds))],
		};
		write_ops(&exits[i], &ops[i * OPS], calls, most);
		/* Half of the indirect calls return to where returns go. */
		if (exits[i].kind == SOFTPT_X86_ICALL && draw(2))
			exits[i].last = back() - 2;
		if (exits[i].kind == SOFTPT_X86_JCC)
			exits[i].to = somewhere();
	}
	process()->exits = EXITS;
	process()->flushes++;
}

/* ---- two units ---- */

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct side *s = ctx;

	if (len > sizeof(s->bytes) - s->n)
		kit_bail("more than %zu bytes", sizeof(s->bytes));
	memcpy(s->bytes + s->n, buf, len);
	s->n += len;
	return 0;
}

static void begin(struct side *s, const struct softpt_config *cfg, bool fuses)
{
	const struct sim_output out = { .bytes = put_bytes, .ctx = s };

	s->n = 0;
	s->runs.fuses = fuses && s->runs.fuses;
	s->unit = (struct xl_unit){ .runs = &s->runs, .tid = 1, .sim = sim_new(cfg, &out) };
	if (!s->unit.sim)
		kit_bail("memory for a unit");
	sim_live(s->unit.sim);
	sim_hold_psb(s->unit.sim);
	xl_unit_begin(&s->unit, 0x400000, 1000);
}

/* All that a reader can see: entries above the top of the stack of returns are nobody's. */
static bool is_same(void)
{
	const struct softpt_engine *a = sim_engine(single.unit.sim);
	const struct softpt_engine *b = sim_engine(fused.unit.sim);
	unsigned int i;

	for (i = 0; i < a->ret.n; i++)
		if (a->ret.ip[(a->ret.top - 1 - i) % SOFTPT_RET_DEPTH] !=
		    b->ret.ip[(b->ret.top - 1 - i) % SOFTPT_RET_DEPTH])
			return false;
	return a->ret.n == b->ret.n && a->tnt == b->tnt && a->ntnt == b->ntnt &&
	       a->last_ip == b->last_ip && a->tnt_bits == b->tnt_bits &&
	       a->context.ip == b->context.ip &&
	       !memcmp(&a->counts, &b->counts, sizeof(a->counts)) &&
	       single.unit.branches == fused.unit.branches &&
	       single.unit.cycles == fused.unit.cycles && single.unit.kind == fused.unit.kind &&
	       single.unit.ip == fused.unit.ip && single.unit.err == fused.unit.err;
}

static void give(struct side *s, const uint32_t *words, unsigned int n)
{
	if (xl_unit_exits(&s->unit, words, words + n) != words + n)
		kit_bail("a record is refused: %d", s->unit.err);
}

/* What comes behind an exit: one of two, mostly the first */
static void draw_words(uint32_t *words, const uint32_t (*next)[2], uint32_t *at)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++) {
		words[i] = *at;
		*at = draw(40) ? next[*at][!draw(16)] : draw(EXITS);
	}
}

/* @calls: of ten operations; @most: operations of an exit */
static void judge(const char *name, const struct softpt_config *cfg, unsigned int calls,
		  unsigned int most)
{
	uint32_t words[WORDS], next[EXITS][2], at = 0;
	unsigned int i, k, rounds;
	uint64_t paths = 0;
	bool same = true;

	for (i = 0; i < 40 && same; i++) {
		write_exits(calls, most);
		for (k = 0; k < 2 * EXITS; k++)
			next[k / 2][k % 2] = draw(EXITS);
		begin(&single, cfg, false);
		begin(&fused, cfg, true);
		for (rounds = 0; rounds < ROUNDS && same; rounds++) {
			draw_words(words, next, &at);
			give(&single, words, WORDS);
			give(&fused, words, WORDS);
			same = is_same();
		}
		xl_unit_end(&single.unit, 2000);
		xl_unit_end(&fused.unit, 2000);
		same = same && single.n == fused.n && !memcmp(single.bytes, fused.bytes, single.n);
		paths += fused.runs.nr_paths;
		sim_free(single.unit.sim);
		sim_free(fused.unit.sim);
	}
	kit_ok(same, "%s: fused, the same packets", name);
	kit_ok(paths > (most > 50 ? 0 : 100), "%s: %llu paths", name, (unsigned long long)paths);
}

int main(void)
{
	struct softpt_config cfg;

	area = mmap(NULL, SOFTPT_XL_AREA, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	softpt_config_default(&cfg);
	cfg.flags &= ~(SOFTPT_F_OS | SOFTPT_F_MTC);
	if (area == MAP_FAILED || xl_runs_init(&single.runs, process(), &cfg) ||
	    xl_runs_init(&fused.runs, process(), &cfg))
		kit_bail("memory");
	judge("as many calls as returns", &cfg, 4, 5);
	judge("more returns", &cfg, 1, 5);
	judge("more calls", &cfg, 8, 5);
	judge("long exits", &cfg, 5, OPS - 1);
	judge("long exits, mostly calls", &cfg, 9, 60);
	return kit_done();
}
