// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a ring and the answers of calls hold besides what was written there: zeroes, and nothing
 * that was in that memory before. Kernels with init_on_alloc=1, as Debian's, zero it anyway.
 */
#include "selftests/kit/kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING	(4ull << 20)
#define PAGE	4096ul
#define POISON	0xa5

/* More than the rings, written and given back: what was freed last is taken first. */
static void poison_memory(void)
{
	size_t size = 16 * RING;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		kit_bail("no memory to poison");
	memset(p, POISON, size);
	munmap(p, size);
}

static bool is_zero(const volatile uint8_t *at, size_t n)
{
	while (n && !*at)
		at++, n--;
	return !n;
}

static void ring(int unit, off_t at, const char *name)
{
	struct kit_map map;
	uint64_t head;

	if (kit_map_at(unit, at, RING, &map))
		kit_bail("%s cannot be mapped", name);
	head = map.control->head;
	kit_ok(head && head < RING && is_zero(map.data + head, RING - head),
	       "%s: nothing but zeroes behind its %llu bytes", name, (unsigned long long)head);
	kit_ok(is_zero((uint8_t *)map.reader + sizeof(*map.reader), PAGE - sizeof(*map.reader)),
	       "%s: nor in the reader's page", name);
	kit_ok(is_zero((uint8_t *)(uintptr_t)map.control + sizeof(*map.control),
		       PAGE - sizeof(*map.control)), "%s: nor behind the control page", name);
	kit_unmap(&map);
}

/* Reserved fields, and what is behind the struct that the module knows; @fill: what was there */
static void answer(int fd, unsigned long cmd, uint8_t fill, size_t size, size_t from, size_t to,
		   const char *name)
{
	uint32_t asked = size + 64;
	uint8_t arg[1024];

	memset(arg, fill, sizeof(arg));
	memcpy(arg, &asked, sizeof(asked));
	kit_is(kit_ioctl(fd, cmd, arg), 0, "%s", name);
	kit_ok(is_zero(arg + from, to - from) && is_zero(arg + size, asked - size),
	       "%s: what is reserved is zero, and what follows", name);
}

#define ANSWER(fd, cmd, fill, type, field) \
	answer(fd, cmd, fill, sizeof(struct type), offsetof(struct type, field), \
	       offsetof(struct type, field) + sizeof(((struct type *)0)->field), #cmd)

static void answers(int dev, int session, int unit)
{
	ANSWER(dev, SOFTPT_GET_CAPS, POISON, softpt_caps, reserved);
	ANSWER(session, SOFTPT_GET_CONFIG, POISON, softpt_config, reserved);
	ANSWER(unit, SOFTPT_GET_STATUS, POISON, softpt_status, reserved);
	/* It is asked with the struct that it answers in, so that what is reserved must be zero. */
	ANSWER(unit, SOFTPT_READ_COUNTERS, 0, softpt_counter_values, reserved);
}

/* Nobody has joined: all of the table is to be zero. */
static void threads(int dev)
{
	struct softpt_config config = kit_config();
	int session = kit_session(dev), unit;

	config.flags &= ~SOFTPT_F_OS;
	config.ring = PAGE;
	kit_configure(session, &config);
	kit_source(session, SOFTPT_SOURCE_STEP, NULL);
	unit = kit_unit(session, 0);
	kit_is(kit_enable(session), 0, "a session that steps nobody");
	ANSWER(session, SOFTPT_GET_THREADS, POISON, softpt_threads, tid);
	close(unit);
	close(session);
}

int main(void)
{
	struct softpt_config config = kit_config();
	struct softpt_event *ev = kit_events(71, 1000);
	int dev, session, unit;

	poison_memory();
	dev = kit_open();
	session = kit_session(dev);
	config.ring = RING;
	config.truth = RING;
	kit_configure(session, &config);
	unit = kit_unit(session, 0);
	kit_is(kit_enable(session), 0, "a unit with rings of %llu MiB", RING >> 20);
	kit_write(unit, ev, 1000 * sizeof(*ev));
	kit_ioctl(unit, SOFTPT_FINISH, NULL);
	ring(unit, 0, "ring");
	ring(unit, SOFTPT_TRUTH_OFFSET, "truth");
	answers(dev, session, unit);
	threads(dev);
	free(ev);
	close(unit);
	close(session);
	close(dev);
	return kit_done();
}
