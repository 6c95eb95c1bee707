// SPDX-License-Identifier: BSD-2-Clause
/* Crashes that a perf.data file holds: the newest, each file its own */
#include <errno.h>
#include <string.h>

#include <softpt/params.h>

#include "userspace/include/softpt/perf.h"
#include "selftests/kit/kit.h"
#include "selftests/kit/file.h"

static struct softpt_perf_crash crash_of(uint32_t tid)
{
	struct softpt_perf_crash crash = { .pid = 7, .tid = tid, .signo = 11, .rip = ~0ull };
	unsigned int i;

	for (i = 0; i < SOFTPT_PERF_REGS; i++)
		crash.reg[i] = tid * 100 + i;
	return crash;
}

/* Return: how many crashes the file has; -1: of a thread before @first, or other registers */
static int crashes(struct file *f, uint32_t first)
{
	struct softpt_perf_crash crash, wanted;
	struct softpt_perf *p;
	int n;

	file_load(f);
	if (softpt_perf_open(&p, f->buf, f->len, NULL))
		return -1;
	for (n = 0; n >= 0 && softpt_perf_crash(p, n, &crash); n++) {
		wanted = crash_of(crash.tid);
		if (crash.tid < first || memcmp(&crash, &wanted, sizeof(crash)))
			n = -2;
	}
	softpt_perf_free(p);
	return n;
}

static void test_crashes(void)
{
	struct softpt_config cfg;
	const struct softpt_perf_setup setup = {
		.cfg = &cfg, .time_mult = 1, .vdso = "vdso", .vdso_len = 4,
	};
	struct softpt_perf_crash crash;
	struct softpt_perf_writer *w;
	struct file f[2];
	uint32_t i;
	int err;

	softpt_config_init(&cfg);
	file_open(&f[0]);
	file_open(&f[1]);
	if (softpt_perf_writer_new(&w, f[0].fd, &setup))
		kit_bail("a writer");
	for (i = 1, err = 0; i <= 300; i++) {
		crash = crash_of(i);
		err |= softpt_perf_writer_crash(w, &crash);
	}
	err |= softpt_perf_writer_next(w, -1);
	kit_ok(softpt_perf_writer_crash(w, &crash) == -EINVAL, "a crash without a file");
	err |= softpt_perf_writer_next(w, f[1].fd) | softpt_perf_writer_crash(w, &crash) |
	       softpt_perf_writer_end(w);
	kit_ok(!err && crashes(&f[0], 45) == 256, "the newest crashes of a file");
	kit_ok(crashes(&f[1], 300) == 1, "the next has its own");
	file_close(&f[0]);
	file_close(&f[1]);
}

int main(void)
{
	test_crashes();
	return kit_done();
}
