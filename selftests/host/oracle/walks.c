// SPDX-License-Identifier: BSD-2-Clause
/*
 * The path of a recording by libsoftpt-flow's own decoder and by libipt's: step by step the same,
 * and at the same times. The recording is of one process whose code stays as it is.
 *
 *	walks FILE...
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/flow/blockwalk.h"
#include "userspace/lib/flow/ipt.h"

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
		}
		code_image_free(code);
		input_close(&in);
	}
	code_files_free(files);
	return kit_done();
}
