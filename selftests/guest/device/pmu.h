/* SPDX-License-Identifier: BSD-2-Clause */
/* Perf events of the PMU softpt_pt, their AUX areas, and processes to have them on */
#ifndef SOFTPT_SELFTESTS_DEVICE_PMU_H
#define SOFTPT_SELFTESTS_DEVICE_PMU_H

#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE		4096ul
#define DATA		(8 * PAGE)
#define DIR		"/sys/bus/event_source/devices/softpt_pt/"

/* config */
#define PT		(1ull << 0)
#define CYC		(1ull << 1)
#define MTC		(1ull << 9)
#define TSC		(1ull << 10)
#define BRANCH		(1ull << 13)
#define EVENT		(1ull << 31)
#define CYC_THRESH(n)	((n) * 1ull << 19)
#define USUAL		(PT | TSC | BRANCH)
/* config1 */
#define SUPPRESS(n)	((n) * 1ull << 0)
#define PREROLL(n)	((n) * 1ull << 16)
#define RESUME(n)	((n) * 1ull << 24)
#define LOSSY		(1ull << 33)
#define NOSUPPRESS	(1ull << 34)

static unsigned int type;

struct event {
	int fd;
	struct perf_event_mmap_page *page;
	uint8_t *aux;
	size_t size;
};

static inline unsigned int find_type(void)
{
	FILE *f = fopen(DIR "type", "r");
	unsigned int n;

	if (!f || fscanf(f, "%u", &n) != 1)
		kit_bail("no PMU softpt_pt");
	fclose(f);
	return n;
}

static inline struct perf_event_attr attr_of(uint64_t config, uint64_t config1)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr), .type = type, .config = config,
		.config1 = config1, .sample_period = 1, .exclude_kernel = 1, .disabled = 1,
	};
}

static inline long open_on(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline struct event map_with(struct perf_event_attr *attr, pid_t pid, int cpu,
				    unsigned int pages)
{
	struct event e = { .size = pages * PAGE };

	e.fd = open_on(attr, pid, cpu);
	e.page = mmap(NULL, PAGE + DATA, PROT_READ | PROT_WRITE, MAP_SHARED, e.fd, 0);
	if (e.page == MAP_FAILED)
		kit_bail("the event cannot be mapped");
	e.page->aux_offset = PAGE + DATA;
	e.page->aux_size = e.size;
	e.aux = mmap(NULL, e.size, PROT_READ | PROT_WRITE, MAP_SHARED, e.fd, PAGE + DATA);
	if (e.aux == MAP_FAILED)
		kit_bail("the AUX area cannot be mapped");
	return e;
}

static inline struct event map_on(pid_t pid, int cpu, unsigned int pages)
{
	struct perf_event_attr attr = attr_of(USUAL, 0);

	attr.inherit = cpu >= 0 && pid >= 0;
	return map_with(&attr, pid, cpu, pages);
}

static inline struct event map(pid_t pid, unsigned int pages)
{
	return map_on(pid, -1, pages);
}

static inline void unmap(struct event *e)
{
	munmap(e->aux, e->size);
	munmap(e->page, PAGE + DATA);
	close(e->fd);
}

static inline long enable(const struct event *e)
{
	return ioctl(e->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static inline uint64_t aux_head(const struct event *e)
{
	return __atomic_load_n(&e->page->aux_head, __ATOMIC_ACQUIRE);
}

/* Flags of all PERF_RECORD_AUX so far, which the ring still holds */
static inline uint64_t aux_flags(const struct event *e)
{
	const uint8_t *data = (const uint8_t *)e->page + PAGE;
	uint64_t at, head = __atomic_load_n(&e->page->data_head, __ATOMIC_ACQUIRE), flags = 0;
	struct perf_event_header header;

	for (at = 0; at < head; at += header.size) {
		memcpy(&header, data + at, sizeof(header));
		if (header.type == PERF_RECORD_AUX)
			flags |= *(const uint64_t *)(data + at + sizeof(header) + 16);
	}
	return flags;
}

/* Works when told to, until told to end: status 7 */
static inline pid_t child(int *gate)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe2(fds, O_CLOEXEC))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		close(fds[1]);
		while (read(fds[0], &c, 1) == 1)
			for (volatile unsigned int i = 0; i < (unsigned char)c * 100u; i++)
				;
		_exit(7);
	}
	close(fds[0]);
	*gate = fds[1];
	return pid;
}

static inline void tell(int gate, int loops)
{
	char c = loops;

	if (write(gate, &c, 1) != 1)
		kit_bail("the child is gone");
}

static inline bool ends_well(pid_t pid, int gate)
{
	int status;

	close(gate);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

#endif
