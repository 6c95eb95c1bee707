// SPDX-License-Identifier: BSD-2-Clause
/* Files may be closed in any order, and what is left goes on working. */
#include "abi.h"

#include <stdlib.h>
#include <sys/mman.h>

static const int orders[6][3] = {
	{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
};

static void close_in_order(const int *order)
{
	static const char *const names[] = { "device", "session", "unit" };
	struct abi_unit u = abi_unit(NULL);
	int fds[3] = { u.dev, u.session, u.unit }, i;

	kit_enable(u.session);
	for (i = 0; i < 3; i++)
		if (close(fds[order[i]]))
			break;
	kit_ok(i == 3, "close %s, %s, %s", names[order[0]], names[order[1]], names[order[2]]);
}

static void unit_without_session(void)
{
	struct abi_unit u = abi_unit(NULL);
	struct softpt_event *ev = kit_events(7, 100);
	struct softpt_status status;
	char bytes[4096];

	kit_enable(u.session);
	kit_is(kit_write(u.unit, ev, 100 * sizeof(*ev)), 0, "write to a unit");
	close(u.session);
	status = kit_status(u.unit);
	kit_ok(!(status.flags & SOFTPT_ST_ENABLED) && (status.flags & SOFTPT_ST_DONE),
	       "the unit of a closed session has ended");
	kit_is(kit_write(u.unit, ev, sizeof(*ev)), -EBADFD, "write to the unit of a closed session");
	kit_ok(status.head && kit_read(u.unit, bytes, sizeof(bytes)) == (ssize_t)status.head,
	       "what it had stays readable");
	kit_is(kit_ioctl(u.unit, SOFTPT_PSB, NULL), -EBADFD, "SOFTPT_PSB of a closed session");
	close(u.unit);
	close(u.dev);
	free(ev);
}

static void mapping_without_fd(void)
{
	struct softpt_config config = kit_config();
	struct abi_unit u = abi_unit(NULL);
	struct kit_map map;

	if (kit_map(u.unit, config.ring, &map))
		kit_bail("map a unit");
	abi_close(&u);
	kit_ok(map.control->version == SOFTPT_ABI_VERSION && !map.data[0] &&
	       !map.data[2 * config.ring - 1], "a mapping outlives its fds");
	kit_unmap(&map);
}

void abi_lifetime(void)
{
	size_t i;

	for (i = 0; i < 6; i++)
		close_in_order(orders[i]);
	unit_without_session();
	mapping_without_fd();
}
