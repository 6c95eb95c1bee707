// SPDX-License-Identifier: BSD-2-Clause
#include "abi.h"

void abi_fields(int fd, unsigned long cmd, const char *call, const void *valid, size_t size,
		const struct abi_field *rows, size_t n)
{
	_Alignas(8) char copy[1024];
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(copy, valid, size);
		memcpy(copy + rows[i].offset, &rows[i].value, rows[i].width); /* little endian */
		kit_is(kit_ioctl(fd, cmd, copy), rows[i].want, "%s: %s", call, rows[i].name);
	}
}

/* @good: what a second, correct call says: 0, or an errno where it can't be repeated */
void abi_sizes(int fd, unsigned long cmd, const char *call, const void *valid, size_t size,
	       long good, bool output)
{
	_Alignas(8) char copy[1024];
	static char page[8192];
	uint32_t *said = (uint32_t *)copy;

	memset(copy, 0, sizeof(copy));
	memcpy(copy, valid, size);
	*said = 0;
	kit_is(kit_ioctl(fd, cmd, copy), -EINVAL, "%s: size 0", call);
	*said = size - 1;
	kit_is(kit_ioctl(fd, cmd, copy), -EINVAL, "%s: a byte too short", call);
	kit_is(kit_ioctl(fd, cmd, NULL), -EFAULT, "%s: no struct", call);
	memcpy(page, valid, size);
	*(uint32_t *)page = sizeof(page);
	kit_is(kit_ioctl(fd, cmd, page), -E2BIG, "%s: longer than a page", call);

	memcpy(copy, valid, size);
	*said = size + 8;
	copy[size + 7] = 1;
	kit_is(kit_ioctl(fd, cmd, copy), output ? good : -E2BIG, "%s: grown, with a value", call);
	if (output)
		kit_ok(!copy[size + 7], "%s: what is not known is zeroed", call);
	memcpy(copy, valid, size);
	*said = size + 8;
	copy[size + 7] = 0;
	kit_is(kit_ioctl(fd, cmd, copy), good, "%s: grown, with zeroes", call);
}

struct abi_unit abi_unit(const struct softpt_config *config)
{
	struct softpt_config standard = kit_config();
	struct abi_unit u;

	u.dev = kit_open();
	u.session = kit_session(u.dev);
	if (kit_configure(u.session, config ? config : &standard))
		kit_bail("a valid configuration is refused");
	u.unit = kit_unit(u.session, 0);
	if (u.unit < 0)
		kit_bail("the unit of CPU 0: %s", strerror(-u.unit));
	return u;
}

void abi_close(struct abi_unit *u)
{
	close(u->unit);
	close(u->session);
	close(u->dev);
}
