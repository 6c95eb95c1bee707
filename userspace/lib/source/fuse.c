// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program takes the same paths again and again. The packets of a path are known when it is first
 * seen, but for what comes before it: pending TNT bits, the last IP, and the stack of returns. So
 * from its first TIP on its packets are bytes, up to a return whose call was before the path.
 */
#include "source/fuse.h"

#include <stddef.h>
#include <string.h>

#include "../../../kmod/engine/packet/write.h"

#define OFTEN		32	/* an exit that no path goes on from so often gets one more */
#define TRIAL		2048	/* runs, after which it is judged whether paths are worth it */
#define WORTH		4	/* exits of a path, on the average, from which on they are */
#define PAUSE		32768	/* exits by themselves, if not; twice as many each time */
#define PAUSE_MAX	(32 * PAUSE)
#define ENOUGH		16	/* exits: no longer path is looked for */
#define OPS_MAX		64	/* operations of a path */
#define BYTES_MAX	512
#define BYTES_MORE	32	/* for TNT packets of 64 bits, and a TIP */

/* A run that is being made */
struct work {
	struct softpt_run run;
	unsigned int depth, deepest;		/* of @call */
	uint64_t bits;				/* pending */
	unsigned int nbits;
	bool ready;				/* behind a TIP: bytes follow, from @begin on */
	uint64_t ip;				/* of that TIP, or of a later one */
	unsigned int n, begin, packets;		/* of @bytes */
	bool failed;
	/* From here on only as much means something as the above says. */
	struct softpt_run_op op[OPS_MAX];
	uint64_t call[SOFTPT_RET_DEPTH];	/* calls of its own that have not returned */
	uint8_t bytes[BYTES_MAX + SOFTPT_RUN_STRIDE];
};

#define STATE	offsetof(struct work, op)

static struct softpt_run_op *put_op(struct work *w, uint8_t what, uint64_t addr)
{
	static struct softpt_run_op none;
	struct softpt_run_op *op;

	if (w->failed || w->run.nops == OPS_MAX) {
		w->failed = true;
		return &none;
	}
	op = &w->op[w->run.nops++];
	*op = (struct softpt_run_op){
		.what = what, .addr = addr, .bits = w->bits, .nbits = w->nbits,
	};
	w->bits = 0;
	w->nbits = 0;
	w->run.most += 10 + op->nbits;
	return op;
}

/* ---- packets that are ready ---- */

/* TNT packets of the bits that fill one, or of all */
static void write_bits(struct work *w, bool all)
{
	for (; w->nbits >= 6; w->packets++) {
		w->nbits -= 6;
		w->bytes[w->n++] = 0x80 | (w->bits >> w->nbits & 63) << 1;
	}
	w->bits &= (1u << w->nbits) - 1;
	if (!all || !w->nbits)
		return;
	w->bytes[w->n++] = (1u << w->nbits | w->bits) << 1;
	w->packets++;
	w->bits = 0;
	w->nbits = 0;
}

static void write_tip(struct work *w, uint64_t ip)
{
	write_bits(w, true);
	w->n = softpt_write_ip(w->bytes + w->n, SOFTPT_OPC_TIP, ip, w->ip) - w->bytes;
	w->packets++;
	w->ip = ip;
}

/* What is ready is an operation; the bits behind it are pending. */
static void end_bytes(struct work *w)
{
	struct softpt_run_op *op;
	unsigned int nbits;
	uint64_t bits;

	if (w->ready)
		write_bits(w, false);
	if (w->ready && w->packets) {
		bits = w->bits;
		nbits = w->nbits;
		w->nbits = 0;
		op = put_op(w, SOFTPT_RUN_BYTES, w->ip);
		op->bits = w->begin;
		op->n = w->n - w->begin;
		op->packets = w->packets;
		w->run.most += op->n;
		w->bits = bits;
		w->nbits = nbits;
	}
	w->ready = false;
}

/* ---- what is executed ---- */

static void add_bits(struct work *w, uint64_t bits, unsigned int n)
{
	if (w->ready)
		write_bits(w, false);
	else if (w->nbits + n > SOFTPT_RUN_BITS)
		put_op(w, SOFTPT_RUN_DEEP, 0);		/* of no call */
	w->failed |= w->n > BYTES_MAX - BYTES_MORE;
	if (w->failed)		/* neither bits nor bytes become more */
		return;
	w->bits = w->bits << n | bits;
	w->nbits += n;
}

static void add_call(struct work *w, uint64_t back)
{
	if (w->depth == SOFTPT_RET_DEPTH) {
		w->failed = true;
		return;
	}
	w->call[w->depth++] = back;
	if (w->depth > w->deepest)
		w->deepest = w->depth;
}

static void add_tip(struct work *w, uint64_t ip)
{
	if (w->failed)
		return;
	if (w->ready) {
		write_tip(w, ip);
		return;
	}
	put_op(w, SOFTPT_RUN_TIP, ip);
	w->ready = true;
	w->ip = ip;
	w->begin = w->n;
	w->packets = 0;
}

/* Calls of the path that have returned leave a trace on a stack that is full. */
static void settle(struct work *w)
{
	if (w->deepest > w->depth)
		put_op(w, SOFTPT_RUN_DEEP, 0)->n = w->deepest;
	w->deepest = 0;
}

static void add_ret(struct work *w, uint64_t to)
{
	if (w->depth) {
		if (w->call[--w->depth] != to)
			w->failed = true;	/* that is seldom */
		add_bits(w, 1, 1);
		w->run.rets++;
		return;
	}
	end_bytes(w);
	settle(w);
	put_op(w, SOFTPT_RUN_RET, to);
}

static void add_op(struct work *w, const struct softpt_run_op *op)
{
	add_bits(w, op->bits, op->nbits);
	if (op->what <= SOFTPT_RUN_ICALL)
		add_call(w, op->addr);
	else if (op->what == SOFTPT_RUN_RET)
		add_ret(w, op->addr);
	else
		add_tip(w, op->addr);
}

/* The indirect branch at the end of the exit before went to this one. */
static void add_end(struct work *w, uint64_t head)
{
	if (w->run.end == SOFTPT_EV_RET) {
		add_ret(w, head);
	} else if (w->run.end) {
		if (w->run.end == SOFTPT_EV_ICALL)
			add_call(w, w->run.back);
		add_tip(w, head);
	}
	w->run.events += !!w->run.end;
}

static void add_exit(struct work *w, const struct xl_runs *r, uint32_t number)
{
	const struct softpt_run *run = &r->run[number];
	unsigned int i;

	add_end(w, run->head);
	for (i = 0; i < run->nops; i++)
		add_op(w, &r->op[run->op + i]);
	add_bits(w, run->bits, run->nbits);
	w->run.insns += run->insns;
	w->run.events += run->events;
	w->run.branches += run->branches;
	w->run.end = run->end;
	w->run.back = run->back;
	w->run.on = run->on;
}

/* Calls that have not returned are on the stack of the engine then. */
static void finish(struct work *w)
{
	unsigned int i;

	end_bytes(w);
	settle(w);
	if (w->nbits > SOFTPT_RUN_BITS)
		w->failed = true;
	w->run.bits = w->bits;
	w->run.nbits = w->nbits;
	w->bits = 0;
	w->nbits = 0;
	for (i = 0; i < w->depth; i++)
		put_op(w, SOFTPT_RUN_CALL, w->call[i]);
	w->run.most += SOFTPT_RUN_BEFORE + w->run.nbits;
}

/* ---- paths ---- */

static void put_run(struct xl_runs *r, struct work *w, uint32_t number)
{
	struct softpt_run_op *op = &r->op[SOFTPT_XL_OPS + r->fused_ops];
	unsigned int i;

	memcpy(op, w->op, w->run.nops * sizeof(*op));
	for (i = 0; i < w->run.nops; i++)
		if (op[i].what == SOFTPT_RUN_BYTES)
			op[i].bits += r->fused_bytes;
	memcpy(&r->bytes[r->fused_bytes], w->bytes, w->n);
	w->run.op = SOFTPT_XL_OPS + r->fused_ops;
	r->run[number] = w->run;
	r->fused_ops += w->run.nops;
	r->fused_bytes += w->n;
}

/*
 * The run @number: what @w has up to now. The path may go on: what ends the run stands behind what
 * there is, and goes again. Return: whether it can be one
 */
static bool make_run(struct xl_runs *r, struct work *w, uint32_t number)
{
	uint8_t state[STATE];
	bool good;

	if (r->fused_ops > XL_FUSED_OPS - OPS_MAX ||
	    r->fused_bytes > XL_FUSED_BYTES - sizeof(w->bytes))
		return false;
	memcpy(state, w, STATE);
	finish(w);
	good = !w->failed;
	if (good)
		put_run(r, w, number);
	memcpy(w, state, STATE);
	return good;
}

/* How many exits two paths begin with in common */
static uint32_t common(const struct xl_path *a, const struct xl_path *b)
{
	uint32_t n = 0;

	while (n < a->len && n < b->len && a->exit[n] == b->exit[n])
		n++;
	return n;
}

/* Where in @same two paths of an exit have how many exits they begin with in common: @a < @b */
static unsigned int pair_of(unsigned int a, unsigned int b)
{
	return b * (b - 1) / 2 + a;
}

/* The path that these records have taken, as far as it can be a run */
static void make_path(struct xl_runs *r, const uint32_t *from, const uint32_t *to, uint32_t known)
{
	struct xl_paths *paths = &r->paths[*from];
	struct xl_path *path = &r->path[r->nr_paths];
	struct work w;
	uint32_t n, i;

	/* Where the records at hand end, no path does. */
	if (r->nr_paths == XL_PATHS || paths->n == XL_CHOICE || to - from < XL_PATH_LEN)
		return;
	memset(&w, 0, STATE);
	w.run.head = r->run[*from].head;
	path->run = SOFTPT_XL_EXITS + r->nr_paths * XL_PATH_LEN;
	for (n = 0; n < XL_PATH_LEN && from + n < to; n++) {
		if (from[n] >= known || !r->run[from[n]].most)
			break;
		path->exit[n] = from[n];
		add_exit(&w, r, from[n]);
		if (!make_run(r, &w, path->run + n))
			break;
	}
	path->len = n;
	if (n < 2)
		return;
	for (i = 0; i < paths->n; i++)
		paths->same[pair_of(i, paths->n)] = common(&r->path[paths->path[i]], path);
	paths->path[paths->n++] = r->nr_paths++;
}

static uint64_t pair_at(const uint32_t *p)
{
	uint64_t pair;

	memcpy(&pair, p, sizeof(pair));
	return pair;
}

/* How many of these records a path begins with, which has the first @n for certain */
static uint32_t matches(const struct xl_path *path, const uint32_t *from, uint32_t left, uint32_t n)
{
	const uint32_t most = path->len < left ? path->len : left;

	for (; n + 4 <= most; n += 4)
		if ((pair_at(path->exit + n) ^ pair_at(from + n)) |
		    (pair_at(path->exit + n + 2) ^ pair_at(from + n + 2)))
			break;
	while (n < most && path->exit[n] == from[n])
		n++;
	return n;
}

/* The longest path that begins so. Return: its exits */
static uint32_t find(struct xl_runs *r, const uint32_t *from, const uint32_t *to, uint32_t known,
		     uint32_t *run)
{
	struct xl_paths *paths = &r->paths[*from];
	const struct xl_path *path;
	uint32_t best = 1, last = 0, i;

	*run = *from;
	for (i = 0; i < paths->n && best < ENOUGH; i++) {
		/* It parts from the records where it parts from the best, or goes on there. */
		if (i && paths->same[pair_of(last, i)] != best)
			continue;
		path = &r->path[paths->path[i]];
		best = matches(path, from, to - from, best);
		*run = path->run + best - 1;
		last = i;
	}
	/* What is known is judged: that more may be learned is no matter. */
	if (paths->n || r->nr_paths == XL_PATHS) {
		r->tried++;
		r->covered += best;
	}
	if (best < ENOUGH && ++paths->count == OFTEN) {
		paths->count = 0;
		make_path(r, from, to, known);
	}
	return best;
}

/* Paths that are short cost more than they save. */
static void judge(struct xl_runs *r)
{
	if (r->tried < TRIAL)
		return;
	if (r->covered >= WORTH * r->tried)
		r->pause = 0;
	else if (!r->pause)
		r->pause = PAUSE;
	else if (r->pause < PAUSE_MAX)
		r->pause *= 2;
	r->idle = r->pause;
	r->tried = 0;
	r->covered = 0;
}

void xl_fuse(struct xl_runs *r, const uint32_t *from, const uint32_t *to, uint32_t known,
	     struct xl_batch *batch)
{
	uint32_t k;

	if (!r->fuses || r->idle) {
		batch->run = from;
		batch->nr = known;
		batch->n = to - from;
		if (r->fuses && batch->n > r->idle)
			batch->n = r->idle;
		if (r->fuses)
			r->idle -= batch->n;
		return;
	}
	for (k = 0; k < XL_BATCH && from < to && *from < known && r->run[*from].most; k++) {
		batch->len[k] = find(r, from, to, known, &batch->fused[k]);
		from += batch->len[k];
	}
	batch->run = batch->fused;
	batch->nr = SOFTPT_XL_EXITS + XL_FUSED;
	batch->n = k;
	judge(r);
}

uint32_t xl_batch_exits(const struct xl_batch *batch, uint32_t n)
{
	uint32_t i, exits = 0;

	if (batch->run != batch->fused)
		return n;
	for (i = 0; i < n; i++)
		exits += batch->len[i];
	return exits;
}
