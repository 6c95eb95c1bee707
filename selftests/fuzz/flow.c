// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: the path of any packets through any code. The last 256 bytes are the code, which a
 * perf.data file holds as the vdso at a fixed address; the first byte chooses what the path tells.
 * A row's function has a depth, and its times are in order; what was executed is what is counted.
 * Our own decoder walks once more, also where the stream does not say that it is ours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/include/softpt/perf.h"
#include "userspace/lib/flow/blockwalk.h"
#include "userspace/lib/flow/stride/walk.h"
#include "userspace/lib/flow/path.h"
#include "fuzz.h"

#define CODE	256
#define AT	0x401000	/* where the golden cases run */
#define ROWS	5000
#define PID	7

struct map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char name[8];
	struct softpt_perf_id id;
};

struct start_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	struct softpt_perf_id id;
};

static int put_records(struct softpt_perf_writer *w)
{
	struct map_record map = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(map) },
		.pid = PID, .tid = PID, .addr = AT, .len = CODE, .prot = PROT_EXEC,
		.name = "[vdso]", .id = { .pid = PID, .tid = PID },
	};
	struct start_record start = {
		.header = { .type = PERF_RECORD_ITRACE_START, .size = sizeof(start) },
		.pid = PID, .tid = PID, .id = { .pid = PID, .tid = PID },
	};

	return softpt_perf_writer_record(w, &map.header) ||
	       softpt_perf_writer_record(w, &start.header);
}

static int write_file(int fd, const uint8_t *trace, size_t len)
{
	struct softpt_config cfg;
	struct softpt_perf_setup setup = {
		.cfg = &cfg, .time_mult = 1, .vdso32 = trace + len, .vdso32_len = CODE,
	};
	struct softpt_perf_writer *w;
	int err;

	softpt_config_init(&cfg);
	if (softpt_perf_writer_new(&w, fd, &setup))
		return -1;
	err = put_records(w) || softpt_perf_writer_trace(w, 0, 1, trace, len);
	return softpt_perf_writer_end(w) || err;
}

struct seen {
	unsigned int rows;
	uint64_t counted;
};

static bool count(void *context, const struct softpt_flow_row *row)
{
	struct seen *seen = context;

	if (row->event >= SOFTPT_FLOW_EVENT_NR || !row->thread || !row->comm ||
	    (row->when.bounded && row->when.min > row->when.max))
		abort();
	if (row->event == SOFTPT_FLOW_COUNT)
		seen->counted += row->instructions * row->times;
	return ++seen->rows < ROWS;
}

static struct code_image *read_code(const struct softpt_perf *perf, struct code_files *files)
{
	struct code_image *code = code_image_new(files, perf);
	struct softpt_perf_record rec;
	struct softpt_perf_map map;
	size_t i;

	for (i = 0; code && softpt_perf_record(perf, i, &rec); i++)
		if (softpt_perf_map_of(&rec, &map))
			code_image_add(code, &map, map.name);
	return code;
}

/* Each branch is behind the one before; now and then another walk comes between, or other code. */
static void see_stride(struct block_walk *w, struct flow_stride *s)
{
	struct softpt_flow_time when;

	flow_stride_find_times(s);
	while (s->told < s->n) {
		flow_stride_time(s, &when);
		if (when.bounded && when.max < when.min)
			abort();
		if (s->n % 3 == 1)
			block_walk_keep(w);
		if (s->n % 4 == 1)
			block_walk_cut(w);
		flow_stride_pass(s);
	}
	if (s->bits != s->outcomes)
		abort();
}

static void walk_blocks(const struct input *in, uint8_t mode)
{
	struct code_files *files = code_files_new();
	struct code_image *code = files ? read_code(in->perf, files) : NULL;
	struct block_walk *w = block_walk_new(&in->streams[0], in, mode % 5);
	unsigned int steps = 0;
	struct flow_step step;

	if (w && code) {
		block_walk_set_code(w, code);
		while (steps++ < ROWS && block_walk_next(w, &step)) {
			if (step.kind == FLOW_STRIDE) {
				see_stride(w, step.stride);
				continue;
			}
			if (step.size > sizeof(step.raw))
				abort();
			if (step.kind == FLOW_LOST && !step.error)
				abort();
			if (step.note)
				*step.note = 1 + (step.to & 1);
		}
	}
	block_walk_free(w);
	code_image_free(code);
	code_files_free(files);
}

static void walk(int fd, uint8_t mode)
{
	static const uint32_t wanted[] = {
		~(1u << SOFTPT_FLOW_INSN), UINT32_MAX, 1u << SOFTPT_FLOW_COUNT,
		1u << SOFTPT_FLOW_COUNT | 1u << SOFTPT_FLOW_CALL,
	};
	struct seen seen = { 0 };
	struct flow_path path = {
		.root = "", .wanted = wanted[mode % 4], .row = count, .context = &seen,
	};
	struct input in;
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (input_open(&in, name, NULL))
		return;
	path.in = &in;
	if (flow_path_walk(&path) != -ENOMEM && seen.rows < ROWS &&
	    seen.counted != path.totals.instructions)
		abort();
	if (in.perf && in.nr)
		walk_blocks(&in, mode);
	input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd;

	if (size < 1 + CODE)
		return 0;
	fd = memfd_create("flow", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!write_file(fd, data + 1, size - 1 - CODE))
		walk(fd, *data);
	close(fd);
	return 0;
}
