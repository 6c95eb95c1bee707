// SPDX-License-Identifier: BSD-2-Clause
#include "source/runs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../kmod/x86/decode.h"
#include "sim/sim.h"

/* What is checked is what is used, whatever the program writes there meanwhile. */
static void fetch(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static const void *part(const struct softpt_xl_process *p, uint64_t offset)
{
	return (const char *)p + offset;
}

bool xl_exit_at(const struct softpt_xl_process *p, uint32_t i, uint32_t known,
		struct softpt_xl_exit *x)
{
	const struct softpt_xl_exit *exits = part(p, SOFTPT_XL_EXITS_AT);

	if (i >= known || i >= SOFTPT_XL_EXITS)
		return false;
	fetch(x, &exits[i], sizeof(*x));
	return true;
}

bool xl_step_at(const struct softpt_xl_process *p, uint32_t i, struct softpt_xl_step *step)
{
	const struct softpt_xl_step *steps = part(p, SOFTPT_XL_STEPS_AT);

	if (i >= SOFTPT_XL_STEPS)
		return false;
	fetch(step, &steps[i], sizeof(*step));
	return true;
}

#define RUNS_SIZE	((SOFTPT_XL_EXITS + XL_FUSED) * sizeof(struct softpt_run))
#define OPS_SIZE	((SOFTPT_XL_OPS + XL_FUSED_OPS) * sizeof(struct softpt_run_op))
#define CHOICES_SIZE	(SOFTPT_XL_EXITS * sizeof(struct xl_paths))
#define PATHS_SIZE	(XL_PATHS * sizeof(struct xl_path))

/* Pages are there when something is in them. */
static void *reserve(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Paths are made in order, 5 KB of runs each: large pages save most of the page faults. */
static void use_large_pages(const struct xl_runs *r)
{
	madvise(r->run + SOFTPT_XL_EXITS, XL_FUSED * sizeof(*r->run), MADV_HUGEPAGE);
	madvise(r->op + SOFTPT_XL_OPS, XL_FUSED_OPS * sizeof(*r->op), MADV_HUGEPAGE);
	madvise(r->path, PATHS_SIZE, MADV_HUGEPAGE);
}

int xl_runs_init(struct xl_runs *r, const struct softpt_xl_process *process,
		 const struct softpt_config *cfg)
{
	const uint32_t flags = cfg->flags & (SOFTPT_F_RETC | SOFTPT_F_TNT64);

	*r = (struct xl_runs){
		.process = process, .run = reserve(RUNS_SIZE), .op = reserve(OPS_SIZE),
		.paths = reserve(CHOICES_SIZE), .path = reserve(PATHS_SIZE),
		.bytes = reserve(XL_FUSED_BYTES),
		.fuses = flags == SOFTPT_F_RETC,
	};
	if (r->run && r->op && r->paths && r->path && r->bytes) {
		use_large_pages(r);
		return 0;
	}
	xl_runs_free(r);
	return -ENOMEM;
}

static void release(void *map, size_t size)
{
	if (map)
		munmap(map, size);
}

void xl_runs_free(struct xl_runs *r)
{
	release(r->run, RUNS_SIZE);
	release(r->op, OPS_SIZE);
	release(r->paths, CHOICES_SIZE);
	release(r->path, PATHS_SIZE);
	release(r->bytes, XL_FUSED_BYTES);
	*r = (struct xl_runs){ .process = NULL };
}

void xl_runs_look(struct xl_runs *r)
{
	uint32_t flushes = __atomic_load_n(&r->process->flushes, __ATOMIC_ACQUIRE);

	if (flushes == r->flushes)
		return;
	madvise(r->run, RUNS_SIZE, MADV_DONTNEED);
	madvise(r->paths, CHOICES_SIZE, MADV_DONTNEED);
	r->nr_paths = 0;
	r->fused_ops = 0;
	r->fused_bytes = 0;
	r->flushes = flushes;
}

static uint8_t what_of(const struct softpt_xl_op *op)
{
	if (op->push)
		return op->kind == SOFTPT_X86_ICALL ? SOFTPT_RUN_ICALL : SOFTPT_RUN_CALL;
	return op->kind == SOFTPT_X86_RET ? SOFTPT_RUN_RET : SOFTPT_RUN_TIP;
}

/* The newest @n of @bits, as they were before the newest @after */
static uint64_t bits_of(uint64_t bits, unsigned int n, unsigned int after)
{
	return bits >> after & ((1ull << n) - 1);
}

/*
 * Operations of an exit. Other exits of its superblock have the same, up to where they leave it.
 * Return: bits behind the last
 */
static unsigned int make_ops(struct xl_runs *r, const struct softpt_xl_exit *x)
{
	const struct softpt_xl_op *ops = part(r->process, SOFTPT_XL_OPS_AT);
	unsigned int left = x->nbits, n, i;
	struct softpt_xl_op op;

	for (i = x->op; i < x->op + x->nops; i++) {
		fetch(&op, &ops[i], sizeof(op));
		n = op.bits > x->nbits - left ? op.bits - (x->nbits - left) : 0;
		n = n < left ? n : left;
		left -= n;
		r->op[i] = (struct softpt_run_op){
			.addr = softpt_xl_address(r->process->far, op.addr),
			.bits = bits_of(x->bits, n, left), .nbits = n, .what = what_of(&op),
		};
	}
	return left;
}

uint8_t xl_end_of(uint8_t kind)
{
	return kind == SOFTPT_X86_RET ? SOFTPT_EV_RET : kind == SOFTPT_X86_IJMP ? SOFTPT_EV_IJMP :
	       kind == SOFTPT_X86_ICALL ? SOFTPT_EV_ICALL : 0;
}

static unsigned int events(const struct xl_runs *r, const struct softpt_run *run)
{
	unsigned int n = run->branches, i;

	for (i = run->op; i < run->op + run->nops; i++)
		n += r->op[i].what != SOFTPT_RUN_ICALL;
	return n;
}

/* The push of an indirect call at the end is not done here: it follows from @end. */
static void drop_last_push(const struct xl_runs *r, struct softpt_xl_exit *x)
{
	const struct softpt_xl_op *ops = part(r->process, SOFTPT_XL_OPS_AT);
	struct softpt_xl_op op;

	if (x->kind != SOFTPT_X86_ICALL || !x->nops)
		return;
	fetch(&op, &ops[x->op + x->nops - 1], sizeof(op));
	if (what_of(&op) == SOFTPT_RUN_ICALL)
		x->nops--;
}

/*
 * Bytes that an operation may write: its bits, a TNT packet that is flushed, a TIP. The bits may be
 * those of another exit, which says that it has the same operation: a program may say so falsely.
 */
#define OP_MOST		28
_Static_assert(SOFTPT_RUN_BEFORE + SOFTPT_RUN_BITS + OP_MOST * 2 * SOFTPT_XL_PATH <
	       SIM_BULK_ROOM - SOFTPT_GROUP_MAX, "any run fits into an empty buffer");

/* A step has two operations at most. */
static bool fits(const struct softpt_xl_exit *x)
{
	return x->nbits <= SOFTPT_RUN_BITS && x->nops <= 2 * SOFTPT_XL_PATH &&
	       x->op + (uint64_t)x->nops <= SOFTPT_XL_OPS;
}

bool xl_runs_make(struct xl_runs *r, uint32_t number, uint32_t known)
{
	const __u64 *far = r->process->far;
	struct softpt_xl_exit x;
	struct softpt_run *run;

	if (!xl_exit_at(r->process, number, known, &x) || !fits(&x))
		return false;
	drop_last_push(r, &x);
	run = &r->run[number];
	*run = (struct softpt_run){
		.branches = x.nbits, .nbits = make_ops(r, &x), .op = x.op, .nops = x.nops,
		.insns = x.insns, .head = softpt_xl_address(far, x.head),
		.back = softpt_xl_address(far, x.last) + x.len, .end = xl_end_of(x.kind),
		.on = softpt_xl_address(far, x.to ? x.to : x.last),
		.most = SOFTPT_RUN_BEFORE + SOFTPT_RUN_BITS + OP_MOST * x.nops,
	};
	run->bits = bits_of(x.bits, run->nbits, 0);
	run->events = events(r, run);
	return true;
}
