// SPDX-License-Identifier: GPL-2.0-only
/* The mapped ring: memory, accounting and positions. (ring.h has the layout.) */

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/vmalloc.h>

#include <softpt/params.h>

#include "compat.h"
#include "ring/ring.h"

#define META_PAGES	2

static unsigned long max_memory = 1024;
module_param(max_memory, ulong, 0644);
MODULE_PARM_DESC(max_memory, "MiB of rings that all sessions together may have (1024)");

static atomic_long_t total_pages;

static unsigned long limit_pages(void)
{
	return min(READ_ONCE(max_memory), ULONG_MAX >> 20) << (20 - PAGE_SHIFT);
}

/* The largest ring that there may be */
u64 softpt_ring_limit(void)
{
	unsigned long pages = limit_pages();

	if (pages <= META_PAGES)
		return 0;
	return min_t(u64, rounddown_pow_of_two(pages - META_PAGES) << PAGE_SHIFT, SOFTPT_RING_MAX);
}

/* Bytes of all rings */
u64 softpt_ring_memory(void)
{
	return (u64)atomic_long_read(&total_pages) << PAGE_SHIFT;
}

static bool add_below(atomic_long_t *counter, unsigned long n, unsigned long limit)
{
	long old = atomic_long_read(counter);

	do {
		if (old + n > limit)
			return false;
	} while (!atomic_long_try_cmpxchg(counter, &old, old + n));
	return true;
}

/* The pages are pinned from their allocation on, however often they are mapped. */
static int charge(struct softpt_ring *ring)
{
	const struct cred *cred;

	if (!add_below(&total_pages, ring->nr_own, limit_pages()))
		return -ENOSPC;
	ring->charged = ring->nr_own;
	if (capable(CAP_IPC_LOCK))
		return 0;
	cred = get_current_cred();
	if (!add_below(&cred->user->locked_vm, ring->nr_own,
		       rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT)) {
		put_cred(cred);
		atomic_long_sub(ring->nr_own, &total_pages);
		return -ENOMEM;
	}
	ring->cred = cred;
	return 0;
}

static void uncharge(struct softpt_ring *ring)
{
	if (ring->cred) {
		atomic_long_sub(ring->charged, &ring->cred->user->locked_vm);
		put_cred(ring->cred);
		ring->cred = NULL;
	}
	atomic_long_sub(ring->charged, &total_pages);
}

static void free_pages_of(struct softpt_ring *ring)
{
	unsigned long i;

	for (i = 0; i < ring->nr_own && ring->pages[i]; i++)
		__free_page(ring->pages[i]);
	kvfree(ring->pages);
	ring->pages = NULL;
}

static int alloc_pages_of(struct softpt_ring *ring, int node)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	unsigned long i;

	ring->pages = kvcalloc(ring->nr_pages, sizeof(*ring->pages), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		return -ENOMEM;
	for (i = 0; i < ring->nr_own; i++) {
		ring->pages[i] = alloc_pages_node(node, gfp, 0);
		if (!ring->pages[i]) {
			free_pages_of(ring);
			return -ENOMEM;
		}
		cond_resched();
	}
	return 0;
}

/* The data's pages twice in a row, after the reader's and ours */
static int map_pages(struct softpt_ring *ring)
{
	unsigned long n = ring->nr_pages, data = n - META_PAGES;
	struct page **twice = kvmalloc_array(n + data, sizeof(*twice), GFP_KERNEL);

	if (!twice)
		return -ENOMEM;
	memcpy(twice, ring->pages, n * sizeof(*twice));
	memcpy(twice + n, ring->pages + META_PAGES, data * sizeof(*twice));
	ring->base = vmap(twice, n + data, VM_MAP, PAGE_KERNEL);
	kvfree(twice);
	return ring->base ? 0 : -ENOMEM;
}

/* @data: where the data are; NULL: in pages of the ring's own */
static int init(struct softpt_ring *ring, void *const data[], unsigned int nr, bool snapshot,
		int node)
{
	unsigned int i;
	int err;

	memset(ring, 0, sizeof(*ring));
	ring->size = (u64)nr << PAGE_SHIFT;
	ring->snapshot = snapshot;
	ring->nr_pages = META_PAGES + nr;
	ring->nr_own = data ? META_PAGES : ring->nr_pages;
	if (!data) {	/* else who has the memory is charged, by rules of their own */
		err = charge(ring);
		if (err)
			return err;
	}
	err = alloc_pages_of(ring, node);
	if (err)
		goto err_uncharge;
	for (i = 0; data && i < nr; i++)
		ring->pages[META_PAGES + i] = virt_to_page(data[i]);
	err = map_pages(ring);
	if (err)
		goto err_pages;

	ring->reader = ring->base;
	ring->control = ring->base + PAGE_SIZE;
	ring->data = ring->base + META_PAGES * PAGE_SIZE;
	ring->control->version = SOFTPT_ABI_VERSION;
	ring->control->size = sizeof(*ring->control);
	ring->control->data_offset = META_PAGES * PAGE_SIZE;
	ring->control->data_size = ring->size;
	return 0;

err_pages:
	free_pages_of(ring);
err_uncharge:
	uncharge(ring);
	return err;
}

/**
 * softpt_ring_init() - memory for a ring
 * @ring: filled in whole
 * @config: its size and mode
 * @cpu: who writes it
 *
 * Return: 0; -ENOSPC when max_memory is used up, -ENOMEM above RLIMIT_MEMLOCK
 * (without CAP_IPC_LOCK) or without memory.
 */
int softpt_ring_init(struct softpt_ring *ring, const struct softpt_config *config, int cpu)
{
	int err = init(ring, NULL, config->ring >> PAGE_SHIFT,
		       config->mode == SOFTPT_RING_SNAPSHOT, cpu_to_node(cpu));

	if (!err)
		ring->control->cpu = cpu;
	return err;
}

/**
 * softpt_ring_init_on() - a ring on memory that somebody else has
 * @ring: filled in whole
 * @data: the pages, by address; they stay until softpt_ring_free()
 * @nr: how many, a power of two
 * @snapshot: overwrite the oldest
 *
 * Who has the memory reads it, too, and sets the reader's tail.
 *
 * Return: 0, or -ENOMEM.
 */
int softpt_ring_init_on(struct softpt_ring *ring, void *const data[], unsigned int nr,
			bool snapshot)
{
	return init(ring, data, nr, snapshot, NUMA_NO_NODE);
}

void softpt_ring_free(struct softpt_ring *ring)
{
	vunmap(ring->base);
	free_pages_of(ring);
	uncharge(ring);
}

/* The data's pages come twice. */
static struct page *page_at(const struct softpt_ring *ring, unsigned long i)
{
	return ring->pages[i < ring->nr_pages ? i : i - (ring->nr_pages - META_PAGES)];
}

/*
 * As numbers, not as pages that one could take hold of (vmsplice(), get_user_pages()): who has a
 * mapping has the file, so that the pages live as long as they are charged.
 */
static int map_user(const struct softpt_ring *ring, struct vm_area_struct *vma,
		    unsigned long first)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < vma_pages(vma) && !err; i++)
		err = remap_pfn_range(vma, vma->vm_start + i * PAGE_SIZE,
				      page_to_pfn(page_at(ring, first + i)), PAGE_SIZE,
				      vma->vm_page_prot);
	return err;
}

/**
 * softpt_ring_mmap() - map the ring into the reader
 * @ring: the ring
 * @vma: page 0 alone, page 1 alone, or all from page 0 or page 1 on
 * @first: page of the ring that it begins with
 * @data: set to whether the data is mapped
 *
 * Return: 0; -EINVAL for another range or a private mapping, -EPERM for one that
 * could execute, or write more than page 0.
 */
int softpt_ring_mmap(struct softpt_ring *ring, struct vm_area_struct *vma, unsigned long first,
		     bool *data)
{
	unsigned long length = vma->vm_end - vma->vm_start;
	unsigned long all = META_PAGES * PAGE_SIZE + 2 * ring->size;

	if (!(vma->vm_flags & VM_SHARED) || first > 1)
		return -EINVAL;
	*data = length == all - first * PAGE_SIZE;
	if (!*data && length != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYEXEC);
	if (*data || first == 1) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	return map_user(ring, vma, first);
}

/* Whether a running snapshot may have overwritten what was read from @pos on */
bool softpt_ring_overtaken(const struct softpt_ring *ring, u64 pos)
{
	smp_rmb();	/* the bytes before tail: pairs with softpt_ring_begin() */
	return ring->snapshot && READ_ONCE(ring->tail) > pos;
}

/*
 * A snapshot is about to be written up to @end: what was there is gone. Who reads a
 * running one checks tail again afterwards.
 */
void softpt_ring_overwrite(struct softpt_ring *ring, u64 end)
{
	if (end <= ring->size || end - ring->size <= ring->tail)
		return;
	WRITE_ONCE(ring->tail, end - ring->size);
	WRITE_ONCE(ring->control->tail, ring->tail);
	smp_wmb();	/* tail before the bytes that overwrite: softpt_ring_overtaken() */
}
