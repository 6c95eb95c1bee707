// SPDX-License-Identifier: BSD-2-Clause
/*
 * The path of a recording by libsoftpt-flow's own decoder and by libipt's: step by step the same,
 * and at the same times. Where only some jumps are steps, in strides over the others, these are the
 * same as of the path branch by branch. So are the branches of strides that are a step each, also
 * when others walk meanwhile, or a stride is cut. The recording is of one process whose code stays
 * as it is.
 *
 *	walks FILE...
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/flow/blockwalk.h"
#include "userspace/lib/flow/ipt.h"
#include "userspace/lib/flow/stride/walk.h"

#define STEPS	(1u << 20)	/* of a stream that are compared */

static struct code_image *read_image(const struct softpt_perf *perf, struct code_files *files)
{
	struct code_image *code = code_image_new(files, perf);
	struct softpt_perf_record rec;
	struct softpt_perf_code made;
	struct softpt_perf_map map;
	size_t i;

	for (i = 0; code && softpt_perf_record(perf, i, &rec); i++) {
		if (softpt_perf_map_of(&rec, &map))
			code_image_add(code, &map, map.name);
		else if (softpt_perf_code_of(&rec, &made))
			code_image_put(code, &made, false);
	}
	return code;
}

static bool same_time(const struct softpt_flow_time *a, const struct softpt_flow_time *b)
{
	return a->tsc == b->tsc && a->min == b->min && a->bounded == b->bounded &&
	       (!a->bounded || a->max == b->max);
}

static bool same_step(const struct flow_step *a, const struct flow_step *b)
{
	return a->kind == b->kind && a->packet == b->packet && a->taken == b->taken &&
	       a->bits == b->bits && a->size == b->size && a->from == b->from &&
	       a->behind == b->behind && a->to == b->to && a->start == b->start &&
	       a->instructions == b->instructions && !a->error == !b->error &&
	       same_time(&a->when, &b->when);
}

static void show(const char *whose, const struct flow_step *s)
{
	printf("# %s: kind %d, packet %d, 0x%" PRIx64 " -> 0x%" PRIx64 ", %" PRIu64
	       " instructions, at %" PRIu64 " (%" PRIu64 " to %" PRIu64 ") %s\n", whose, s->kind,
	       s->packet, s->from, s->to, s->instructions, s->when.tsc, s->when.min, s->when.max,
	       s->error ? s->error : "");
}

/* Return: steps that are the same; @whole: all that were looked at are */
static unsigned int compare(struct block_walk *ours, struct ipt_walk *ipt, bool *whole)
{
	struct flow_step a, b;
	unsigned int n;

	*whole = false;
	for (n = 0; n < STEPS; n++) {
		bool more = block_walk_next(ours, &a);

		if (more != ipt_walk_next(ipt, &b) || (more && !same_step(&a, &b))) {
			show("ours", &a);
			show("libipt's", &b);
			return n;
		}
		if (!more)
			break;
	}
	*whole = true;
	return n;
}

/* Return: whether the paths of a stream are the same; @n counts steps */
static bool compare_stream(const struct input *in, unsigned int i, struct code_image *code,
			   enum flow_level level, unsigned long *n)
{
	const struct input_stream *stream = &in->streams[i];
	struct block_walk *ours = block_walk_new(stream, in, level);
	struct ipt_walk *ipt = ipt_walk_new(stream, in, level);
	bool whole = false;

	if (ours && ipt) {
		block_walk_set_code(ours, code);
		ipt_walk_set_code(ipt, code);
		*n += compare(ours, ipt, &whole);
	}
	block_walk_free(ours);
	ipt_walk_free(ipt);
	return whole;
}

/* A rule of its own says which jumps are steps: those that leave some stretch of code. */
static bool is_told(struct flow_step *step)
{
	const bool stays = !((step->from ^ step->to) >> 9);	/* of one that was taken */

	if (step->kind != FLOW_JUMP)
		return true;
	if (step->note && step->taken)
		*step->note = stays ? CODE_STAYS : CODE_ENTERS;
	return step->taken && !stays;
}

/* The next step but such jumps, with all that was counted on the way to it */
static bool next_told(struct block_walk *w, struct flow_step *step)
{
	uint64_t instructions = 0, branches = 0;

	while (block_walk_next(w, step)) {
		step->instructions += instructions;
		step->branches += branches;
		if (is_told(step))
			return true;
		instructions = step->instructions;
		branches = step->branches + 1;
	}
	step->kind = FLOW_LOST;
	step->instructions = instructions;
	step->branches = branches;
	return false;
}

/* Return: how many steps were compared; @whole: all are the same */
static unsigned int compare_strides(struct block_walk *by_branch, struct block_walk *by_stride,
				    bool *whole)
{
	struct flow_step a, b;
	unsigned int n = 0;
	bool more;

	do {
		more = next_told(by_branch, &a);
		*whole = next_told(by_stride, &b) == more && a.branches == b.branches &&
			 a.instructions == b.instructions;
		b.start = a.start;	/* of the last block only */
		*whole &= !more || same_step(&a, &b);
		n++;
	} while (more && *whole);
	if (!*whole) {
		show("by branch", &a);
		show("by stride", &b);
	}
	return n;
}

/* The next branch, amid a stride or not. Of a stride the mode of its instructions is not told. */
static bool next_branch(struct block_walk *w, struct flow_step *step, struct flow_stride **in)
{
	const struct stride_branch *b;
	struct flow_stride *s = *in;
	uint64_t start;

	if (!s || s->told == s->n) {
		*in = NULL;
		if (!block_walk_next(w, step))
			return false;
		if (step->kind != FLOW_STRIDE)
			return true;
		s = step->stride;
		*in = s;
		flow_stride_find_times(s);
	}
	if (s->n % 3 == 1)
		block_walk_keep(w);
	if (s->n % 5 == 1)
		block_walk_cut(w);
	b = &s->branch[s->told];
	start = flow_stride_start(s);
	*step = (struct flow_step){
		.kind = FLOW_JUMP, .packet = b->bit ? FLOW_TNT : FLOW_NO_PACKET, .taken = b->taken,
		.size = b->size, .from = b->from, .behind = b->from + b->size, .to = b->to,
		.start = start, .instructions = b->instructions,
	};
	flow_stride_time(s, &step->when);
	flow_stride_pass(s);
	return true;
}

/* As compare_strides(), branch by branch */
static unsigned int compare_branches(struct block_walk *by_branch, struct block_walk *by_stride,
				     bool *whole)
{
	struct flow_stride *in = NULL;
	struct flow_step a, b;
	unsigned int n = 0;
	bool more;

	do {
		more = block_walk_next(by_branch, &a);
		*whole = next_branch(by_stride, &b, &in) == more;
		if (in)
			b.bits = a.bits;
		if (!b.instructions)	/* none begins anywhere */
			b.start = a.start;
		*whole &= !more || same_step(&a, &b);
		if (more && *whole) {
			is_told(&a);
			is_told(&b);
		}
		n++;
	} while (more && *whole);
	if (!*whole) {
		show("by branch", &a);
		show("amid strides", &b);
	}
	return n;
}

static void compare_levels(const struct input *in, struct code_image *code, enum flow_level level)
{
	unsigned int i, same = 0;
	unsigned long n = 0;

	for (i = 0; i < in->nr; i++) {
		struct block_walk *a = block_walk_new(&in->streams[i], in, FLOW_BRANCHES);
		struct block_walk *b = block_walk_new(&in->streams[i], in, level);
		bool whole = false;

		if (a && b) {
			block_walk_set_code(a, code);
			block_walk_set_code(b, code);
			n += level == FLOW_CALLS ? compare_strides(a, b, &whole) :
						   compare_branches(a, b, &whole);
		}
		same += whole;
		block_walk_free(a);
		block_walk_free(b);
	}
	kit_ok(n && same == in->nr, "%s, %s: %lu steps, %u of %u streams are the same", in->path,
	       level == FLOW_CALLS ? "in strides" : "branches of strides", n, same, in->nr);
}

static void compare_all(const struct input *in, struct code_image *code, enum flow_level level)
{
	unsigned int i, same = 0;
	unsigned long n = 0;

	for (i = 0; i < in->nr; i++)
		same += compare_stream(in, i, code, level, &n);
	kit_ok(n && same == in->nr, "%s, %s: %lu steps, %u of %u streams are the same", in->path,
	       level == FLOW_INSNS ? "instructions" : "branches", n, same, in->nr);
}

int main(int argc, char **argv)
{
	struct code_files *files = code_files_new();
	struct code_image *code;
	struct input in;
	int i;

	for (i = 1; i < argc; i++) {
		if (input_open(&in, argv[i], NULL)) {
			kit_ok(0, "%s is read", argv[i]);
			continue;
		}
		code = in.perf ? read_image(in.perf, files) : NULL;
		if (code) {
			compare_all(&in, code, FLOW_BRANCHES);
			compare_all(&in, code, FLOW_INSNS);
			compare_levels(&in, code, FLOW_CALLS);
			compare_levels(&in, code, FLOW_STRIDES);
		}
		code_image_free(code);
		input_close(&in);
	}
	code_files_free(files);
	return kit_done();
}
