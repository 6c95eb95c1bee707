// SPDX-License-Identifier: BSD-2-Clause
/* /dev/softpt: the calls, and the reader's side of the mapped ring */
#include <softpt/device.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert((off_t)SOFTPT_TRUTH_OFFSET > 0, "_FILE_OFFSET_BITS=64: mmap() takes off_t");

/* The packets', or the truth's */
struct ring {
	struct softpt_reader *reader;
	const struct softpt_control *control;
	size_t mapped;		/* bytes behind @control */
	const uint8_t *data;
	uint64_t size;		/* of the data once */
};

struct softpt_unit {
	int fd;
	unsigned int cpu;
	bool snapshot;
	struct ring ring;
	struct ring truth;	/* @size 0: there is none */
};

static int call(int fd, unsigned long cmd, const void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

int softpt_device_open(void)
{
	int fd = open(SOFTPT_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int softpt_device_caps(int dev, struct softpt_caps *caps)
{
	*caps = (struct softpt_caps){ .size = sizeof(*caps) };
	return call(dev, SOFTPT_GET_CAPS, caps);
}

/* ---- session ---- */

int softpt_session_create(int dev)
{
	const struct softpt_session_args args = { .size = sizeof(args) };

	return call(dev, SOFTPT_CREATE_SESSION, &args);
}

int softpt_session_configure(int session, const struct softpt_config *cfg)
{
	return call(session, SOFTPT_SET_CONFIG, cfg);
}

int softpt_session_config(int session, struct softpt_config *cfg)
{
	*cfg = (struct softpt_config){ .size = sizeof(*cfg) };
	return call(session, SOFTPT_GET_CONFIG, cfg);
}

int softpt_session_source(int session, unsigned int kind)
{
	const struct softpt_source source = { .size = sizeof(source), .kind = kind };

	return call(session, SOFTPT_SET_SOURCE, &source);
}

int softpt_session_step(int session, unsigned int flags)
{
	const struct softpt_source source = {
		.size = sizeof(source),
		.kind = SOFTPT_SOURCE_STEP,
		.flags = flags,
	};

	return call(session, SOFTPT_SET_SOURCE, &source);
}

int softpt_session_synth(int session, const struct softpt_synth *synth)
{
	const struct softpt_source source = {
		.size = sizeof(source),
		.kind = SOFTPT_SOURCE_SYNTH,
		.synth = *synth,
	};

	return call(session, SOFTPT_SET_SOURCE, &source);
}

static int switch_session(int session, unsigned long cmd, uint64_t *tsc)
{
	struct softpt_enable args = { .size = sizeof(args) };
	int err = call(session, cmd, &args);

	if (!err && tsc)
		*tsc = args.tsc;
	return err;
}

int softpt_session_enable(int session, uint64_t *tsc)
{
	return switch_session(session, SOFTPT_ENABLE, tsc);
}

int softpt_session_disable(int session, uint64_t *tsc)
{
	return switch_session(session, SOFTPT_DISABLE, tsc);
}

int softpt_session_arm_exec(int session)
{
	return call(session, SOFTPT_ARM_EXEC, NULL);
}

int softpt_session_attach(int session, pid_t pid, unsigned int flags)
{
	const struct softpt_attach args = { .size = sizeof(args), .flags = flags, .pid = pid };

	return call(session, SOFTPT_ATTACH, &args);
}

int softpt_session_set_escr(int session, const struct softpt_escr *escr)
{
	struct softpt_escr args = *escr;

	args.size = sizeof(args);
	return call(session, SOFTPT_SET_ESCR, &args);
}

int softpt_session_set_counter(int session, const struct softpt_counter *counter)
{
	struct softpt_counter args = *counter;

	args.size = sizeof(args);
	return call(session, SOFTPT_SET_COUNTER, &args);
}

int softpt_session_count(int session, struct softpt_count_args *args)
{
	args->size = sizeof(*args);
	return call(session, SOFTPT_COUNT, args);
}

int softpt_session_freeze(int session, unsigned int counter, const struct softpt_pipeline *p)
{
	const struct softpt_freeze_args args = {
		.size = sizeof(args), .counter = counter, .pipeline = *p,
	};

	return call(session, SOFTPT_SET_FREEZE, &args);
}

int softpt_session_rearm(int session)
{
	return call(session, SOFTPT_REARM_UNITS, NULL);
}

int softpt_session_set_trigger(int session, const struct softpt_trigger *trigger)
{
	struct softpt_trigger args = *trigger;

	args.size = sizeof(args);
	return call(session, SOFTPT_SET_TRIGGER, &args);
}

int softpt_session_threads(int session, struct softpt_threads *threads)
{
	*threads = (struct softpt_threads){ .size = sizeof(*threads) };
	return call(session, SOFTPT_GET_THREADS, threads);
}

/* ---- unit ---- */

static void *map(int fd, size_t length, int prot, off_t offset)
{
	void *base = mmap(NULL, length, prot, MAP_SHARED, fd, offset);

	return base == MAP_FAILED ? NULL : base;
}

static bool layout_makes_sense(const struct softpt_control *control, size_t page)
{
	return control->version == SOFTPT_ABI_VERSION && control->size >= sizeof(*control) &&
	       control->data_offset >= 2 * page && control->data_offset % page == 0 &&
	       control->data_offset <= 1u << 30 && control->data_size &&
	       !(control->data_size & (control->data_size - 1)) &&
	       control->data_size <= SIZE_MAX / 4;
}

/* Page 1 says where the data is and how much: map that alone first. @at: of page 0 */
static int map_ring(struct ring *ring, int fd, off_t at)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct softpt_control *control = map(fd, page, PROT_READ, at + page);
	uint64_t offset;
	bool good;

	if (!control)
		return -errno;
	good = layout_makes_sense(control, page);
	offset = control->data_offset - page;
	ring->size = control->data_size;
	munmap((void *)(uintptr_t)control, page);
	if (!good)
		return -EPROTO;
	ring->mapped = offset + 2 * ring->size;
	ring->control = map(fd, ring->mapped, PROT_READ, at + page);
	if (!ring->control)
		return -errno;
	ring->data = (const uint8_t *)ring->control + offset;
	ring->reader = map(fd, page, PROT_READ | PROT_WRITE, at);
	return ring->reader ? 0 : -errno;
}

static void unmap_ring(struct ring *ring)
{
	if (ring->reader)
		munmap(ring->reader, sysconf(_SC_PAGESIZE));
	if (ring->control)
		munmap((void *)(uintptr_t)ring->control, ring->mapped);
}

static int open_unit(struct softpt_unit *unit, int session)
{
	const struct softpt_unit_args args = { .size = sizeof(args), .cpu = unit->cpu };
	struct softpt_config cfg;
	int err = softpt_session_config(session, &cfg);

	if (err)
		return err;
	unit->snapshot = cfg.mode == SOFTPT_RING_SNAPSHOT;
	unit->fd = call(session, SOFTPT_CREATE_UNIT, &args);
	if (unit->fd < 0)
		return unit->fd;
	err = map_ring(&unit->ring, unit->fd, 0);
	if (err || !cfg.truth)
		return err;
	err = map_ring(&unit->truth, unit->fd, SOFTPT_TRUTH_OFFSET);
	if (!err)
		__atomic_store_n(&unit->truth.reader->watermark, cfg.truth / 4, __ATOMIC_RELAXED);
	return err;
}

int softpt_unit_open(struct softpt_unit **unit, int session, unsigned int cpu)
{
	int err;

	*unit = calloc(1, sizeof(**unit));
	if (!*unit)
		return -ENOMEM;
	(*unit)->fd = -1;
	(*unit)->cpu = cpu;
	err = open_unit(*unit, session);
	if (err) {
		softpt_unit_close(*unit);
		*unit = NULL;
	}
	return err;
}

void softpt_unit_close(struct softpt_unit *unit)
{
	if (!unit)
		return;
	unmap_ring(&unit->ring);
	unmap_ring(&unit->truth);
	if (unit->fd >= 0)
		close(unit->fd);
	free(unit);
}

int softpt_unit_fd(const struct softpt_unit *unit)
{
	return unit->fd;
}

unsigned int softpt_unit_cpu(const struct softpt_unit *unit)
{
	return unit->cpu;
}

static uint32_t flags(const struct softpt_unit *unit)
{
	/* With acquire: the head that is read after DONE is the last. */
	return __atomic_load_n(&unit->ring.control->flags, __ATOMIC_ACQUIRE);
}

bool softpt_unit_done(const struct softpt_unit *unit)
{
	return flags(unit) & SOFTPT_ST_DONE;
}

bool softpt_unit_frozen(const struct softpt_unit *unit)
{
	return flags(unit) & SOFTPT_ST_FROZEN;
}

/* How the barriers pair is told in kmod/ring/ring.h: C here, D in softpt_unit_consume(). */
size_t softpt_unit_peek(const struct softpt_unit *unit, const uint8_t **bytes)
{
	bool still = !unit->snapshot || flags(unit) & (SOFTPT_ST_FROZEN | SOFTPT_ST_DONE);
	uint64_t head = __atomic_load_n(&unit->ring.control->head, __ATOMIC_ACQUIRE);
	uint64_t unread = head - unit->ring.reader->tail;

	*bytes = unit->ring.data;
	if (unit->snapshot && unread > head - unit->ring.control->tail)
		unread = head - unit->ring.control->tail;
	if (!still || unread > unit->ring.size)
		return 0;
	*bytes = unit->ring.data + ((head - unread) & (unit->ring.size - 1));
	return unread;
}

void softpt_unit_consume(struct softpt_unit *unit, size_t n)
{
	const struct softpt_control *c = unit->ring.control;
	uint64_t tail = unit->ring.reader->tail;

	/* What a snapshot overwrote was skipped. */
	if (unit->snapshot && c->head - tail > c->head - c->tail)
		tail = c->tail;
	__atomic_store_n(&unit->ring.reader->tail, tail + n, __ATOMIC_RELEASE);
}

void softpt_unit_watermark(struct softpt_unit *unit, size_t bytes)
{
	__atomic_store_n(&unit->ring.reader->watermark, bytes, __ATOMIC_RELAXED);
}

/* The barriers pair as those of softpt_unit_peek(). */
size_t softpt_unit_truth(const struct softpt_unit *unit, const struct softpt_truth **truth)
{
	const struct ring *ring = &unit->truth;
	uint64_t head, tail;

	if (!ring->size)
		return 0;
	head = __atomic_load_n(&ring->control->head, __ATOMIC_ACQUIRE);
	tail = ring->reader->tail;
	*truth = (const struct softpt_truth *)(ring->data + (tail & (ring->size - 1)));
	return head - tail > ring->size ? 0 : (head - tail) / sizeof(**truth);
}

void softpt_unit_truth_consume(struct softpt_unit *unit, size_t n)
{
	__atomic_store_n(&unit->truth.reader->tail,
			 unit->truth.reader->tail + n * sizeof(struct softpt_truth),
			 __ATOMIC_RELEASE);
}

uint64_t softpt_unit_truth_lost(const struct softpt_unit *unit)
{
	return unit->truth.size ? unit->truth.control->counts.events_lost : 0;
}

ssize_t softpt_unit_write(struct softpt_unit *unit, const struct softpt_event *ev, size_t n)
{
	ssize_t ret = write(unit->fd, ev, n * sizeof(*ev));

	return ret < 0 ? -errno : (ssize_t)(ret / sizeof(*ev));
}

int softpt_unit_finish(struct softpt_unit *unit)
{
	return call(unit->fd, SOFTPT_FINISH, NULL);
}

int softpt_unit_psb(struct softpt_unit *unit)
{
	return call(unit->fd, SOFTPT_PSB, NULL);
}

int softpt_unit_freeze(struct softpt_unit *unit)
{
	return call(unit->fd, SOFTPT_FREEZE, NULL);
}

int softpt_unit_rearm(struct softpt_unit *unit)
{
	return call(unit->fd, SOFTPT_REARM, NULL);
}

int softpt_unit_trigger(struct softpt_unit *unit)
{
	return call(unit->fd, SOFTPT_TRIGGER, NULL);
}

int softpt_unit_status(struct softpt_unit *unit, struct softpt_status *status)
{
	*status = (struct softpt_status){ .size = sizeof(*status) };
	return call(unit->fd, SOFTPT_GET_STATUS, status);
}

int softpt_unit_counters(struct softpt_unit *unit, int thread, struct softpt_counter_values *v)
{
	*v = (struct softpt_counter_values){ .size = sizeof(*v) };
	if (thread >= 0) {
		v->flags = SOFTPT_READ_THREAD;
		v->thread = thread;
	}
	return call(unit->fd, SOFTPT_READ_COUNTERS, v);
}

int softpt_unit_fifo(struct softpt_unit *unit, struct softpt_freeze *freeze,
		     struct softpt_retirement *record, size_t n)
{
	struct softpt_fifo_args args = {
		.size = sizeof(args),
		.n = n < SOFTPT_FIFO_DEPTH ? n : SOFTPT_FIFO_DEPTH,
		.records = (uintptr_t)record,
	};
	int err = call(unit->fd, SOFTPT_READ_FIFO, &args);

	if (err)
		return err;
	*freeze = args.freeze;
	return args.n;
}

int softpt_unit_rearm_fifo(struct softpt_unit *unit)
{
	return call(unit->fd, SOFTPT_REARM_FIFO, NULL);
}

/* Pairs with the module's two barriers: odd before a change, even behind it */
void softpt_unit_glance(const struct softpt_unit *unit, struct softpt_counter_page *page)
{
	const struct softpt_counter_page *from = &unit->ring.control->counters;
	unsigned int k;

	do {
		page->seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		page->overflowed = __atomic_load_n(&from->overflowed, __ATOMIC_RELAXED);
		page->tsc = __atomic_load_n(&from->tsc, __ATOMIC_RELAXED);
		for (k = 0; k < SOFTPT_COUNTERS; k++)
			page->value[k] = __atomic_load_n(&from->value[k], __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->seq & 1 || page->seq != __atomic_load_n(&from->seq, __ATOMIC_RELAXED));
}

/* As softpt_unit_glance() */
void softpt_unit_triggers(const struct softpt_unit *unit, struct softpt_trigger_page *page)
{
	const struct softpt_trigger_page *from = &unit->ring.control->triggers;
	unsigned int k;

	do {
		page->seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		page->index = __atomic_load_n(&from->index, __ATOMIC_RELAXED);
		page->events = __atomic_load_n(&from->events, __ATOMIC_RELAXED);
		page->tsc = __atomic_load_n(&from->tsc, __ATOMIC_RELAXED);
		page->ip = __atomic_load_n(&from->ip, __ATOMIC_RELAXED);
		page->head = __atomic_load_n(&from->head, __ATOMIC_RELAXED);
		for (k = 0; k < SOFTPT_TRIGGERS; k++)
			page->hits[k] = __atomic_load_n(&from->hits[k], __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->seq & 1 || page->seq != __atomic_load_n(&from->seq, __ATOMIC_RELAXED));
}
