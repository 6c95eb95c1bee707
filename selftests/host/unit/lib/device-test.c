// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library's side of /dev/softpt without a module: ioctl() is this file's, and a unit a file in
 * memory that is laid out as the module lays out its own. What each call asks for, what it makes of
 * the answer, and that a layout or a position that makes no sense is not believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/include/softpt/device.h"
#include "selftests/kit/kit.h"

#define PAGE	4096
#define RING	4096
#define SESSION	100	/* numbers of files that nobody has open */
#define TSC	77

/* ---- the module ---- */

static struct {
	int fd;
	unsigned long cmd;
	union {
		uint32_t size;
		uint8_t bytes[4096];
	} arg;			/* as it was given */
	int err;		/* to answer with */
	struct softpt_config config;
	int unit;		/* to answer SOFTPT_CREATE_UNIT with */
} module;

static void answer(unsigned long cmd, void *arg)
{
	switch (cmd) {
	case SOFTPT_GET_CONFIG:
		memcpy(arg, &module.config, sizeof(module.config));
		break;
	case SOFTPT_ENABLE:
	case SOFTPT_DISABLE:
		((struct softpt_enable *)arg)->tsc = TSC;
		break;
	case SOFTPT_READ_FIFO:
		((struct softpt_fifo_args *)arg)->n = 2;
		((struct softpt_fifo_args *)arg)->freeze.events = 3;
		break;
	}
}

int ioctl(int fd, unsigned long cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	module.fd = fd;
	module.cmd = cmd;
	memset(&module.arg, 0, sizeof(module.arg));
	if (arg)
		memcpy(&module.arg, arg, _IOC_SIZE(cmd));
	if (module.err) {
		errno = module.err;
		return -1;
	}
	answer(cmd, arg);
	return cmd == SOFTPT_CREATE_UNIT ? dup(module.unit) : 0;
}

/* A unit's memory as this side sees it: what the library reads, it reads from the same pages */
struct fake {
	int fd;
	struct softpt_reader *reader;
	struct softpt_control *control;
	uint8_t *data;
};

static void fake_map(struct fake *f, off_t at)
{
	uint8_t *base;

	if (ftruncate(f->fd, at + 2 * PAGE + 2 * RING))
		kit_bail("a file of %lld bytes", (long long)at);
	base = mmap(NULL, 2 * PAGE + 2 * RING, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, at);
	if (base == MAP_FAILED)
		kit_bail("mapping a file in memory");
	f->reader = (void *)base;
	f->control = (void *)(base + PAGE);
	f->data = base + 2 * PAGE;
	*f->control = (struct softpt_control){
		.version = SOFTPT_ABI_VERSION, .size = sizeof(*f->control),
		.data_offset = 2 * PAGE, .data_size = RING,
	};
}

static void fake_open(struct fake *f)
{
	f->fd = memfd_create("unit", MFD_CLOEXEC);
	fake_map(f, 0);
	module.unit = f->fd;
	module.config = (struct softpt_config){ .size = sizeof(module.config) };
}

static void fake_close(struct fake *f)
{
	munmap(f->reader, 2 * PAGE + 2 * RING);
	close(f->fd);
}

/* ---- calls of a session ---- */

static bool asked(int fd, unsigned long cmd, size_t size)
{
	return module.fd == fd && module.cmd == cmd && module.arg.size == size;
}

/* Both ways: what is asked, and that the kernel's refusal comes back. */
#define CALL(cmd, type, call) do { \
	module.err = 0; \
	kit_ok((call) == 0 && asked(SESSION, cmd, sizeof(type)), #cmd); \
	module.err = EBUSY; \
	kit_is(call, -EBUSY, #cmd " that is refused"); \
	module.err = 0; \
} while (0)

/* A call without an argument */
#define PLAIN(number, call) \
	kit_ok((call) == 0 && module.fd == SESSION && module.cmd == (number), #number)

static void test_session(void)
{
	struct softpt_counter counter = { .index = 3 };
	struct softpt_trigger trigger = { .index = 2 };
	struct softpt_pipeline pipeline = { .stages = 9 };
	struct softpt_synth synth = { .seed = 5 };
	struct softpt_escr escr = { .index = 4 };
	struct softpt_count_args count = { 0 };
	struct softpt_config config;
	struct softpt_threads threads;
	struct softpt_caps caps;

	softpt_config_init(&config);
	CALL(SOFTPT_GET_CAPS, caps, softpt_device_caps(SESSION, &caps));
	CALL(SOFTPT_CREATE_SESSION, struct softpt_session_args, softpt_session_create(SESSION));
	CALL(SOFTPT_SET_CONFIG, config, softpt_session_configure(SESSION, &config));
	CALL(SOFTPT_SET_ESCR, escr, softpt_session_set_escr(SESSION, &escr));
	CALL(SOFTPT_SET_COUNTER, counter, softpt_session_set_counter(SESSION, &counter));
	CALL(SOFTPT_COUNT, count, softpt_session_count(SESSION, &count));
	CALL(SOFTPT_SET_FREEZE, struct softpt_freeze_args,
	     softpt_session_freeze(SESSION, 1, &pipeline));
	CALL(SOFTPT_SET_TRIGGER, trigger, softpt_session_set_trigger(SESSION, &trigger));
	CALL(SOFTPT_GET_THREADS, threads, softpt_session_threads(SESSION, &threads));
	CALL(SOFTPT_ATTACH, struct softpt_attach, softpt_session_attach(SESSION, 1, 0));
	CALL(SOFTPT_SET_SOURCE, struct softpt_source,
	     softpt_session_source(SESSION, SOFTPT_SOURCE_REPLAY));
	CALL(SOFTPT_SET_SOURCE, struct softpt_source,
	     softpt_session_step(SESSION, SOFTPT_STEP_INHERIT));
	CALL(SOFTPT_SET_SOURCE, struct softpt_source, softpt_session_synth(SESSION, &synth));
	PLAIN(SOFTPT_ARM_EXEC, softpt_session_arm_exec(SESSION));
	PLAIN(SOFTPT_REARM_UNITS, softpt_session_rearm(SESSION));
}

static void test_switch(void)
{
	uint64_t tsc = 0;

	kit_ok(!softpt_session_enable(SESSION, &tsc) && tsc == TSC &&
	       asked(SESSION, SOFTPT_ENABLE, sizeof(struct softpt_enable)), "enable, and when");
	tsc = 0;
	kit_ok(!softpt_session_disable(SESSION, &tsc) && tsc == TSC &&
	       asked(SESSION, SOFTPT_DISABLE, sizeof(struct softpt_enable)), "disable, and when");
	kit_is(softpt_session_disable(SESSION, NULL), 0, "no one wants to know when");
	module.err = EBUSY;
	tsc = 1;
	kit_ok(softpt_session_enable(SESSION, &tsc) == -EBUSY && tsc == 1,
	       "a refusal leaves the time alone");
	module.err = 0;
}

/* ---- units ---- */

static void test_layout(void)
{
	enum { VERSION = SOFTPT_ABI_VERSION, SIZE = sizeof(struct softpt_control) };
	static const struct {
		const char *what;
		uint32_t version, size;
		uint64_t offset, data;
	} rows[] = {
		{ "another version", VERSION + 1, SIZE, 2 * PAGE, RING },
		{ "a page 1 that is too small", VERSION, SIZE - 1, 2 * PAGE, RING },
		{ "data in page 1", VERSION, SIZE, PAGE, RING },
		{ "data amid a page", VERSION, SIZE, 2 * PAGE + 8, RING },
		{ "data far away", VERSION, SIZE, (1u << 30) + PAGE, RING },
		{ "no data", VERSION, SIZE, 2 * PAGE, 0 },
		{ "an odd size", VERSION, SIZE, 2 * PAGE, RING + 1 },
		{ "data without end", VERSION, SIZE, 2 * PAGE, 1ull << 63 },
	};
	struct softpt_unit *unit;
	struct fake f;
	size_t i;

	fake_open(&f);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*f.control = (struct softpt_control){
			.version = rows[i].version, .size = rows[i].size,
			.data_offset = rows[i].offset, .data_size = rows[i].data,
		};
		unit = (void *)&f;
		kit_ok(softpt_unit_open(&unit, SESSION, 0) == -EPROTO && !unit, "%s", rows[i].what);
	}
	fake_close(&f);
}

static void test_open_fails(void)
{
	struct softpt_unit *unit;
	int ends[2];

	module.err = ENXIO;
	kit_ok(softpt_unit_open(&unit, SESSION, 9) == -ENXIO && !unit, "no such session");
	module.err = 0;
	if (pipe(ends))
		kit_bail("a pipe");
	module.unit = ends[0];
	kit_ok(softpt_unit_open(&unit, SESSION, 0) == -ENODEV && !unit, "what can't be mapped");
	module.unit = -1;
	kit_ok(softpt_unit_open(&unit, SESSION, 0) == -EBADF && !unit, "no unit");
	softpt_unit_close(NULL);
	close(ends[0]);
	close(ends[1]);
}

static void test_stream(void)
{
	struct softpt_unit *unit;
	const uint8_t *bytes;
	struct fake f;

	fake_open(&f);
	kit_is(softpt_unit_open(&unit, SESSION, 6), 0, "a unit");
	kit_ok(softpt_unit_cpu(unit) == 6 && softpt_unit_fd(unit) >= 0, "is of its CPU");
	kit_ok(softpt_unit_peek(unit, &bytes) == 0, "has nothing yet");
	f.control->head = 100;
	kit_ok(softpt_unit_peek(unit, &bytes) == 100, "then 100 bytes");
	f.data[40] = 0x59;
	softpt_unit_consume(unit, 40);
	kit_ok(softpt_unit_peek(unit, &bytes) == 60 && bytes[0] == 0x59 && f.reader->tail == 40,
	       "of which 40 are read");
	f.reader->tail = 3 * RING + 10;
	f.control->head = 4 * RING + 5;
	f.data[10] = 0x77;
	kit_ok(softpt_unit_peek(unit, &bytes) == RING - 5 && bytes[0] == 0x77,
	       "those at the end and those at the begin are in a row");
	f.reader->tail = 4 * RING + 6;
	kit_ok(softpt_unit_peek(unit, &bytes) == 0, "a tail ahead of the head");
	f.reader->tail = 3 * RING + 4;
	kit_ok(softpt_unit_peek(unit, &bytes) == 0, "and one that is too far behind");
	softpt_unit_watermark(unit, 512);
	kit_ok(f.reader->watermark == 512, "watermark");
	kit_ok(!softpt_unit_done(unit) && !softpt_unit_frozen(unit), "goes on");
	f.control->flags = SOFTPT_ST_DONE;
	kit_ok(softpt_unit_done(unit) && !softpt_unit_frozen(unit), "done");
	softpt_unit_close(unit);
	fake_close(&f);
}

static void test_snapshot(void)
{
	struct softpt_unit *unit;
	const uint8_t *bytes;
	struct fake f;

	fake_open(&f);
	module.config.mode = SOFTPT_RING_SNAPSHOT;
	softpt_unit_open(&unit, SESSION, 0);
	f.control->head = 10 * RING;
	f.control->tail = 9 * RING + 100;
	kit_ok(softpt_unit_peek(unit, &bytes) == 0, "a snapshot that moves is not read");
	f.control->flags = SOFTPT_ST_FROZEN;
	f.data[100] = 0x19;
	kit_ok(softpt_unit_frozen(unit) && softpt_unit_peek(unit, &bytes) == RING - 100 &&
	       bytes[0] == 0x19, "frozen, it begins at its oldest byte");
	softpt_unit_consume(unit, 200);
	kit_ok(f.reader->tail == 9 * RING + 300 && softpt_unit_peek(unit, &bytes) == RING - 300,
	       "and is read from there on");
	softpt_unit_consume(unit, 100);
	kit_ok(f.reader->tail == 9 * RING + 400, "piece by piece");
	softpt_unit_close(unit);
	fake_close(&f);
}

static void test_truth(void)
{
	const struct softpt_truth *truth;
	struct fake packets, ring;
	struct softpt_unit *unit;

	fake_open(&packets);
	softpt_unit_open(&unit, SESSION, 0);
	kit_ok(!softpt_unit_truth(unit, &truth) && !softpt_unit_truth_lost(unit), "no truth");
	softpt_unit_close(unit);
	ring = (struct fake){ .fd = packets.fd };
	fake_map(&ring, SOFTPT_TRUTH_OFFSET);
	module.config.truth = RING;
	kit_is(softpt_unit_open(&unit, SESSION, 0), 0, "a unit with truth");
	kit_ok(ring.reader->watermark == RING / 4, "wakes its reader at a quarter");
	ring.control->head = 5 * sizeof(*truth);
	((struct softpt_truth *)ring.data)[2].tsc = 1234;
	softpt_unit_truth_consume(unit, 2);
	kit_ok(softpt_unit_truth(unit, &truth) == 3 && truth->tsc == 1234, "three records");
	ring.reader->tail = ring.control->head + 1;
	kit_ok(!softpt_unit_truth(unit, &truth), "a tail that makes no sense");
	ring.control->counts.events_lost = 8;
	kit_ok(softpt_unit_truth_lost(unit) == 8, "lost ones");
	softpt_unit_close(unit);
	ring.control->version++;
	kit_is(softpt_unit_open(&unit, SESSION, 0), -EPROTO, "a truth ring of another version");
	munmap(ring.reader, 2 * PAGE + 2 * RING);
	fake_close(&packets);
}

#define UNIT(cmd, size, call) \
	kit_ok((call) == 0 && asked(softpt_unit_fd(unit), cmd, size), #cmd)

static void test_unit_calls(void)
{
	struct softpt_retirement records[SOFTPT_FIFO_DEPTH];
	const struct softpt_event ev[3] = { 0 };
	struct softpt_counter_values values;
	struct softpt_freeze freeze;
	struct softpt_status status;
	struct softpt_unit *unit;
	struct fake f;

	fake_open(&f);
	softpt_unit_open(&unit, SESSION, 0);
	UNIT(SOFTPT_FINISH, 0, softpt_unit_finish(unit));
	UNIT(SOFTPT_PSB, 0, softpt_unit_psb(unit));
	UNIT(SOFTPT_FREEZE, 0, softpt_unit_freeze(unit));
	UNIT(SOFTPT_REARM, 0, softpt_unit_rearm(unit));
	UNIT(SOFTPT_TRIGGER, 0, softpt_unit_trigger(unit));
	UNIT(SOFTPT_REARM_FIFO, 0, softpt_unit_rearm_fifo(unit));
	UNIT(SOFTPT_GET_STATUS, sizeof(status), softpt_unit_status(unit, &status));
	UNIT(SOFTPT_READ_COUNTERS, sizeof(values), softpt_unit_counters(unit, -1, &values));
	kit_ok(!values.flags, "the counters themselves");
	kit_ok(!softpt_unit_counters(unit, 5, &values) && values.flags == SOFTPT_READ_THREAD &&
	       values.thread == 5, "those of a thread");
	kit_ok(softpt_unit_fifo(unit, &freeze, records, 1000) == 2 && freeze.events == 3 &&
	       ((struct softpt_fifo_args *)module.arg.bytes)->n == SOFTPT_FIFO_DEPTH,
	       "no more records are asked for than there can be");
	module.err = ENODATA;
	kit_is(softpt_unit_fifo(unit, &freeze, records, 1), -ENODATA, "no records");
	module.err = 0;
	kit_ok(softpt_unit_write(unit, ev, 3) == 3, "three events are written");
	close(f.fd);
	f.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (dup2(f.fd, softpt_unit_fd(unit)) < 0)
		kit_bail("a file that can't be written");
	kit_is(softpt_unit_write(unit, ev, 3), -EBADF, "a unit that takes none");
	softpt_unit_close(unit);
	fake_close(&f);
}

static void test_pages(void)
{
	const struct softpt_counter_page counters = {
		.seq = 2, .overflowed = 5, .tsc = 9, .value = { 1, 2, [SOFTPT_COUNTERS - 1] = 3 },
	};
	const struct softpt_trigger_page triggers = {
		.seq = 4, .index = 1, .events = 7, .tsc = 6, .ip = 8, .head = 2,
		.hits = { 0, 6, [SOFTPT_TRIGGERS - 1] = 4 },
	};
	struct softpt_counter_page counted;
	struct softpt_trigger_page hit;
	struct softpt_unit *unit;
	struct fake f;

	fake_open(&f);
	softpt_unit_open(&unit, SESSION, 0);
	f.control->counters = counters;
	f.control->triggers = triggers;
	softpt_unit_glance(unit, &counted);
	softpt_unit_triggers(unit, &hit);
	kit_ok(!memcmp(&counted, &counters, sizeof(counted)), "counters at a glance");
	kit_ok(!memcmp(&hit, &triggers, sizeof(hit)), "triggers at a glance");
	softpt_unit_close(unit);
	fake_close(&f);
}

int main(void)
{
	test_session();
	test_switch();
	test_layout();
	test_open_fails();
	test_stream();
	test_snapshot();
	test_truth();
	test_unit_calls();
	test_pages();
	return kit_done();
}
