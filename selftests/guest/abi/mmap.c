// SPDX-License-Identifier: BSD-2-Clause
/* What may be mapped, and how */
#include "abi.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define PAGE	4096ul
#define RING	(4 * PAGE)
#define ALL	(2 * PAGE + 2 * RING)
#define RW	(PROT_READ | PROT_WRITE)

static const struct abi_part parts[] = {
	{ "page 0, read-write", 0, PAGE, RW, MAP_SHARED, 0 },
	{ "page 0, read-only", 0, PAGE, PROT_READ, MAP_SHARED, 0 },
	{ "page 1, read-only", PAGE, PAGE, PROT_READ, MAP_SHARED, 0 },
	{ "all, read-only", 0, ALL, PROT_READ, MAP_SHARED, 0 },
	{ "all but page 0, read-only", PAGE, ALL - PAGE, PROT_READ, MAP_SHARED, 0 },
	{ "page 1, read-write", PAGE, PAGE, RW, MAP_SHARED, -EPERM },
	{ "all, read-write", 0, ALL, RW, MAP_SHARED, -EPERM },
	{ "all but page 0, read-write", PAGE, ALL - PAGE, RW, MAP_SHARED, -EPERM },
	{ "page 0, private", 0, PAGE, RW, MAP_PRIVATE, -EINVAL },
	{ "all, private", 0, ALL, PROT_READ, MAP_PRIVATE, -EINVAL },
	{ "page 0, executable", 0, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, -EPERM },
	{ "all, executable", 0, ALL, PROT_READ | PROT_EXEC, MAP_SHARED, -EPERM },
	{ "two pages", 0, 2 * PAGE, PROT_READ, MAP_SHARED, -EINVAL },
	{ "a page less than all", 0, ALL - PAGE, PROT_READ, MAP_SHARED, -EINVAL },
	{ "a page more than all", 0, ALL + PAGE, PROT_READ, MAP_SHARED, -EINVAL },
	{ "the data once", 0, ALL - RING, PROT_READ, MAP_SHARED, -EINVAL },
	{ "all, from page 1 on", PAGE, ALL, PROT_READ, MAP_SHARED, -EINVAL },
	{ "the data alone", 2 * PAGE, 2 * RING, PROT_READ, MAP_SHARED, -EINVAL },
	{ "the last page", ALL - PAGE, PAGE, PROT_READ, MAP_SHARED, -EINVAL },
	{ "behind the end", ALL, PAGE, PROT_READ, MAP_SHARED, -EINVAL },
};

long abi_try_map(int unit, uint64_t at, const struct abi_part *part)
{
	void *p = mmap(NULL, part->length, part->prot, part->flags, unit, at + part->offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, part->length);
	return 0;
}

static void table(int unit)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		kit_is(abi_try_map(unit, 0, &parts[i]), parts[i].want, "mmap: %s", parts[i].name);
}

/* What mmap() refused must not be had by a detour. */
static void detours(int unit)
{
	void *all = mmap(NULL, ALL, PROT_READ, MAP_SHARED, unit, 0);
	void *reader = mmap(NULL, PAGE, RW, MAP_SHARED, unit, 0);

	kit_ok(all != MAP_FAILED && reader != MAP_FAILED, "mmap: all and page 0 side by side");
	kit_is(mprotect(all, ALL, RW) ? -errno : 0, -EACCES, "mprotect: all to read-write");
	kit_is(mprotect((char *)all + PAGE, PAGE, RW) ? -errno : 0, -EACCES,
	       "mprotect: page 1 to read-write");
	kit_is(mprotect(all, ALL, PROT_READ | PROT_EXEC) ? -errno : 0, -EACCES,
	       "mprotect: all to executable");
	kit_is(mprotect(reader, PAGE, PROT_READ | PROT_EXEC) ? -errno : 0, -EACCES,
	       "mprotect: page 0 to executable");
	kit_is(mremap(reader, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? -errno : 0, -EFAULT,
	       "mremap: page 0 grows");
	munmap(reader, PAGE);
	munmap(all, ALL);
}

/* What is pinned outlives the unit, and its charge: nobody else may have the pages. */
static void pages(int unit)
{
	uint8_t *all = mmap(NULL, ALL, PROT_READ, MAP_SHARED, unit, 0), got[8] = { 0 };
	struct iovec data = { all + 2 * PAGE, 2 * RING };
	int ends[2], memory = open("/proc/self/mem", O_RDWR);

	if (all == MAP_FAILED || pipe(ends) || memory < 0)
		kit_bail("a mapping, a pipe and one's own memory");
	kit_is(vmsplice(ends[1], &data, 1, 0) < 0 ? -errno : 1, -EFAULT,
	       "vmsplice: the data's pages");
	data.iov_base = all;
	kit_is(vmsplice(ends[1], &data, 1, 0) < 0 ? -errno : 1, -EFAULT, "vmsplice: page 0");
	kit_is(write(ends[1], all + PAGE, 8) < 0 ? -errno : 0, 0, "write: from the mapping");
	kit_ok(read(ends[0], got, 8) == 8 && !memcmp(got, all + PAGE, 8), "write: its bytes");
	memset(got, 0, 8);
	kit_ok(pread(memory, got, 8, (uintptr_t)all + PAGE) == 8 && !memcmp(got, all + PAGE, 8),
	       "a debugger sees what is mapped");
	kit_ok(pread(memory, got, 8, (uintptr_t)all + ALL - 4) == 4, "up to its end");
	kit_ok(pwrite(memory, got, 8, (uintptr_t)all + PAGE) < 0, "it changes nothing");
	close(memory);
	close(ends[0]);
	close(ends[1]);
	munmap(all, ALL);
}

static void contents(int unit)
{
	struct kit_map map;

	if (kit_map(unit, RING, &map))
		kit_bail("map a unit");
	kit_ok(map.control->version == SOFTPT_ABI_VERSION &&
	       map.control->size == sizeof(*map.control) && !map.control->cpu,
	       "control page: version, size, CPU");
	kit_ok(map.control->data_offset == 2 * PAGE && map.control->data_size == RING,
	       "control page: where the data is");
	kit_unmap(&map);
}

void abi_mmap(void)
{
	struct softpt_config config = kit_config();
	struct abi_unit u;

	config.ring = RING;
	u = abi_unit(&config);
	table(u.unit);
	detours(u.unit);
	contents(u.unit);
	pages(u.unit);
	abi_close(&u);
}
