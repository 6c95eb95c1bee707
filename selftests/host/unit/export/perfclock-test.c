// SPDX-License-Identifier: BSD-2-Clause
/* The clock of a recording in 64 bits says what softpt_perf_time() does, and the way back fits. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/export/tables/clock.h"

static uint64_t state = 42;

static uint64_t draw(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 4;	/* below 1 << 60: years of ticks */
}

/* A recording with a clock, and bytes enough to be one */
struct recording {
	struct softpt_perf *perf;
	void *map;
	size_t len;
};

static void open_recording(struct recording *r, uint64_t zero, uint32_t mult, uint16_t shift)
{
	static const uint8_t psb[] = {
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x23,
	};
	struct softpt_perf_writer *w;
	struct softpt_config cfg;
	struct softpt_perf_setup setup = {
		.cfg = &cfg, .time_zero = zero, .time_mult = mult, .time_shift = shift,
	};
	int fd = memfd_create("recording", MFD_CLOEXEC);

	softpt_config_init(&cfg);
	if (fd < 0 || softpt_perf_writer_new(&w, fd, &setup) ||
	    softpt_perf_writer_trace(w, 0, 1, psb, sizeof(psb)) || softpt_perf_writer_end(w))
		kit_bail("a recording");
	r->len = lseek(fd, 0, SEEK_END);
	r->map = mmap(NULL, r->len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (r->map == MAP_FAILED || softpt_perf_open(&r->perf, r->map, r->len, NULL))
		kit_bail("reading a recording");
}

static void close_recording(struct recording *r)
{
	softpt_perf_free(r->perf);
	munmap(r->map, r->len);
}

/* As a column is computed: signed, and without an overflow */
static bool compute(const struct perf_clock *c, int64_t tsc, int64_t *ns)
{
	const int64_t rest = tsc & (int64_t)((1ull << c->shift) - 1);
	int64_t upper, lower;

	if (__builtin_mul_overflow(tsc >> c->shift, (int64_t)c->mult, &upper) ||
	    __builtin_mul_overflow(rest, (int64_t)c->mult, &lower))
		return false;
	*ns = c->zero + upper + (lower >> c->shift);
	return true;
}

static bool is_same(const struct softpt_perf *perf, const struct perf_clock *c, uint64_t tsc)
{
	int64_t ns;

	if (compute(c, tsc, &ns) && (uint64_t)ns == softpt_perf_time(perf, tsc))
		return true;
	kit_note("tsc %llu", (unsigned long long)tsc);
	return false;
}

/* The time of a TSC leads back to an interval that it is in, all of which has this time. */
static bool leads_back(const struct softpt_perf *perf, uint64_t tsc)
{
	const uint64_t ns = softpt_perf_time(perf, tsc);
	struct softpt_flow_time when;

	if (perf_clock_tsc(perf, ns, &when) && when.min <= tsc && tsc <= when.max &&
	    when.min <= when.tsc && when.tsc <= when.max &&
	    softpt_perf_time(perf, when.min) == ns && softpt_perf_time(perf, when.max) == ns &&
	    softpt_perf_time(perf, when.max + 1) > ns)
		return true;
	kit_note("tsc %llu", (unsigned long long)tsc);
	return false;
}

static void test_clock(uint64_t zero, uint32_t mult, uint16_t shift)
{
	struct recording r;
	struct perf_clock c;
	bool same, back = true;
	unsigned int i;

	open_recording(&r, zero, mult, shift);
	perf_clock_of(r.perf, &c);
	same = c.known;
	for (i = 0; i < 20000 && same; i++)
		same = is_same(r.perf, &c, draw() >> i % 60);
	for (i = 0; i < 2000 && back; i++)
		back = leads_back(r.perf, draw() >> (4 + i % 50));
	kit_ok(same, "%lld + tsc * %u >> %u", (long long)zero, mult, shift);
	kit_ok(back, "and back");
	close_recording(&r);
}

static void test_unknown(uint64_t zero, uint32_t mult, uint16_t shift, const char *why)
{
	struct recording r;
	struct perf_clock c;

	open_recording(&r, zero, mult, shift);
	perf_clock_of(r.perf, &c);
	kit_ok(!c.known && !perf_clock_frequency(&c), "not known: %s", why);
	close_recording(&r);
}

static void test_before(void)
{
	struct softpt_flow_time when;
	struct perf_clock c;
	struct recording r;

	open_recording(&r, 1000, 1 << 30, 31);
	perf_clock_of(r.perf, &c);
	kit_ok(!perf_clock_tsc(r.perf, 999, &when), "before TSC 0");
	kit_ok(perf_clock_tsc(r.perf, 1000, &when) && !when.min && when.max == 1, "TSC 0");
	kit_ok(perf_clock_frequency(&c) == 2000000000, "the frequency");
	close_recording(&r);
}

int main(void)
{
	test_clock(0, 825955249, 31);
	test_clock(123456789, 1431655765, 31);
	test_clock(-5000000000ull, 341, 10);
	test_clock(7, 3u << 30, 32);
	test_clock(0, 1, 3);
	test_clock(0, UINT32_MAX, 31);
	test_clock(0, 5, 0);
	test_unknown(0, 1, 0, "it is the TSC");
	test_unknown(0, 1 << 20, 20, "it is the TSC, by other numbers");
	test_unknown(0, UINT32_MAX, 60, "ticks are too short");
	test_before();
	return kit_done();
}
