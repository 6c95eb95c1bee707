// SPDX-License-Identifier: BSD-2-Clause
/* What is called: the ioctls of args.c, and all else that can be done with descriptors */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <softpt/classes.h>

#define PAGE	4096ul
#define AUX	(3 * PAGE)	/* of an event's mapping */
#define EVENTS	32
#define PT_USUAL	(1 << 0 | 1 << 10 | 1 << 13)	/* pt, tsc, branch */
#define PT_MORE		(1 << 1 | 1 << 9)		/* cyc, mtc */

static _Thread_local uint8_t scratch[16384];
static atomic_ulong clock_of_events;

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static long do_open(const struct fuzz_call *call)
{
	int fd = open("/dev/softpt", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		fuzz_put(FUZZ_DEVICE, call->other, fd);
	return result(fd);
}

static long do_close(const struct fuzz_call *call)
{
	fuzz_put(call->random % FUZZ_KINDS, call->slot, -1);
	return 0;
}

static long do_read(const struct fuzz_call *call)
{
	size_t n = call->random % sizeof(scratch);

	return result(read(fuzz_get(FUZZ_UNIT, call->slot),
			   fuzz_memory(scratch, n, call->random >> 32), n));
}

/* What args.c lets counters count */
static void make_miss(struct softpt_event *ev)
{
	*ev = (struct softpt_event){
		.tsc = ev->tsc, .kind = SOFTPT_EV_PMU, .arg = 1, .stage = 1,
		.arg2 = SOFTPT_CLASS_DCACHE | SOFTPT_SUB_DCACHE_READ_MISS << 16,
	};
}

/* Later than what any thread has written, but for one in sixteen */
static long do_write(const struct fuzz_call *call)
{
	struct softpt_event ev[EVENTS];
	uint64_t state = call->random, tsc = atomic_fetch_add(&clock_of_events, 100000);
	size_t i, n = 1 + call->other % EVENTS, size = n * sizeof(ev[0]);

	if (state % 16 == 0)
		tsc = kit_random(&state) >> (state % 40);
	for (i = 0; i < n; i++)
		kit_event(&state, &tsc, &ev[i]);
	if (kit_random(&state) % 2)
		make_miss(&ev[n / 2]);
	if (kit_random(&state) % 8 == 0)
		((uint8_t *)ev)[kit_random(&state) % size] ^= state >> 8;
	return result(write(fuzz_get(FUZZ_UNIT, call->slot),
			    fuzz_memory(ev, size, kit_random(&state)), size - state % 64 / 63));
}

static long do_poll(const struct fuzz_call *call)
{
	struct pollfd p = { .fd = fuzz_get(FUZZ_UNIT, call->slot), .events = call->random };

	return result(poll(&p, 1, call->random >> 32 & 1));
}

static long map(int fd, size_t size, int prot, uint64_t at, unsigned int slot)
{
	struct fuzz_area area = {
		.size = size, .writable = prot & PROT_WRITE, .of_event = at == AUX,
	};

	area.base = mmap(NULL, size, prot, MAP_SHARED, fd, at);
	if (area.base == MAP_FAILED)
		return -errno;
	fuzz_put_area(slot, area);
	return 0;
}

/* The size is read where the module says it: most areas are what it accepts. */
static long do_map(const struct fuzz_call *call)
{
	int fd = fuzz_get(FUZZ_UNIT, call->slot);
	off_t at = call->random & 1 ? SOFTPT_TRUTH_OFFSET : 0;
	struct softpt_control *control = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, at + PAGE);
	size_t size;

	if (control == MAP_FAILED)
		return -errno;
	size = 2 * control->data_size;
	munmap(control, PAGE);
	if (call->random & 2)
		return map(fd, PAGE, PROT_READ | PROT_WRITE, at, call->other);
	if (call->random & 4)
		return map(fd, PAGE + size, PROT_READ, at + PAGE, call->other);
	return map(fd, 2 * PAGE + size + (call->random >> 8 & 15 ? 0 : PAGE),
		   call->random >> 12 & 15 ? PROT_READ : PROT_READ | PROT_WRITE, at, call->other);
}

static long do_unmap(const struct fuzz_call *call)
{
	fuzz_put_area(call->slot, (struct fuzz_area){ 0 });
	return 0;
}

/* The reader's page takes anything; others are looked through. */
static long do_touch(const struct fuzz_call *call)
{
	struct fuzz_area area = fuzz_take_area(call->slot);
	volatile uint8_t *at = area.base;
	size_t i;

	if (!area.base)
		return -ENOENT;
	if (area.of_event) {
		fuzz_put_area(call->slot, area);
		return 0;
	}
	if (area.writable)
		((volatile uint64_t *)at)[call->other % 2] = call->random >> (call->other & 62);
	for (i = 0; i < area.size && i < 64 * PAGE; i += 512)
		(void)at[i];
	fuzz_put_area(call->slot, area);
	return 0;
}

static long do_affinity(const struct fuzz_call *call)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(call->random & 1, &set);
	if (call->random & 2)
		CPU_SET(~call->random & 1, &set);
	return result(sched_setaffinity(0, sizeof(set), &set));
}

/* The one that takes its place is traced from its exec on, where the session can. */
static long do_kill(const struct fuzz_call *call)
{
	return fuzz_kill(call->slot, fuzz_get(FUZZ_SESSION, call->other));
}

static long do_event(const struct fuzz_call *call)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = fuzz_pmu_type(), .sample_period = 1,
		.config = PT_USUAL ^ (call->random >> 8 & (call->random % 16 ? PT_MORE : 0xffff)),
		.exclude_kernel = 1, .disabled = 1, .inherit = call->random & 1,
	};
	bool on_cpu = !(call->random >> 4 & 15) || attr.inherit;
	int fd = syscall(SYS_perf_event_open, &attr, fuzz_target(call->slot),
			 on_cpu ? (int)(call->random & 1) : -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		fuzz_put(FUZZ_EVENT, call->other, fd);
	return result(fd);
}

/* perf's page, and the AUX area that it speaks of */
static long do_map_event(const struct fuzz_call *call)
{
	int fd = fuzz_get(FUZZ_EVENT, call->slot), prot = PROT_READ | PROT_WRITE;
	struct perf_event_mmap_page *page = mmap(NULL, AUX, prot, MAP_SHARED, fd, 0);
	struct fuzz_area area = { .base = page, .size = AUX, .of_event = true };
	long ret;

	if (page == MAP_FAILED)
		return -errno;
	page->aux_offset = AUX;
	page->aux_size = PAGE << (call->random & 3);
	ret = map(fd, PAGE << (call->random & 3), call->random & 8 ? prot : PROT_READ, AUX,
		  call->other);
	fuzz_put_area(call->other + 1, area);
	return ret;
}

static long do_switch_event(const struct fuzz_call *call)
{
	return result(ioctl(fuzz_get(FUZZ_EVENT, call->slot), call->random % 3 ?
			    PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0));
}

/* While somebody steps, who begins or ends to does not wait for RCU's tasks. */
static long do_hold(const struct fuzz_call *call)
{
	return fuzz_hold(call->random % 8);
}

/* @rarely: once for so many of the others: what takes long, or takes away what they need */
static const struct {
	const char *name;
	long (*call)(const struct fuzz_call *call);
	unsigned int rarely;
} others[] = {
	{ "open", do_open, 16 },
	{ "close", do_close, 16 },
	{ "read", do_read, 1 },
	{ "write", do_write, 1 },
	{ "poll", do_poll, 1 },
	{ "mmap", do_map, 16 },
	{ "munmap", do_unmap, 16 },
	{ "touch", do_touch, 1 },
	{ "sched_setaffinity", do_affinity, 16 },
	{ "kill", do_kill, 64 },
	{ "perf_event_open", do_event, 16 },
	{ "mmap of an event", do_map_event, 32 },
	{ "switch an event", do_switch_event, 1 },
	{ "hold stepping", do_hold, 256 },
};

#define OTHERS	(sizeof(others) / sizeof(others[0]))

static const struct fuzz_ioctl *const tables[] = {
	fuzz_device_ioctls, fuzz_session_ioctls, fuzz_unit_ioctls,
};

/* The @i-th ioctl, and of which kind of descriptor it is; NULL behind the last */
static const struct fuzz_ioctl *find(unsigned int i, enum fuzz_kind *kind)
{
	const struct fuzz_ioctl *io;

	for (*kind = FUZZ_DEVICE; *kind <= FUZZ_UNIT; (*kind)++)
		for (io = tables[*kind]; io->name; io++)
			if (!i--)
				return io;
	return NULL;
}

unsigned int fuzz_ops(void)
{
	unsigned int n = 0;
	enum fuzz_kind kind;

	while (find(n, &kind))
		n++;
	return OTHERS + n;
}

const char *fuzz_op_name(unsigned int op)
{
	enum fuzz_kind kind;

	return op < OTHERS ? others[op].name : find(op - OTHERS, &kind)->name;
}

unsigned int fuzz_find_op(const char *name)
{
	unsigned int op = 0;

	while (strcmp(fuzz_op_name(op), name))
		op++;
	return op;
}

static unsigned int rarely(unsigned int op)
{
	enum fuzz_kind kind;
	unsigned int n = op < OTHERS ? others[op].rarely : find(op - OTHERS, &kind)->rarely;

	return n ? n : 1;
}

void fuzz_make_call_of(struct fuzz_call *call, unsigned int op, uint64_t *state)
{
	const struct fuzz_ioctl *io;
	enum fuzz_kind kind;
	uint64_t r = kit_random(state);

	memset(call, 0, sizeof(*call));
	call->op = op;
	call->slot = r;
	call->other = r >> 8;
	call->random = kit_random(state);
	if (op < OTHERS)
		return;
	io = find(op - OTHERS, &kind);
	call->length = io->size;
	if (io->fill)
		io->fill(call->arg, state);
}

void fuzz_make_call(struct fuzz_call *call, uint64_t *state)
{
	unsigned int op;

	do
		op = kit_random(state) % fuzz_ops();
	while (kit_random(state) % rarely(op));
	fuzz_make_call_of(call, op, state);
}

/*
 * Numbers and places that only the moment knows. Of our own threads only the one that waits for
 * the others is stepped: they have too many instructions.
 */
static void complete(const struct fuzz_ioctl *io, void *arg, const struct fuzz_call *call)
{
	struct softpt_attach *attach = arg;
	struct softpt_fifo_args *fifo = arg;
	void *records;

	if (io->cmd == SOFTPT_ATTACH && attach->pid < 0 && call->random % 64)
		attach->pid = fuzz_target(-attach->pid);
	if (io->cmd == SOFTPT_ATTACH && attach->pid < 0) {
		attach->pid = getpid();
		attach->flags &= ~SOFTPT_ATTACH_PROCESS;
	}
	if (io->cmd != SOFTPT_READ_FIFO)
		return;
	records = fuzz_memory(scratch, fifo->n * sizeof(struct softpt_retirement),
			      call->random >> 48);
	fifo->records = call->random % 16 ? (uintptr_t)records : call->random;
}

/* A large ring takes its time to be made, mapped and filled, and shows nothing new. */
static void shrink(int session)
{
	struct softpt_config config = kit_config();

	config.ring = PAGE;
	config.flags &= ~SOFTPT_F_OS;
	kit_configure(session, &config);
}

static void keep(const struct fuzz_ioctl *io, int fd, const struct fuzz_call *call)
{
	if (io->cmd == SOFTPT_CREATE_SESSION) {
		shrink(fd);
		fuzz_put(FUZZ_SESSION, call->other, fd);
	}
	if (io->cmd != SOFTPT_CREATE_UNIT)
		return;
	if (call->random % 8)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	fuzz_put(FUZZ_UNIT, call->other, fd);
}

static long do_ioctl(const struct fuzz_call *call)
{
	uint64_t arg[512] = { 0 };	/* a page: the size in it may say so much */
	enum fuzz_kind kind;
	const struct fuzz_ioctl *io = find(call->op - OTHERS, &kind);
	unsigned long cmd = io->cmd;
	void *at = io->size ? arg : NULL;
	long ret;

	memcpy(arg, call->arg, call->length);
	complete(io, arg, call);
	/* One of two that are given at once: they would be the same pages. */
	if (io->size && io->cmd != SOFTPT_READ_FIFO)
		at = fuzz_memory(arg, io->size, call->random >> 48);
	if ((call->random >> 32 & 255) == 0)
		cmd ^= 1ul << (call->random & 31);
	if ((call->random >> 40 & 127) == 0)
		at = (void *)(uintptr_t)(call->random & 0xfff);
	ret = kit_ioctl(fuzz_get(kind, call->slot), cmd, at);
	if (ret >= 0)
		keep(io, ret, call);
	return ret;
}

long fuzz_do_call(const struct fuzz_call *call)
{
	return call->op < OTHERS ? others[call->op].call(call) : do_ioctl(call);
}
