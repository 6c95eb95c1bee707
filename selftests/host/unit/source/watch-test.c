// SPDX-License-Identifier: BSD-2-Clause
/*
 * Triggers of addresses: a trigger event is found in the records of a random program where the
 * engine finds it in the events that they become, and the same bytes are written. (Where a signal
 * ends a run of instructions the TRIG packet is before the signal, and the engine's behind it.)
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <softpt/params.h>

#include "kmod/x86/decode.h"
#include "selftests/kit/kit.h"
#include "userspace/lib/sim/sim.h"
#include "userspace/lib/source/runs.h"
#include "userspace/lib/source/translate.h"
#include "userspace/lib/source/watch.h"

#define PROGRAMS	300
#define RECORDS		400
#define BLOCKS		24
#define BLOCK		16	/* bytes: instructions of 2, and a branch of 2 */
#define CODE		0x10000u
#define ROOM		(1u << 20)
#define END		16	/* bytes of the signal at the end, and what is before it */

static struct softpt_xl_process *process;
static uint64_t state;

struct block {
	uint8_t kind;
	uint32_t target;
};

static struct block blocks[BLOCKS];

/* What the program does: a record, or an escape */
struct item {
	bool escape;
	uint32_t record;
	struct softpt_xl_escape e;
};

static struct item items[RECORDS + 8];
static unsigned int nr_items;
static uint32_t nr_steps;

static uint64_t draw(uint64_t below)
{
	return (kit_random(&state) >> 16) % below;
}

static uint32_t block_addr(uint64_t i)
{
	return CODE + i % BLOCKS * BLOCK;
}

static void draw_blocks(void)
{
	static const uint8_t kinds[] = {
		SOFTPT_X86_OTHER, SOFTPT_X86_JCC, SOFTPT_X86_JCC, SOFTPT_X86_LOOP, SOFTPT_X86_JMP,
		SOFTPT_X86_CALL, SOFTPT_X86_IJMP, SOFTPT_X86_ICALL, SOFTPT_X86_RET,
	};
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		blocks[i] = (struct block){
			/* The last has no next. */
			.kind = i + 1 < BLOCKS ? kinds[draw(sizeof(kinds))] : SOFTPT_X86_JMP,
			.target = block_addr(draw(BLOCKS)),
		};
}

/* ---- records ---- */

/* From @at to the end of its block. Return: where execution goes on */
static uint32_t add_step(uint32_t at, bool *indirect)
{
	struct softpt_xl_step *steps = (void *)((char *)process + SOFTPT_XL_STEPS_AT);
	const struct block *b = &blocks[(at - CODE) / BLOCK];
	const uint32_t last = CODE + (at - CODE) / BLOCK * BLOCK + BLOCK - 2;
	const bool taken = draw(2);

	steps[nr_steps++] = (struct softpt_xl_step){
		.addr = at, .last = last, .target = b->target, .kind = b->kind, .len = 2,
		.insns = (last - at) / 2 + 1, .taken = taken,
	};
	*indirect = b->kind == SOFTPT_X86_IJMP || b->kind == SOFTPT_X86_ICALL ||
		    b->kind == SOFTPT_X86_RET;
	if (*indirect)
		return block_addr(draw(BLOCKS));
	if (b->kind == SOFTPT_X86_OTHER)
		return last + 2;
	return b->kind == SOFTPT_X86_JMP || b->kind == SOFTPT_X86_CALL || taken ? b->target :
	       last + 2;
}

/* Steps from @at on; @n: how many. Return: where execution goes on */
static uint32_t add_steps(uint32_t at, unsigned int *n)
{
	const unsigned int most = 1 + draw(4);
	bool indirect = false;

	for (*n = 0; *n < most; ++*n)
		at = add_step(at, &indirect);
	return at;
}

static uint32_t add_exit(uint32_t at)
{
	struct softpt_xl_exit *x = (void *)((char *)process + SOFTPT_XL_EXITS_AT);
	struct softpt_xl_step *steps = (void *)((char *)process + SOFTPT_XL_STEPS_AT);
	struct item *item = &items[nr_items++];
	const uint32_t number = process->exits++, first = nr_steps;
	unsigned int n, i, insns = 0;
	const uint32_t to = add_steps(at, &n);
	const struct softpt_xl_step *s = &steps[nr_steps - 1];

	for (i = first; i < nr_steps; i++)
		insns += steps[i].insns;
	x[number] = (struct softpt_xl_exit){
		.head = at, .last = s->last, .first = first, .nsteps = n, .kind = s->kind,
		.len = 2, .taken = s->taken, .insns = insns,
	};
	*item = (struct item){ .record = number };
	return to;
}

static void add_escape(uint16_t what, uint64_t from, uint64_t to)
{
	items[nr_items++] = (struct item){
		.escape = true,
		.e = {
			.mark = SOFTPT_XL_ESCAPE, .what = what, .from = from, .to = to,
			.tsc = nr_items,
		},
	};
}

/* A signal on the way from @at on, then its handler. @back: where it was. Return: in the handler */
static uint32_t add_signal(uint32_t at, uint32_t *back)
{
	const uint32_t first = nr_steps, handler = block_addr(draw(BLOCKS));
	unsigned int steps = 0, insns = 0;
	struct item *item = &items[nr_items];
	bool indirect;

	*back = at;
	if (draw(3)) {		/* else where the last record has ended */
		if (draw(2))
			*back = add_steps(at, &steps);
		add_step(*back, &indirect);
		insns = draw((BLOCK - (*back - CODE) % BLOCK) / 2);
		*back += 2 * insns;
	}
	add_escape(11, *back, handler);
	if (nr_steps != first) {
		item->e.first = first;
		item->e.steps = steps;
		item->e.insns = insns;
	}
	return handler;
}

static void draw_items(bool signals)
{
	uint32_t at = block_addr(0), back[4];
	unsigned int depth = 0;

	nr_items = 0;
	nr_steps = 1;		/* 0 is where a signal is between records */
	process->exits = 0;
	while (nr_items < RECORDS) {
		at = add_exit(at);
		if (signals && depth < 4 && !draw(6))
			at = add_signal(at, &back[depth++]);
		if (depth && !draw(3)) {
			add_escape(15, at, back[--depth]);	/* as if it were sigreturn */
			at = back[depth];
		}
	}
	add_escape(9, at, 0);
}

/* ---- both ways ---- */

struct output {
	uint8_t bytes[ROOM];
	size_t len;
};

static struct output judged, found;
static struct xl_runs runs;
static unsigned int events;

static int put(void *ctx, const void *buf, size_t len)
{
	struct output *o = ctx;

	if (len > ROOM - o->len)
		kit_bail("more bytes than expected");
	memcpy(o->bytes + o->len, buf, len);
	o->len += len;
	return 0;
}

static void begin(struct xl_unit *u, struct output *o, const struct softpt_trigger *trigger)
{
	const struct sim_output out = { .bytes = put, .ctx = o };
	struct softpt_config cfg;

	softpt_config_init(&cfg);
	cfg.flags = (cfg.flags & ~SOFTPT_F_OS) | SOFTPT_F_TRIG;
	o->len = 0;
	*u = (struct xl_unit){
		.runs = &runs, .model = true, .cycles = 1, .sim = sim_new(&cfg, &out),
	};
	if (trigger && sim_arm(u->sim, trigger, 1))
		kit_bail("a trigger");
	xl_unit_begin(u, block_addr(0), 1);
}

static void take(struct xl_unit *u, const struct item *item)
{
	if (item->escape)
		xl_unit_escape(u, &item->e);
	else
		xl_unit_exits(u, &item->record, &item->record + 1);
	u->nr_marks = 0;
}

struct finder {
	struct xl_unit unit;
	const struct softpt_trigger *trigger;
	uint64_t seen;
};

static void hit(void *ctx, const struct xl_hit *hit)
{
	struct finder *f = ctx;

	if (++f->seen % f->trigger->nth)
		return;
	events++;
	f->unit.mark[f->unit.nr_marks++] = (struct xl_mark){
		.bits = 1, .step = hit->step, .behind = hit->behind,
	};
}

static void find(struct finder *f, struct xl_watch *w)
{
	const struct xl_hits hits = { .hit = hit, .ctx = f };
	struct xl_visit v = { .on = false };
	bool in_kernel = false;
	unsigned int i;

	for (i = 0; i < nr_items; i++) {
		const struct item *item = &items[i];

		if (item->escape)
			xl_watch_escape(w, &v, &item->e, in_kernel, &hits);
		else
			xl_watch_exit(w, &v, item->record, process->exits, &hits);
		take(&f->unit, item);
	}
}

/* Return: whether both found the same, and wrote it, at the same place if @exact */
static bool same(bool exact)
{
	const uint64_t from = CODE + draw(BLOCKS * BLOCK);
	const struct softpt_trigger trigger = {
		.size = sizeof(trigger), .source = SOFTPT_ON_IP, .value = from,
		.mask = from + (draw(3) ? draw(40) : 0), .nth = 2 + draw(9),
		.flags = SOFTPT_TRIGGER_REARM,
	};
	struct finder f = { .trigger = &trigger };
	struct xl_unit judge;
	struct xl_watch w;
	unsigned int i;

	begin(&judge, &judged, &trigger);
	for (i = 0; i < nr_items; i++)
		take(&judge, &items[i]);
	if (xl_watch_init(&w, process, &trigger, 1))
		kit_bail("no memory");
	begin(&f.unit, &found, NULL);
	find(&f, &w);
	xl_unit_end(&judge, nr_items);
	xl_unit_end(&f.unit, nr_items);
	i = judge.err || f.unit.err || f.seen != sim_engine(judge.sim)->triggers.hits ||
	    judged.len != found.len;
	sim_free(judge.sim);
	sim_free(f.unit.sim);
	xl_watch_free(&w);
	return !i && (!exact || !memcmp(judged.bytes, found.bytes, found.len - END));
}

int main(void)
{
	struct softpt_config cfg;
	unsigned int i, good = 0;

	process = mmap(NULL, SOFTPT_XL_AREA, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	softpt_config_init(&cfg);
	if (process == MAP_FAILED || xl_runs_init(&runs, process, &cfg))
		kit_bail("no memory");
	for (i = 0; i < PROGRAMS; i++) {
		draw_blocks();
		draw_items(i % 2);
		good += same(!(i % 2));
	}
	kit_ok(good == PROGRAMS, "%u of %u programs have the engine's trigger events", good,
	       PROGRAMS);
	kit_ok(events > PROGRAMS, "%u trigger events in all", events);
	return kit_done();
}
