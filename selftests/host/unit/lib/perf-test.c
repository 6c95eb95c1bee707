// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf.data files: what was written is read back, at any moment of the writing, and
 * nothing that a file may say makes the reader read beyond it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/lib/perfdata/file.h"
#include "userspace/lib/perfdata/keep.h"
#include "selftests/kit/kit.h"
#include "selftests/kit/file.h"

#define CPUS	3
#define BYTES	20000

static uint64_t state = 42;

static uint64_t below(uint64_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

/* A stream that begins with a PSB and holds some more, and MTCs between them */
static void fill(uint8_t *buf, size_t len)
{
	size_t i = 0, k;

	while (i < len) {
		bool psb = !i || !below(400);

		if (psb && len - i >= SOFTPT_SIZE_PSB) {
			for (k = 0; k < SOFTPT_SIZE_PSB; k++)
				buf[i++] = k & 1 ? SOFTPT_EXT_PSB : SOFTPT_OPC_PSB;
		} else {
			buf[i++] = SOFTPT_OPC_MTC;
			if (i < len)
				buf[i++] = below(256);
		}
	}
}

static struct softpt_config config(void)
{
	struct softpt_config c;
	char why[320];

	softpt_config_init(&c);
	softpt_config_parse(&c, "cyc=1,retc=0,mtc_freq=5,tsc_ratio=325/3,p1=21,pwr=1", why,
			    sizeof(why));
	return c;
}

/* ---- what is written is read ---- */

struct trace {
	uint8_t buf[BYTES];
	size_t len;		/* in all */
	size_t given;		/* to the writer so far */
};

/* Each stream of the file is the begin of what was written, up to the last PSB at least. */
static bool check_streams(const struct softpt_perf *p, const struct trace *t, bool whole)
{
	const struct softpt_perf_stream *s;
	unsigned int i;

	for (i = 0; (s = softpt_perf_stream(p, i)); i++) {
		if (s->cpu < 0 || s->cpu >= CPUS || s->tid != -1 || s->len > t[s->cpu].given ||
		    memcmp(s->buf, t[s->cpu].buf, s->len))
			return false;
		if (whole && s->len != t[s->cpu].len)
			return false;
	}
	return !whole || i == CPUS;
}

static size_t held(const struct softpt_perf *p)
{
	const struct softpt_perf_stream *s;
	size_t sum = 0;
	unsigned int i;

	for (i = 0; (s = softpt_perf_stream(p, i)); i++)
		sum += s->len;
	return sum;
}

/* The file as it is now, as if the writer had been killed */
static bool check_now(struct file *f, const struct trace *t, bool whole, size_t *bytes)
{
	struct softpt_perf *p;
	bool good;

	file_load(f);
	if (softpt_perf_open(&p, f->buf, f->len, NULL))
		return false;
	good = check_streams(p, t, whole);
	*bytes = held(p);
	softpt_perf_free(p);
	return good;
}

static void test_round_trip(void)
{
	static struct trace t[CPUS];
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	struct softpt_perf_writer *w;
	size_t i, left = 0, bad = 0, calls = 0, bytes = 0, last = 0, shrunk = 0;
	struct file f;

	file_open(&f);
	for (i = 0; i < CPUS; i++) {
		t[i].len = BYTES - i * 1111;
		fill(t[i].buf, t[i].len);
		left += t[i].len;
	}
	if (softpt_perf_writer_new(&w, f.fd, &setup))
		kit_bail("a writer");
	while (left) {
		unsigned int cpu = below(CPUS);
		size_t n = below(700), most = t[cpu].len - t[cpu].given;

		n = n < most ? n : most;
		bad += !!softpt_perf_writer_trace(w, cpu, 1000 + calls, t[cpu].buf + t[cpu].given,
						  n);
		t[cpu].given += n;
		left -= n;
		bad += !check_now(&f, t, false, &bytes);
		shrunk += bytes < last;
		last = bytes;
		calls++;
	}
	kit_ok(!bad && !shrunk && calls > 100, "after each of %zu writes the file is whole", calls);
	kit_ok(bytes > (size_t)BYTES * CPUS * 9 / 10, "and holds all but the last PSBs: %zu bytes",
	       bytes);
	kit_ok(!softpt_perf_writer_end(w), "the end is written");
	kit_ok(check_now(&f, t, true, &bytes), "then every byte is there");
	file_close(&f);
}

/* The first that a stream has is all, with several PSBs: there is nothing from before. */
static void test_at_once(void)
{
	static struct trace t[CPUS];
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	struct softpt_perf_writer *w;
	struct file f;
	size_t bytes;
	int i, err;

	file_open(&f);
	err = softpt_perf_writer_new(&w, f.fd, &setup);
	for (i = 0; i < CPUS && !err; i++) {
		t[i].len = BYTES;
		t[i].given = BYTES;
		fill(t[i].buf, BYTES);
		err = softpt_perf_writer_trace(w, i, 1000, t[i].buf, BYTES);
	}
	kit_ok(!err && !softpt_perf_writer_end(w) && check_now(&f, t, true, &bytes),
	       "a trace that is written at once");
	file_close(&f);
}

static const uint8_t vdso[] = { 0x7f, 'E', 'L', 'F', 0xc3 };

static void test_config(void)
{
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = {
		.cfg = &cfg, .time_zero = 500, .time_mult = 3, .time_shift = 1,
		.vdso = vdso, .vdso_len = sizeof(vdso),
	};
	struct softpt_perf_writer *w;
	struct softpt_config got;
	struct softpt_perf *p;
	struct file f;
	size_t len;

	file_open(&f);
	kit_ok(!softpt_perf_writer_new(&w, f.fd, &setup) &&
	       !softpt_perf_writer_trace(w, 0, 1, NULL, 0) && !softpt_perf_writer_end(w),
	       "a file without a trace");
	file_load(&f);
	if (softpt_perf_open(&p, f.buf, f.len, NULL))
		kit_bail("it is read");
	softpt_perf_config(p, &got);
	kit_ok(got.flags == cfg.flags && got.mtc_freq == 5 && got.tsc_ebx == 325 &&
	       got.tsc_eax == 3 && got.p1 == 21, "says what the units were set to");
	kit_ok(softpt_perf_time(p, 1001) == 500 + 1501, "and how TSC becomes time");
	kit_ok(!softpt_perf_stream(p, 0), "and that there is none");
	kit_ok(softpt_perf_vdso(p, &len) && len == sizeof(vdso) &&
	       !memcmp(softpt_perf_vdso(p, &len), vdso, len), "and has the code of the kernel");
	softpt_perf_free(p);
	file_close(&f);
}

/* ---- records ---- */

struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint64_t device, inode, generation;
	uint32_t prot, flags;
	char name[16];
	struct softpt_perf_id id;
};

struct switched {
	struct perf_event_header header;
	struct softpt_perf_id id;
};

static int put_switch(struct softpt_perf_writer *w, uint32_t cpu, uint64_t time)
{
	const struct switched s = {
		.header = { .type = PERF_RECORD_SWITCH, .size = sizeof(s) },
		.id = { .pid = 7, .tid = 7, .cpu = cpu, .time = time },
	};

	return softpt_perf_writer_record(w, &s.header);
}

static int put_comm(struct softpt_perf_writer *w, uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		struct softpt_perf_id id;
	} c = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(c) },
		.pid = 7, .tid = 7, .comm = "name", .id = { .time = time },
	};

	return softpt_perf_writer_record(w, &c.header);
}

/* The records of a file have these times, and its only stream is these bytes. */
static bool holds(struct file *f, const uint64_t *time, size_t n, const uint8_t *buf, size_t len)
{
	const struct softpt_perf_stream *s;
	struct softpt_perf_record rec;
	struct softpt_perf *p;
	bool good;
	size_t i;

	file_load(f);
	if (softpt_perf_open(&p, f->buf, f->len, NULL))
		return false;
	s = softpt_perf_stream(p, 0);
	good = s && s->len == len && !memcmp(s->buf, buf, len) && !softpt_perf_stream(p, 1);
	for (i = 0; i < n; i++)
		good &= softpt_perf_record(p, i, &rec) && rec.id.time == time[i];
	good &= !softpt_perf_record(p, n, &rec);
	softpt_perf_free(p);
	return good;
}

static void test_next(void)
{
	static const uint64_t first[] = { 1, 2, 3, 4, 5, 6 }, next[] = { 1, 4, 5, 6, 7, 8, 9 };
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	struct softpt_perf_writer *w;
	uint8_t buf[2][100];
	struct file f[2];
	int err;

	file_open(&f[0]);
	file_open(&f[1]);
	fill(buf[0], sizeof(buf[0]));
	fill(buf[1], sizeof(buf[1]));
	if (softpt_perf_writer_new(&w, f[0].fd, &setup))
		kit_bail("a writer");
	softpt_perf_writer_keep(w);
	err = put_comm(w, 1) | put_switch(w, 0, 2) | put_switch(w, 1, 3) | put_switch(w, 0, 4) |
	      put_comm(w, 5) | put_switch(w, 1, 6) |
	      softpt_perf_writer_trace(w, 0, 1, buf[0], sizeof(buf[0]));
	err |= softpt_perf_writer_next(w, -1);
	err |= put_switch(w, 0, 7) | put_switch(w, 0, 8);
	kit_ok(softpt_perf_writer_trace(w, 0, 1, buf[1], sizeof(buf[1])) == -EINVAL,
	       "between two files a trace has no place");
	err |= softpt_perf_writer_next(w, f[1].fd) | put_comm(w, 9) |
	       softpt_perf_writer_trace(w, 0, 1, buf[1], sizeof(buf[1]));
	err |= softpt_perf_writer_end(w);
	kit_ok(!err && holds(&f[0], first, 6, buf[0], sizeof(buf[0])), "the first of two files");
	kit_ok(holds(&f[1], next, 7, buf[1], sizeof(buf[1])),
	       "the next has its own trace, and of before who was where");
	file_close(&f[0]);
	file_close(&f[1]);
}

/* A file that is ended is its owner's again, whatever has gone wrong with it. */
static void test_next_fails(void)
{
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	struct softpt_perf_writer *w;
	struct file f;
	int fd;

	file_open(&f);
	if (softpt_perf_writer_new(&w, f.fd, &setup))
		kit_bail("a writer");
	kit_ok(!softpt_perf_writer_next(w, -1) && put_comm(w, 1) == -EINVAL,
	       "between two files a record has no place, unless it is kept");
	fd = open("/dev/full", O_WRONLY);
	kit_ok(softpt_perf_writer_next(w, fd) == -ENOSPC, "the next file cannot be written");
	kit_ok(softpt_perf_writer_next(w, -1) == -ENOSPC, "which its end says again");
	close(fd);
	kit_ok(softpt_perf_writer_end(w) == -ENOSPC, "and that of the writer, which has no file now");
	file_close(&f);
}

static bool keep_switch(struct perfkeep *k, uint32_t cpu, uint64_t time)
{
	const struct switched s = {
		.header = { .type = PERF_RECORD_SWITCH, .size = sizeof(s) },
		.id = { .cpu = cpu, .time = time },
	};

	return perfkeep_add(k, &s.header);
}

/* A day of switches between two files: CPU 1 had one at its begin, CPU 0 all the others. */
static void test_kept(void)
{
	const size_t n = 5 * (size_t)PERFKEEP_MAX / sizeof(struct switched);
	struct perfkeep k = { .kept = 0 };
	const struct switched *s;
	size_t i, most = 0, left;
	bool good;

	good = keep_switch(&k, 1, 1);
	for (i = 2; good && i < n; i++) {
		good = keep_switch(&k, 0, i);
		most = k.records.len > most ? k.records.len : most;
	}
	kit_ok(good && most <= PERFKEEP_MAX + sizeof(*s), "records that are kept have a bound");
	s = (const struct switched *)k.records.buf;
	left = k.records.len / sizeof(*s);
	kit_ok(s[0].id.cpu == 1 && s[0].id.time == 1, "the last of a CPU stays, however old it is");
	good = left > PERFKEEP_MAX / sizeof(*s) / 3;
	for (i = 1; good && i + 1 < left; i++)
		good = s[left - i].id.time == n - i;
	kit_ok(good, "and the newest without a hole");
	perfkeep_free(&k);
}

static void test_records(void)
{
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	struct mmap2 m = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(m),
			    .misc = PERF_RECORD_MISC_USER },
		.pid = 7, .tid = 8, .addr = 0x401000, .len = 0x1000, .pgoff = 0x2000,
		.prot = PROT_READ | PROT_EXEC, .name = "/bin/true",
		.id = { .pid = 7, .tid = 8, .time = 99, .cpu = 1 },
	};
	struct softpt_perf_record rec;
	struct softpt_perf_writer *w;
	struct softpt_perf_map map;
	struct softpt_perf *p;
	struct file f;
	size_t len;

	file_open(&f);
	if (softpt_perf_writer_new(&w, f.fd, &setup))
		kit_bail("a writer");
	kit_ok(!softpt_perf_writer_record(w, &m.header), "a record is written");
	m.header.size -= 4;
	kit_ok(softpt_perf_writer_record(w, &m.header) == -EINVAL, "not one of an odd size");
	m.header.size = 16;
	kit_ok(softpt_perf_writer_record(w, &m.header) == -EINVAL, "nor one without an id");
	softpt_perf_writer_end(w);
	file_load(&f);
	if (softpt_perf_open(&p, f.buf, f.len, NULL))
		kit_bail("it is read");
	kit_ok(softpt_perf_record(p, 0, &rec) && rec.type == PERF_RECORD_MMAP2 &&
	       rec.misc == PERF_RECORD_MISC_USER && rec.id.pid == 7 && rec.id.tid == 8 &&
	       rec.id.time == 99 && rec.id.cpu == 1 && rec.id.id == 1, "a record is read");
	kit_ok(softpt_perf_map_of(&rec, &map) && map.pid == 7 && map.tid == 8 &&
	       map.addr == 0x401000 && map.len == 0x1000 && map.pgoff == 0x2000 &&
	       map.prot == (PROT_READ | PROT_EXEC) && !strcmp(map.name, "/bin/true"),
	       "and its mapping");
	kit_ok(!softpt_perf_record(p, 1, &rec), "there is one");
	kit_ok(!softpt_perf_vdso(p, &len) && !len, "and no code of the kernel");
	rec.size = 64 + 9;
	kit_ok(!softpt_perf_map_of(&rec, &map), "a name without its end is none");
	softpt_perf_free(p);
	file_close(&f);
}

/* ---- hostile files ---- */

/* Read all that the file says; only a sanitizer would notice more than a crash. */
static int use(const uint8_t *buf, size_t len)
{
	const struct softpt_perf_stream *s;
	struct softpt_perf_record rec;
	struct softpt_perf_crash crash;
	struct softpt_perf_map map;
	struct softpt_config cfg;
	struct softpt_perf *p;
	uint64_t sum = 0;
	const uint8_t *code;
	size_t i, k, n;
	int err = softpt_perf_open(&p, buf, len, NULL);

	if (err)
		return err;
	softpt_perf_config(p, &cfg);
	sum += softpt_perf_time(p, 12345) + cfg.tsc_ebx;
	for (i = 0; (s = softpt_perf_stream(p, i)); i++)
		for (k = 0; k < s->len; k++)
			sum += s->buf[k];
	code = softpt_perf_vdso(p, &n);
	for (i = 0; i < n; i++)
		sum += code[i];
	for (i = 0; softpt_perf_crash(p, i, &crash); i++)
		sum += crash.rip;
	for (i = 0; softpt_perf_record(p, i, &rec); i++) {
		for (k = 0; k < rec.size; k++)
			sum += ((const uint8_t *)rec.body)[k];
		if (softpt_perf_map_of(&rec, &map))
			sum += strlen(map.name);
	}
	softpt_perf_free(p);
	return sum != UINT64_MAX ? 0 : -EIO;
}

static bool known(int err)
{
	return !err || err == -EBADMSG || err == -EOPNOTSUPP || err == -ENODATA;
}

/* A copy of its own size, as a file would be */
static int use_copy(const uint8_t *buf, size_t len)
{
	uint8_t *copy = malloc(len + !len);
	int err;

	memcpy(copy, buf, len);
	err = use(copy, len);
	free(copy);
	return err;
}

static void make_file(struct file *f)
{
	static struct trace t;
	const struct softpt_config cfg = config();
	const struct softpt_perf_setup setup = {
		.cfg = &cfg, .time_mult = 1, .vdso = vdso, .vdso_len = sizeof(vdso),
	};
	const struct mmap2 m = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(m) },
		.name = "[vdso]",
	};
	struct softpt_perf_writer *w;
	unsigned int cpu;

	file_open(f);
	fill(t.buf, 600);
	if (softpt_perf_writer_new(&w, f->fd, &setup))
		kit_bail("a writer");
	for (cpu = 0; cpu < 2; cpu++) {
		softpt_perf_writer_record(w, &m.header);
		softpt_perf_writer_trace(w, cpu, 1, t.buf, 600);
		softpt_perf_writer_trace(w, cpu, 2, t.buf, 77);
	}
	for (cpu = 0; cpu < 2; cpu++)
		softpt_perf_writer_crash(w, &(struct softpt_perf_crash){ .tid = cpu });
	softpt_perf_writer_end(w);
	file_load(f);
}

static void test_hostile(void)
{
	static const uint8_t odd[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xff };
	size_t i, k, bad = 0, tries = 0, refused = 0;
	struct file f;

	make_file(&f);
	kit_ok(!use(f.buf, f.len), "a good file");
	for (i = 0; i < f.len; i++)
		bad += !known(use_copy(f.buf, i));
	kit_ok(!bad, "cut to each of %zu lengths", f.len);
	for (i = 0; i < f.len; i++) {
		uint8_t was = f.buf[i];

		for (k = 0; k < sizeof(odd); k++, tries++) {
			int err;

			f.buf[i] = odd[k];
			err = use(f.buf, f.len);
			bad += !known(err);
			refused += err < 0;
		}
		f.buf[i] = was;
	}
	kit_ok(!bad && refused > 100, "%zu changed bytes, %zu files refused", tries, refused);
	for (i = 0; i < 20000; i++) {
		uint8_t *copy = malloc(f.len);

		memcpy(copy, f.buf, f.len);
		for (k = 1 + below(6); k; k--)
			copy[below(f.len < 1000 ? f.len : 1000)] = below(256);
		bad += !known(use(copy, f.len));
		free(copy);
	}
	kit_ok(!bad, "20000 files with several changed bytes");
	file_close(&f);
}

static void test_refused(void)
{
	struct softpt_perf *p;
	struct file f;
	uint64_t at;

	make_file(&f);
	kit_ok(softpt_perf_detect(f.buf, f.len) && !softpt_perf_detect(f.buf + 1, f.len - 1) &&
	       !softpt_perf_detect(f.buf, 7), "files are told by their first bytes");
	f.buf[8] = 16;
	kit_ok(softpt_perf_open(&p, f.buf, f.len, &at) == -EOPNOTSUPP, "a pipe's file");
	f.buf[8] = sizeof(struct perffile_header);
	f.buf[256] = PERFFILE_REC_COMPRESSED;
	kit_ok(softpt_perf_open(&p, f.buf, f.len, &at) == -EOPNOTSUPP && at == 256,
	       "a compressed file, and where");
	f.buf[256] = PERFFILE_REC_AUXTRACE_INFO;
	f.buf[256 + 8] = 3;
	kit_ok(softpt_perf_open(&p, f.buf, f.len, &at) == -ENODATA, "another kind of trace");
	memset(f.buf, 0, 8);
	kit_ok(softpt_perf_open(&p, f.buf, f.len, &at) == -EBADMSG, "no perf.data");
	file_close(&f);
}

int main(void)
{
	test_round_trip();
	test_at_once();
	test_config();
	test_records();
	test_next();
	test_next_fails();
	test_kept();
	test_hostile();
	test_refused();
	return kit_done();
}
