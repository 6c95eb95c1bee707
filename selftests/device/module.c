// SPDX-License-Identifier: BSD-2-Clause
/* The module stays as long as anything of it is open. */
#include "../kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long remove_module(void)
{
	return syscall(SYS_delete_module, "softpt", O_NONBLOCK) ? -errno : 0;
}

static int references(void)
{
	FILE *f = fopen("/sys/module/softpt/refcnt", "r");
	int n = -1;

	if (f) {
		if (fscanf(f, "%d", &n) != 1)
			n = -1;
		fclose(f);
	}
	return n;
}

int main(void)
{
	int dev = kit_open(), session, unit;
	void *page;

	kit_is(remove_module(), -EAGAIN, "the module is not removed with the device open");
	session = kit_session(dev);
	close(dev);
	kit_is(remove_module(), -EAGAIN, "nor with a session open");
	unit = kit_unit(session, 0);
	kit_is(unit, 0, "a unit is made");
	close(session);
	kit_is(remove_module(), -EAGAIN, "nor with a unit open");
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, unit, 0);
	kit_ok(page != MAP_FAILED, "a unit is mapped");
	close(unit);
	kit_is(remove_module(), -EAGAIN, "nor with a unit mapped");
	munmap(page, 4096);
	kit_ok(!references(), "nothing holds it when all is closed");
	return kit_done();
}
