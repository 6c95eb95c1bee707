// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program maps and when, which threads and children it has, and which of them a
 * CPU executes: from a perf event that counts nothing. One event per CPU: an event that
 * follows the threads of a process can't be read otherwise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/tsc.h"
#include "sideband/clock.h"
#include "sideband/events.h"
#include "sideband/maps.h"
#include "sideband/system.h"

#define PAGES	16	/* of a CPU's ring: a power of two */

struct watch {
	int fd;
	unsigned int cpu;
	bool gone;		/* there is nobody to wait for */
	struct perf_event_mmap_page *page;
	const uint8_t *data;
};

/* Another thread, which writes to the same rings */
struct joined {
	pid_t tid;
	int *fd;		/* as many as there are CPUs */
};

struct sideband {
	pid_t pid;		/* -1: all */
	pid_t tid;
	bool model;
	uint64_t last;		/* TSC of the last drain */
	bool whole;		/* no switches are asked for */
	bool raw;		/* perf tells no clock: it is CLOCK_MONOTONIC_RAW, and */
	struct moment from;	/* the times of its records are found between this one */
	struct moment to;	/* and this one */
	struct moment opened;
	uint32_t mult;		/* of ticks to perf's clock; 0: not found yet */
	uint16_t shift;
	uint64_t zero;
	struct maps *maps;	/* where perf events are refused */
	struct joined *joined;
	size_t nr_joined;
	unsigned int nr;
	struct watch watch[];
};

static size_t ring_size(void)
{
	return (size_t)PAGES * sysconf(_SC_PAGESIZE);
}

static int open_event(const struct sideband *s, pid_t pid, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.sample_type = SOFTPT_PERF_SAMPLE_TYPE,
		.sample_id_all = 1,
		.inherit = pid != -1,
		.exclude_kernel = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = !s->whole,
		.watermark = 1,
		.wakeup_watermark = ring_size() / 4,
		.use_clockid = s->raw,
		.clockid = s->raw ? CLOCK_MONOTONIC_RAW : 0,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool watch_open(const struct sideband *s, struct watch *w, unsigned int cpu)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *base;

	w->cpu = cpu;
	w->fd = open_event(s, s->tid, cpu);
	if (w->fd < 0)
		return false;
	base = mmap(NULL, page + ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	if (base == MAP_FAILED) {
		close(w->fd);
		return false;
	}
	w->page = base;
	w->data = (const uint8_t *)base + page;
	return true;
}

static void watch_close(struct watch *w)
{
	munmap(w->page, sysconf(_SC_PAGESIZE) + ring_size());
	close(w->fd);
}

static bool watch_all(struct sideband *s, const unsigned int *cpus, unsigned int nr)
{
	while (s->nr < nr && watch_open(s, &s->watch[s->nr], cpus[s->nr]))
		s->nr++;
	if (s->nr == nr)
		return true;
	while (s->nr)
		watch_close(&s->watch[--s->nr]);
	return false;
}

/* Where perf does not say how its clock follows from the TSC, another clock is asked for. */
static bool watch_clocked(struct sideband *s, const unsigned int *cpus, unsigned int nr)
{
	if (!watch_all(s, cpus, nr))
		return false;
	if (s->model || !nr || s->watch[0].page->cap_user_time_zero)
		return true;
	while (s->nr)
		watch_close(&s->watch[--s->nr]);
	s->raw = true;
	s->from = s->opened;
	s->to = s->from;
	return watch_all(s, cpus, nr);
}

struct sideband *sideband_open(const struct watched *who, const unsigned int *cpus,
			       unsigned int nr, bool model)
{
	struct sideband *s = calloc(1, sizeof(*s) + nr * sizeof(s->watch[0]));

	if (!s)
		return NULL;
	s->pid = who->pid;
	s->tid = who->tid;
	s->model = model;
	s->whole = who->whole;
	s->opened = moment_now();
	s->last = s->opened.tsc;
	if (watch_clocked(s, cpus, nr))
		return s;
	if (s->pid == -1)
		return s;
	s->maps = maps_open(s->pid, who->runs);
	if (!s->maps) {
		free(s);
		return NULL;
	}
	return s;
}

static void find_clock(struct sideband *s)
{
	const struct perf_event_mmap_page *page = s->nr ? s->watch[0].page : NULL;

	if (s->model) {
		s->mult = 1;
	} else if (page && page->cap_user_time_zero) {
		s->mult = page->time_mult;
		s->shift = page->time_shift;
		s->zero = page->time_zero;
	} else {
		clock_measure(&s->opened, &s->mult, &s->shift);
	}
}

void sideband_clock(struct sideband *s, struct softpt_perf_setup *setup)
{
	if (!s->mult)
		find_clock(s);
	setup->time_mult = s->mult;
	setup->time_shift = s->shift;
	setup->time_zero = s->zero;
	setup->switches = s->nr && !s->model && !s->whole && s->pid != -1;
}

unsigned int sideband_poll(const struct sideband *s, struct pollfd *p)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		p[i] = (struct pollfd){
			.fd = s->watch[i].gone ? -1 : s->watch[i].fd, .events = POLLIN
		};
	return s->nr;
}

/* Of a thread that is gone poll() would say so for ever. */
void sideband_polled(struct sideband *s, const struct pollfd *p)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		s->watch[i].gone |= !!(p[i].revents & POLLHUP);
}

/* ---- more threads ---- */

static bool has_joined(const struct sideband *s, pid_t tid)
{
	size_t i;

	for (i = 0; i < s->nr_joined; i++)
		if (s->joined[i].tid == tid)
			return true;
	return false;
}

static int join_cpu(const struct sideband *s, struct joined *j, unsigned int i)
{
	j->fd[i] = open_event(s, j->tid, s->watch[i].cpu);
	if (j->fd[i] < 0)
		return -errno;
	return ioctl(j->fd[i], PERF_EVENT_IOC_SET_OUTPUT, s->watch[i].fd) ? -errno : 0;
}

static void leave(const struct sideband *s, struct joined *j)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (j->fd[i] >= 0)
			close(j->fd[i]);
	free(j->fd);
}

int sideband_join(struct sideband *s, pid_t tid)
{
	struct joined j = { .tid = tid }, *more;
	unsigned int i;
	int err = 0;

	if (!s->nr || has_joined(s, tid))
		return 0;
	more = reallocarray(s->joined, s->nr_joined + 1, sizeof(j));
	if (!more)
		return -ENOMEM;
	s->joined = more;
	j.fd = malloc(s->nr * sizeof(*j.fd));
	if (!j.fd)
		return -ENOMEM;
	memset(j.fd, -1, s->nr * sizeof(*j.fd));
	for (i = 0; i < s->nr && !err; i++)
		err = join_cpu(s, &j, i);
	if (!err) {
		s->joined[s->nr_joined++] = j;
		return 1;
	}
	leave(s, &j);
	return err == -ESRCH ? 0 : err;
}

/* The time of a TSC as the other records have it */
static uint64_t perf_time(struct sideband *s, uint64_t tsc)
{
	struct softpt_perf_setup t = { 0 };

	if (s->model)
		return 1;
	sideband_clock(s, &t);
	return t.time_zero + (uint64_t)((__uint128_t)tsc * t.time_mult >> t.time_shift);
}

int sideband_begin(struct sideband *s, struct softpt_perf_writer *w, unsigned int cpu)
{
	return start_put(w, s->pid, s->tid, cpu, perf_time(s, s->last));
}

int sideband_describe(struct sideband *s, struct softpt_perf_writer *w)
{
	uint64_t time = perf_time(s, s->last);

	return s->pid == -1 ? system_describe(w, time) : process_describe(s->pid, w, time);
}

/* Of a time since the drain before */
static uint64_t tsc_of(const struct sideband *s, uint64_t ns)
{
	const struct moment *a = &s->from, *b = &s->to;

	if (b->ns <= a->ns)
		return a->tsc;
	if (ns <= a->ns)
		return a->tsc - (uint64_t)((a->ns - ns) * ((double)(b->tsc - a->tsc) /
							   (b->ns - a->ns)));
	return a->tsc + (uint64_t)((ns - a->ns) * ((double)(b->tsc - a->tsc) / (b->ns - a->ns)));
}

/* A record may lie across the end of the ring. */
static int hand_on(struct sideband *s, const struct watch *watch, uint64_t tail, size_t size,
		   struct softpt_perf_writer *w)
{
	uint64_t copy[(UINT16_MAX + 1) / sizeof(uint64_t)];
	size_t at = tail & (ring_size() - 1);
	size_t first = ring_size() - at < size ? ring_size() - at : size;
	struct softpt_perf_id *id = (void *)((uint8_t *)copy + size - sizeof(*id));

	memcpy(copy, watch->data + at, first);
	memcpy((uint8_t *)copy + first, watch->data, size - first);
	if (s->model)
		id->time = perf_time(s, 0);
	else if (s->raw)
		id->time = perf_time(s, tsc_of(s, id->time));
	return softpt_perf_writer_record(w, (const struct perf_event_header *)copy);
}

static int drain_watch(struct sideband *s, struct watch *watch, struct softpt_perf_writer *w)
{
	uint64_t head = __atomic_load_n(&watch->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = watch->page->data_tail;
	int err = 0;

	while (tail < head && !err) {
		const struct perf_event_header *rec;

		/* Records are multiples of 8, so that a header is in one piece. */
		rec = (const void *)(watch->data + (tail & (ring_size() - 1)));
		if (rec->size < sizeof(*rec) + sizeof(struct softpt_perf_id)) {
			err = -EPROTO;
			break;
		}
		err = hand_on(s, watch, tail, rec->size, w);
		tail += rec->size;
	}
	__atomic_store_n(&watch->page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

/* A mapping that is seen now was made after the last look. */
int sideband_drain(struct sideband *s, struct softpt_perf_writer *w)
{
	uint64_t before = s->last;
	unsigned int i;
	int err = 0;

	s->last = tsc_now();
	if (s->raw) {
		s->from = s->to;
		s->to = moment_now();
	}
	if (s->maps)
		return maps_drain(s->maps, w, perf_time(s, before), perf_time(s, s->last));
	for (i = 0; i < s->nr && !err; i++)
		err = drain_watch(s, &s->watch[i], w);
	return err;
}

void sideband_close(struct sideband *s)
{
	if (!s)
		return;
	while (s->nr_joined)
		leave(s, &s->joined[--s->nr_joined]);
	free(s->joined);
	while (s->nr)
		watch_close(&s->watch[--s->nr]);
	maps_close(s->maps);
	free(s);
}
