// SPDX-License-Identifier: BSD-2-Clause
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <softpt/params.h>

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

int kit_open(void)
{
	int fd = result(open("/dev/softpt", O_RDWR | O_CLOEXEC));

	if (fd < 0)
		kit_bail("open /dev/softpt: %s", strerror(-fd));
	return fd;
}

long kit_ioctl(int fd, unsigned long cmd, const void *arg)
{
	return result(ioctl(fd, cmd, arg));
}

int kit_session(int dev)
{
	struct softpt_session_args args = { .size = sizeof(args) };
	int fd = kit_ioctl(dev, SOFTPT_CREATE_SESSION, &args);

	if (fd < 0)
		kit_bail("create a session: %s", strerror(-fd));
	return fd;
}

int kit_unit(int session, unsigned int cpu)
{
	struct softpt_unit_args args = { .size = sizeof(args), .cpu = cpu };

	return kit_ioctl(session, SOFTPT_CREATE_UNIT, &args);
}

long kit_configure(int session, const struct softpt_config *config)
{
	return kit_ioctl(session, SOFTPT_SET_CONFIG, config);
}

long kit_source(int session, unsigned int kind, const struct softpt_synth *synth)
{
	struct softpt_source source = { .size = sizeof(source), .kind = kind };

	if (synth)
		source.synth = *synth;
	return kit_ioctl(session, SOFTPT_SET_SOURCE, &source);
}

long kit_enable(int session)
{
	struct softpt_enable args = { .size = sizeof(args) };

	return kit_ioctl(session, SOFTPT_ENABLE, &args);
}

int kit_begin(int session, const struct softpt_config *config)
{
	int unit;

	if (kit_configure(session, config))
		kit_bail("configure a ring of %llu bytes", (unsigned long long)config->ring);
	unit = kit_unit(session, 0);
	if (unit < 0 || kit_enable(session))
		kit_bail("enable a unit");
	return unit;
}

long kit_disable(int session)
{
	struct softpt_enable args = { .size = sizeof(args) };

	return kit_ioctl(session, SOFTPT_DISABLE, &args);
}

struct softpt_status kit_status(int unit)
{
	struct softpt_status status = { .size = sizeof(status) };
	long ret = kit_ioctl(unit, SOFTPT_GET_STATUS, &status);

	if (ret < 0)
		kit_bail("status of a unit: %s", strerror(-ret));
	return status;
}

struct softpt_config kit_config(void)
{
	struct softpt_config config;

	softpt_config_default(&config);
	return config;
}

ssize_t kit_read(int fd, void *to, size_t n)
{
	return result(read(fd, to, n));
}

ssize_t kit_write(int fd, const void *from, size_t n)
{
	return result(write(fd, from, n));
}

int kit_map(int unit, size_t ring, struct kit_map *map)
{
	return kit_map_at(unit, 0, ring, map);
}

int kit_map_at(int unit, off_t at, size_t ring, struct kit_map *map)
{
	size_t page = sysconf(_SC_PAGESIZE);

	map->size = 2 * ring;
	map->reader = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, unit, at);
	if (map->reader == MAP_FAILED)
		return -errno;
	map->control = mmap(NULL, page + map->size, PROT_READ, MAP_SHARED, unit, at + page);
	if (map->control == MAP_FAILED) {
		munmap(map->reader, page);
		return -errno;
	}
	map->data = (const uint8_t *)map->control + map->control->data_offset - page;
	return 0;
}

void kit_unmap(struct kit_map *map)
{
	size_t page = sysconf(_SC_PAGESIZE);

	munmap((void *)(uintptr_t)map->control, page + map->size);
	munmap(map->reader, page);
}

size_t kit_peek(const struct kit_map *map, const uint8_t **bytes)
{
	uint64_t head = __atomic_load_n(&map->control->head, __ATOMIC_ACQUIRE);
	uint64_t tail = map->reader->tail;

	*bytes = map->data + (tail & (map->control->data_size - 1));
	return head - tail;
}

void kit_consume(struct kit_map *map, size_t n)
{
	__atomic_store_n(&map->reader->tail, map->reader->tail + n, __ATOMIC_RELEASE);
}

unsigned int kit_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

bool kit_online(unsigned int cpu, bool on)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	f = fopen(path, "w");
	return f && fputc(on ? '1' : '0', f) != EOF && !fclose(f);
}
