// SPDX-License-Identifier: BSD-2-Clause
/* KCOV: the module alone is built for it, so what a thread's calls leave there is the module's. */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0

#define PLACES		(64 * 1024ul)
#define BITS		18

static _Thread_local uint64_t *cover;
static atomic_uchar seen[1ul << BITS];
static atomic_ulong edges;

bool fuzz_cover_begin(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *p;

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, PLACES))
		return false;
	p = mmap(NULL, PLACES * sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return false;
	cover = p;
	return true;	/* the descriptor stays open as long as the thread runs */
}

void fuzz_cover_reset(void)
{
	if (cover)
		__atomic_store_n(&cover[0], 0, __ATOMIC_RELAXED);
}

/* A step from one place to the next: two of them may share a bit, and one is missed then. */
static unsigned long edge(uint64_t from, uint64_t to)
{
	return ((from * 31 + to) * 0x9e3779b97f4a7c15ull) >> (64 - BITS);
}

bool fuzz_cover_is_new(void)
{
	uint64_t i, n = cover ? __atomic_load_n(&cover[0], __ATOMIC_RELAXED) : 0, from = 0;
	bool new = false;

	for (i = 1; i <= n; i++) {
		unsigned long bit = edge(from, cover[i]);

		from = cover[i];
		if (atomic_load_explicit(&seen[bit], memory_order_relaxed) ||
		    atomic_exchange(&seen[bit], 1))
			continue;
		atomic_fetch_add(&edges, 1);
		new = true;
	}
	return new;
}

unsigned long fuzz_cover_edges(void)
{
	return edges;
}
