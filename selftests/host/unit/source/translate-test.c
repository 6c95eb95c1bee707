// SPDX-License-Identifier: BSD-2-Clause
/*
 * A translated program may write anything into what it shares with its recorder, at any time: no
 * record has the recorder read elsewhere, or work without end, or say anything but that the
 * records are broken.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <softpt/params.h>

#include "kmod/x86/decode.h"
#include "userspace/lib/source/runs.h"
#include "userspace/lib/source/share.h"
#include "userspace/lib/source/translate.h"
#include "userspace/lib/sim/sim.h"
#include "selftests/kit/kit.h"

#define WORDS		64
#define ROUNDS		4000
#define EXITS		16	/* at both ends of their table; so are the others */
#define STEPS		1024
#define OPS		1024
#define LAG		8	/* bytes that are others at a time */
/* A branch of 10 bytes for each step of the longest path, and the anchors of an escape */
#define BYTES_MAX	(10 * SOFTPT_XL_PATH + 1024)
/* And the MTCs of its instructions */
#define MTCS_MAX	(160 * SOFTPT_XL_PATH)

static char *area;
static uint64_t state;
static bool over;

static uint64_t draw(uint64_t below)
{
	return (kit_random(&state) >> 16) % below;
}

/* ---- the area of a process ---- */

static void open_part(uint64_t at, uint64_t size)
{
	if (mprotect(area + at, size, PROT_READ | PROT_WRITE))
		kit_bail("memory of an area");
}

/* Whoever reads what is none of the tables dies of it. */
static void open_area(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	area = mmap(NULL, 2 * SOFTPT_XL_AREA, PROT_NONE, flags, -1, 0);
	if (area == MAP_FAILED)
		kit_bail("an area");
	area += SOFTPT_XL_AREA / 2;
	open_part(0, (sizeof(struct softpt_xl_process) + 4095) & ~4095ul);
	open_part(SOFTPT_XL_EXITS_AT, SOFTPT_XL_EXITS * sizeof(struct softpt_xl_exit));
	open_part(SOFTPT_XL_STEPS_AT, SOFTPT_XL_STEPS * sizeof(struct softpt_xl_step));
	open_part(SOFTPT_XL_OPS_AT, SOFTPT_XL_OPS * sizeof(struct softpt_xl_op));
}

static struct softpt_xl_process *process(void)
{
	return (void *)area;
}

/* One of the first @n or the last @n of a table of @size */
static uint32_t near_end(uint32_t size, uint32_t n)
{
	return draw(2) ? draw(n) : size - 1 - draw(n);
}

/* Mostly a number that means something */
static uint64_t number(uint64_t max)
{
	static const uint64_t odd[] = {
		0, 1, 58, 59, 63, 64, 130, 131, 255, 0xfffe, 0xffff, 0x7fffffff, 0xfffffffe,
		0xffffffff, SOFTPT_XL_STEPS - 1, SOFTPT_XL_STEPS, SOFTPT_XL_OPS - 1, SOFTPT_XL_OPS,
		1ull << 54, 1ull << 55, 0xff00000000000000, UINT64_MAX,
	};

	if (!draw(6))
		return kit_random(&state);
	return draw(6) ? draw(max) : odd[draw(sizeof(odd) / sizeof(odd[0]))];
}

static void write_exit(bool sane)
{
	struct softpt_xl_exit *x = (void *)(area + SOFTPT_XL_EXITS_AT);

	x[near_end(SOFTPT_XL_EXITS, EXITS)] = (struct softpt_xl_exit){
		.bits = kit_random(&state), .head = kit_random(&state), .last = kit_random(&state),
		.to = draw(2) ? kit_random(&state) : 0,
		.first = draw(8) ? near_end(SOFTPT_XL_STEPS, STEPS) : number(STEPS),
		.op = draw(8) ? near_end(SOFTPT_XL_OPS, OPS) : number(OPS),
		.insns = number(300), .nsteps = sane ? 1 + draw(4) : number(8),
		.nops = sane ? draw(4) : number(6), .nbits = sane ? draw(58) : number(62),
		.kind = number(sane ? SOFTPT_X86_SHORT : 255), .len = number(16),
		.taken = number(2),
	};
}

static void write_step(void)
{
	struct softpt_xl_step *s = (void *)(area + SOFTPT_XL_STEPS_AT);

	s[near_end(SOFTPT_XL_STEPS, STEPS)] = (struct softpt_xl_step){
		.addr = number(UINT32_MAX), .target = number(UINT32_MAX),
		.last = number(UINT32_MAX), .lens = number(SOFTPT_XL_LENS), .insns = number(60),
		.kind = number(SOFTPT_X86_SHORT + 1), .len = number(16), .taken = number(2),
	};
}

static void write_op(bool sane)
{
	static const uint8_t kinds[] = { SOFTPT_X86_RET, SOFTPT_X86_IJMP, SOFTPT_X86_ICALL };
	struct softpt_xl_op *op = (void *)(area + SOFTPT_XL_OPS_AT);

	op[near_end(SOFTPT_XL_OPS, OPS)] = (struct softpt_xl_op){
		.addr = number(UINT32_MAX), .bits = number(60),
		.kind = sane ? kinds[draw(3)] : number(255), .push = draw(2),
	};
}

/* @sane: what the runtime may write, but for a few */
static void write_tables(unsigned int n, bool sane)
{
	while (n--) {
		bool one = sane && draw(100);

		process()->far[near_end(SOFTPT_XL_PIECES, STEPS)] = kit_random(&state);
		write_exit(one);
		write_step();
		write_op(one);
	}
	process()->exits = draw(4) ? SOFTPT_XL_EXITS : number(2 * EXITS);
}

/* ---- records ---- */

/* Return: words behind its first */
static unsigned int draw_escape(uint32_t *to, uint64_t tsc)
{
	static const uint16_t what[] = {
		SOFTPT_XL_GO_ON, 11, SOFTPT_XL_THREAD, SOFTPT_XL_CALL, SOFTPT_XL_RETURN,
		SOFTPT_XL_END, SOFTPT_XL_TIME, 64, 65, 0xffff,
	};
	const struct softpt_xl_escape e = {
		.mark = SOFTPT_XL_ESCAPE, .what = what[draw(sizeof(what) / sizeof(what[0]))],
		.flags = draw(4) ? 0 : number(4),
		.first = draw(4) ? near_end(SOFTPT_XL_STEPS, STEPS) : number(STEPS),
		.steps = number(4), .insns = number(60), .from = number(UINT32_MAX),
		.to = draw(2) ? number(UINT32_MAX) : 0, .tsc = draw(50) ? tsc : number(tsc),
	};
	memcpy(to, &e, sizeof(e));
	return sizeof(e) / sizeof(*to) - 1;
}

static void draw_words(uint32_t *words, uint64_t *tsc)
{
	unsigned int i, n = sizeof(struct softpt_xl_escape) / sizeof(*words);

	for (i = 0; i < WORDS; i++) {
		*tsc += draw(1000);
		if (draw(20) || i + n > WORDS)
			words[i] = draw(200) ? near_end(SOFTPT_XL_EXITS, EXITS) : number(EXITS);
		else
			i += draw_escape(&words[i], *tsc);
	}
}

/* As tool/record/translate.c does. Return: records that were looked at */
static unsigned int take(struct xl_unit *u, const uint32_t *from, const uint32_t *to)
{
	struct softpt_xl_escape e;
	unsigned int n = 0;

	while (from < to && !u->err) {
		const uint32_t *next = xl_unit_exits(u, from, to);

		n += next - from;
		from = next;
		if (u->err || (size_t)(to - from) * sizeof(*from) < sizeof(e))
			break;
		memcpy(&e, from, sizeof(e));
		xl_unit_escape(u, &e);
		from += sizeof(e) / sizeof(*from);
		n++;
	}
	return n;
}

/* ---- units ---- */

static struct xl_runs runs;

static struct xl_unit begin(bool model, uint64_t tsc)
{
	const struct sim_output out = { 0 };
	struct xl_unit u = { .runs = &runs, .tid = 1, .model = model, .numbers = true };
	struct softpt_config cfg;

	process()->flushes++;
	softpt_config_default(&cfg);
	cfg.flags &= ~(SOFTPT_F_OS | (model ? 0 : SOFTPT_F_MTC));
	cfg.clock = model ? SOFTPT_CLOCK_MODEL : SOFTPT_CLOCK_WALL;
	u.sim = sim_new(&cfg, &out);
	if (!u.sim)
		kit_bail("memory for a unit");
	sim_live(u.sim);
	if (!model)
		sim_hold_psb(u.sim);
	xl_unit_begin(&u, 0x400000, tsc);
	return u;
}

/* All bytes that it has made, in its buffer or not */
static uint64_t bytes_of(const struct xl_unit *u)
{
	return sim_engine(u->sim)->counts.bytes;
}

struct outcome {
	uint64_t records;
	uint64_t broken;	/* units that ended so */
	uint64_t strange;	/* that ended with another error */
	uint64_t long_ones;	/* rounds that wrote too much for their records */
};

static struct outcome run(bool model, bool sane, unsigned int rounds, unsigned int tables)
{
	uint32_t words[WORDS];
	struct outcome o = { 0 };
	uint64_t tsc = 1000, before;
	struct xl_unit u;
	const uint64_t most = BYTES_MAX + (model ? MTCS_MAX : 0);
	unsigned int i, n;

	for (i = 0; i < rounds; i++) {
		write_tables(tables, sane);
		u = begin(model, tsc);
		do {
			before = bytes_of(&u);
			draw_words(words, &tsc);
			n = take(&u, words, words + WORDS);
			o.records += n;
			o.long_ones += bytes_of(&u) - before > (n + 1ull) * most;
		} while (!u.err && draw(50));
		xl_unit_end(&u, tsc);
		o.broken += u.err == -EBADMSG;
		o.strange += u.err && u.err != -EBADMSG;
		sim_free(u.sim);
	}
	return o;
}

static void judge(bool model, bool sane, const char *name)
{
	struct outcome o = run(model, sane, ROUNDS, 64);

	kit_ok(o.records > ROUNDS, "%s: %llu records are read", name,
	       (unsigned long long)o.records);
	kit_ok(o.broken && !o.strange, "%s: %llu of %u units end as broken, none otherwise", name,
	       (unsigned long long)o.broken, ROUNDS);
	kit_ok(!o.long_ones, "%s: no record makes more than a path can", name);
}

/* ---- work out of nothing ---- */

/* A record of more steps than a path has is broken, however many there are. */
static void judge_long(bool model, uint16_t nsteps, uint16_t nops, int want, const char *name)
{
	struct softpt_xl_step *steps = (void *)(area + SOFTPT_XL_STEPS_AT);
	struct softpt_xl_op *ops = (void *)(area + SOFTPT_XL_OPS_AT);
	struct softpt_xl_exit *x = (void *)(area + SOFTPT_XL_EXITS_AT);
	const struct softpt_xl_escape part = {
		.mark = SOFTPT_XL_ESCAPE, .what = 11, .steps = nsteps, .from = 0x400000,
		.tsc = 1000,
	};
	struct xl_unit u = begin(model, 1000);
	uint32_t words[2] = { 0, 0 }, i;

	for (i = 0; i <= UINT16_MAX; i++) {
		steps[i] = (struct softpt_xl_step){
			.addr = i, .last = i, .kind = SOFTPT_X86_RET, .len = 1, .insns = 1,
		};
		ops[i] = (struct softpt_xl_op){ .addr = i, .kind = SOFTPT_X86_RET };
	}
	process()->exits = 1;
	*x = (struct softpt_xl_exit){ .nsteps = nsteps, .nops = nops, .kind = SOFTPT_X86_RET };
	xl_unit_exits(&u, words, words + 2);
	kit_is(u.err, want, "%s: a record", name);
	kit_ok(bytes_of(&u) < 2 * BYTES_MAX, "%s: bytes of a record", name);
	u.err = 0;
	xl_unit_escape(&u, &part);
	kit_is(u.err, want, "%s: a part of one", name);
	kit_ok(bytes_of(&u) < 3 * BYTES_MAX, "%s: bytes of a part", name);
	u.err = 0;
	xl_unit_end(&u, 2000);
	sim_free(u.sim);
}

/* Exits that have the same operations, and say falsely which bits are before them */
static void judge_shared(void)
{
	struct softpt_xl_op *ops = (void *)(area + SOFTPT_XL_OPS_AT);
	struct softpt_xl_exit *x = (void *)(area + SOFTPT_XL_EXITS_AT);
	struct xl_unit u = begin(false, 1000);
	const uint32_t all = 2 * SOFTPT_XL_PATH;
	uint32_t i, record;
	uint64_t before;

	for (i = 0; i < all; i++) {
		ops[i] = (struct softpt_xl_op){
			.addr = 0x1000 * i, .bits = 58, .kind = SOFTPT_X86_IJMP,
		};
		x[1 + i] = (struct softpt_xl_exit){
			.op = i, .nops = 1, .nbits = 58, .bits = i, .nsteps = 1,
			.kind = SOFTPT_X86_JMP,
		};
	}
	x[0] = (struct softpt_xl_exit){
		.nops = all, .nbits = 58, .nsteps = 1, .kind = SOFTPT_X86_JMP,
	};
	process()->exits = all + 1;
	for (i = 0; i <= all + 1 && !u.err; i++) {
		before = bytes_of(&u);
		record = i <= all ? i : 0;
		xl_unit_exits(&u, &record, &record + 1);
		if (bytes_of(&u) - before > runs.run[record].most)
			break;
	}
	kit_ok(i > all + 1 && bytes_of(&u) > 18 * all,
	       "operations that exits share falsely: no run writes more than it has room for");
	u.err = 0;
	xl_unit_end(&u, 2000);
	sim_free(u.sim);
}

/* ---- while the program writes ---- */

/* Bytes of descriptions are others for a moment, again and again. */
static void *scribble(void *unused)
{
	static const uint8_t wild[] = { 0, 1, 7, 58, 64, 130, 255 };
	volatile uint8_t *exits = (void *)(area + SOFTPT_XL_EXITS_AT);
	volatile uint8_t *ops = (void *)(area + SOFTPT_XL_OPS_AT), *at[LAG];
	uint64_t random = 1, r;
	uint8_t was[LAG];
	unsigned int i;

	for (i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); i++) {
		r = kit_random(&random);
		if (i >= LAG)
			*at[i % LAG] = was[i % LAG];
		if (r >> 62)
			at[i % LAG] = exits + r % (EXITS * sizeof(struct softpt_xl_exit));
		else
			at[i % LAG] = ops + r % (OPS * sizeof(struct softpt_xl_op));
		was[i % LAG] = *at[i % LAG];
		*at[i % LAG] = wild[(r >> 32) % sizeof(wild)];
	}
	return unused;
}

static void judge_race(void)
{
	struct outcome o;
	pthread_t thread;

	if (pthread_create(&thread, NULL, scribble, NULL))
		kit_bail("a thread");
	o = run(false, true, 4 * ROUNDS, 64);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	kit_ok(o.records > 4 * ROUNDS && !o.strange, "descriptions that change: %llu records are read",
	       (unsigned long long)o.records);
	kit_ok(!o.long_ones, "descriptions that change: no record makes more than a path can");
}

/* ---- the file ---- */

static void judge_file(void)
{
	struct xl_share share;

	kit_is(xl_share_open(&share), 0, "a file to share");
	kit_ok(ftruncate(share.fd, 0) && ftruncate(share.fd, SOFTPT_XL_SIZE + 4096),
	       "the program can't make the file shorter, nor longer");
	memset(xl_process(&share, 5), 1, 4096);
	xl_share_free(&share, 5);
	kit_ok(!xl_process(&share, 5)->state, "an area is free again");
	xl_share_close(&share);
}

int main(void)
{
	struct softpt_config cfg;

	softpt_config_default(&cfg);
	open_area();
	if (xl_runs_init(&runs, process(), &cfg))
		kit_bail("memory for runs");
	judge_file();
	judge(false, true, "nearly sane");
	judge(true, true, "nearly sane, clock=model");
	judge(false, false, "wild");
	judge(true, false, "wild, clock=model");
	judge_long(false, 0, 0, 0, "no steps");
	judge_long(false, SOFTPT_XL_PATH, 0, 0, "a path");
	judge_long(true, SOFTPT_XL_PATH, 0, 0, "a path, clock=model");
	judge_long(false, UINT16_MAX, UINT16_MAX, -EBADMSG, "65535 steps and operations");
	judge_long(true, UINT16_MAX, UINT16_MAX, -EBADMSG, "65535 steps, clock=model");
	judge_shared();
	judge_race();
	return kit_done();
}
