// SPDX-License-Identifier: BSD-2-Clause
/* The calls of device, session and unit */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <softpt/classes.h>

/* Class dcache: sub-area 4, which is of area 1, with counters 4 to 7 */
#define ESCR	8
#define COUNTER	4

struct softpt_config faults_config(void)
{
	struct softpt_config config = kit_config();

	config.ring = 4096;
	return config;
}

static long create_session(struct faults_world *w)
{
	struct softpt_session_args args = { .size = sizeof(args) };

	return kit_ioctl(w->dev, SOFTPT_CREATE_SESSION, &args);
}

long faults_begin(struct faults_world *w, const struct softpt_config *config,
		  unsigned int source, struct faults_session *s)
{
	long ret;

	s->unit = -1;
	s->session = create_session(w);
	if (s->session < 0)
		return s->session;
	ret = kit_configure(s->session, config);
	if (!ret)
		ret = kit_source(s->session, source, NULL);
	if (!ret)
		s->unit = kit_unit(s->session, 0);
	return ret ? ret : s->unit < 0 ? s->unit : 0;
}

long faults_end(struct faults_session *s, long ret)
{
	if (s->unit >= 0)
		close(s->unit);
	if (s->session >= 0)
		close(s->session);
	return ret;
}

void faults_disable(int session)
{
	while (kit_disable(session) == -EFAULT)
		;
}

static long open_device(struct faults_world *w)
{
	int fd = open("/dev/softpt", O_RDWR | O_CLOEXEC);

	(void)w;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static long get_caps(struct faults_world *w)
{
	struct softpt_caps caps = { .size = sizeof(caps) };

	return kit_ioctl(w->dev, SOFTPT_GET_CAPS, &caps);
}

static long make_session(struct faults_world *w)
{
	long fd = create_session(w);

	if (fd >= 0)
		close(fd);
	return fd;
}

static long make_unit(struct faults_world *w)
{
	struct softpt_config config = faults_config();
	struct faults_session s;

	config.truth = 4096;
	return faults_end(&s, faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s));
}

static long set_config(struct faults_world *w)
{
	struct softpt_config config = faults_config();

	return kit_configure(w->session, &config);
}

static long get_config(struct faults_world *w)
{
	struct softpt_config config = { .size = sizeof(config) };

	return kit_ioctl(w->session, SOFTPT_GET_CONFIG, &config);
}

void faults_unmap(void *base, size_t size)
{
	while (munmap(base, size) && errno == ENOMEM)
		;
}

/* Where nothing has been mapped before, so that page tables are needed */
static long map_unit(struct faults_world *w)
{
	static uintptr_t at = 1ull << 44;
	void *p = mmap((void *)at, 4 * 4096, PROT_READ, MAP_SHARED, w->unit, 0);

	at += 1ull << 39;
	if (p == MAP_FAILED)
		return -errno;
	faults_unmap(p, 4 * 4096);
	return 0;
}

static long enable(struct faults_world *w)
{
	long ret = kit_enable(w->session);

	faults_disable(w->session);
	return ret;
}

static long get_status(struct faults_world *w)
{
	struct softpt_status status = { .size = sizeof(status) };

	return kit_ioctl(w->unit, SOFTPT_GET_STATUS, &status);
}

static long poll_unit(struct faults_world *w)
{
	struct pollfd p = { .fd = w->unit, .events = POLLIN | POLLOUT | POLLRDBAND | POLLPRI };

	return poll(&p, 1, 0) < 0 ? -errno : 0;
}

/* What is written is read. */
static long pass_events(struct faults_world *w)
{
	const struct softpt_config config = faults_config();
	struct faults_session s;
	uint8_t bytes[256];
	long ret = faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s);

	if (!ret)
		ret = kit_enable(s.session);
	if (!ret)
		ret = kit_write(s.unit, w->ev, FAULTS_EVENTS * sizeof(*w->ev));
	if (ret >= 0)
		ret = kit_ioctl(s.unit, SOFTPT_FINISH, NULL);
	if (!ret)
		ret = kit_read(s.unit, bytes, sizeof(bytes));
	return faults_end(&s, ret);
}

static long set_counter(int session)
{
	const struct softpt_escr escr = {
		.size = sizeof(escr), .index = ESCR, .event_class = SOFTPT_CLASS_DCACHE,
		.mask = 0xffff, .usr = ~0u, .os = ~0u,
	};
	const struct softpt_counter counter = {
		.size = sizeof(counter), .index = COUNTER, .escr = ESCR,
		.preset = (1ull << SOFTPT_COUNTER_BITS) - 1,
	};
	long ret = kit_ioctl(session, SOFTPT_SET_ESCR, &escr);

	return ret ? ret : kit_ioctl(session, SOFTPT_SET_COUNTER, &counter);
}

static long start_counter(int session)
{
	struct softpt_count_args args = { .size = sizeof(args), .start = 1u << COUNTER };

	return kit_ioctl(session, SOFTPT_COUNT, &args);
}

static long count(struct faults_world *w)
{
	struct softpt_counter_values values = { .size = sizeof(values) };
	const struct softpt_config config = faults_config();
	struct faults_session s;
	long ret = faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s);

	if (!ret)
		ret = set_counter(s.session);
	if (!ret)
		ret = start_counter(s.session);
	if (!ret)
		ret = kit_ioctl(s.unit, SOFTPT_READ_COUNTERS, &values);
	return faults_end(&s, ret);
}

static long set_freeze(int session)
{
	const struct softpt_freeze_args args = {
		.size = sizeof(args), .counter = COUNTER,
		.pipeline = { .stages = 1, .depth = SOFTPT_FIFO_DEPTH },
	};

	return kit_ioctl(session, SOFTPT_SET_FREEZE, &args);
}

static long cause_event(int unit)
{
	const struct softpt_event ev[] = {
		{ .tsc = 100, .kind = SOFTPT_EV_RETIRE, .ip = 0x400000, .arg = 1 },
		{ .tsc = 100, .kind = SOFTPT_EV_PMU, .arg = 1, .stage = 1,
		  .arg2 = SOFTPT_CLASS_DCACHE | SOFTPT_SUB_DCACHE_READ_MISS << 16 },
	};
	long ret = kit_write(unit, ev, sizeof(ev));

	return ret < 0 ? ret : 0;
}

static long record(struct faults_world *w)
{
	static struct softpt_retirement records[SOFTPT_FIFO_DEPTH];
	struct softpt_fifo_args args = {
		.size = sizeof(args), .n = SOFTPT_FIFO_DEPTH, .records = (uintptr_t)records,
	};
	const struct softpt_config config = faults_config();
	struct faults_session s;
	long ret = faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s);

	if (!ret)
		ret = set_counter(s.session);
	if (!ret)
		ret = set_freeze(s.session);
	if (!ret)
		ret = kit_enable(s.session);
	if (!ret)
		ret = start_counter(s.session);
	if (!ret)
		ret = cause_event(s.unit);
	if (!ret) {
		faults_disable(s.session);	/* the end freezes what has not frozen */
		ret = kit_ioctl(s.unit, SOFTPT_READ_FIFO, &args);
	}
	return faults_end(&s, ret);
}

static long trigger(struct faults_world *w)
{
	const struct softpt_trigger t = {
		.size = sizeof(t), .source = SOFTPT_ON_DEMAND, .nth = 1,
	};
	const struct softpt_config config = faults_config();
	struct faults_session s;
	long ret = faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s);

	if (!ret)
		ret = kit_ioctl(s.session, SOFTPT_SET_TRIGGER, &t);
	if (!ret)
		ret = kit_enable(s.session);
	if (!ret)
		ret = kit_ioctl(s.unit, SOFTPT_TRIGGER, NULL);
	return faults_end(&s, ret);
}

#define ROW(what, how)	{ .name = what, .call = how }

const struct faults_row faults_calls[] = {
	ROW("open", open_device),
	ROW("SOFTPT_GET_CAPS", get_caps),
	ROW("SOFTPT_CREATE_SESSION", make_session),
	ROW("SOFTPT_CREATE_UNIT", make_unit),
	ROW("SOFTPT_SET_CONFIG", set_config),
	ROW("SOFTPT_GET_CONFIG", get_config),
	ROW("mmap", map_unit),
	ROW("SOFTPT_ENABLE", enable),
	ROW("SOFTPT_GET_STATUS", get_status),
	ROW("poll", poll_unit),
	ROW("write and read", pass_events),
	ROW("counters", count),
	ROW("records of retired instructions", record),
	ROW("triggers", trigger),
	{ }
};
