// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory that calls are given: most of the time there is nothing special about it. Else it comes
 * late, cannot be written yet, or ever, ends in the middle, is not there, or goes while a call
 * waits for it. Where the kernel has userfaultfd, one thread lets it come, or go.
 */
#include "fuzz.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096ul

static int userfault = -1;
static pthread_t provider;

/* Of each thread: a page, and one behind it that is another thing */
static _Thread_local uint8_t *own;

static void *page_of(const struct uffd_msg *msg)
{
	return (void *)(uintptr_t)(msg->arg.pagefault.address & ~(PAGE - 1));
}

/* Whoever waits for it goes on, with the page or without. */
static void provide(const struct uffd_msg *msg, uint64_t *state)
{
	struct uffdio_range range = { (uintptr_t)page_of(msg), PAGE };
	struct uffdio_writeprotect writable = { .range = range };
	struct uffdio_zeropage zero = { .range = range };

	usleep(kit_random(state) % 5000);
	if (kit_random(state) % 4 == 0)
		mprotect(page_of(msg), PAGE, PROT_NONE);
	if (msg->arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP)
		ioctl(userfault, UFFDIO_WRITEPROTECT, &writable);
	else if (ioctl(userfault, UFFDIO_ZEROPAGE, &zero))
		ioctl(userfault, UFFDIO_WAKE, &range);
}

static void *provide_all(void *arg)
{
	uint64_t state = (uintptr_t)arg;
	struct uffd_msg msg;

	while (read(userfault, &msg, sizeof(msg)) == sizeof(msg))
		if (msg.event == UFFD_EVENT_PAGEFAULT)
			provide(&msg, &state);
	return NULL;
}

/* Return: whether this kernel has memory that does not come. */
bool fuzz_memory_begin(uint64_t seed)
{
	userfault = kit_userfault();
	return userfault >= 0 &&
	       !pthread_create(&provider, NULL, provide_all, (void *)(uintptr_t)seed);
}

static bool watch(uint8_t *page, uint64_t mode)
{
	struct uffdio_register range = { .range = { (uintptr_t)page, PAGE }, .mode = mode };
	struct uffdio_writeprotect protect = {
		.range = range.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (userfault < 0 || ioctl(userfault, UFFDIO_REGISTER, &range))
		return false;
	return mode == UFFDIO_REGISTER_MODE_MISSING ||
	       !ioctl(userfault, UFFDIO_WRITEPROTECT, &protect);
}

/* Two fresh pages, in place of those of the call before */
static uint8_t *fresh(void)
{
	void *p = mmap(own, 2 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | (own ? MAP_FIXED : 0), -1, 0);

	if (p == MAP_FAILED)
		kit_bail("two pages");
	own = p;
	return own;
}

/**
 * fuzz_memory() - memory for a call
 * @bytes: what it is to hold, @n bytes; or is to be written to
 * @n: at most a page
 * @random: 0: @bytes themselves, as for most calls
 *
 * Return: where it is, until the thread's next call of this.
 */
void *fuzz_memory(void *bytes, size_t n, uint64_t random)
{
	uint8_t *page, *at;

	if (random % 8 || !n || n > PAGE)
		return bytes;
	page = fresh();
	random /= 8;
	at = random & 1 ? page : page + PAGE - n / 2 - 1;	/* of two pages */
	random /= 2;
	if (random & 1)
		memcpy(at, bytes, n);
	else if (at > page)
		memcpy(at, bytes, page + PAGE - at);
	random /= 2;
	switch (random % 6) {
	case 0:
		watch(page, UFFDIO_REGISTER_MODE_WP);
		break;
	case 1:
		watch(page + PAGE, UFFDIO_REGISTER_MODE_WP);
		break;
	case 2:
		watch(page + PAGE, UFFDIO_REGISTER_MODE_MISSING);
		break;
	case 3:
		watch(page, UFFDIO_REGISTER_MODE_MISSING);
		break;
	case 4:
		mprotect(page, 2 * PAGE, PROT_READ);
		break;
	case 5:
		mprotect(page + PAGE, PAGE, PROT_NONE);
		break;
	}
	return at;
}
