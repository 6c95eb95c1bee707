// SPDX-License-Identifier: BSD-2-Clause
/* Each command belongs to one kind of file; the others, and unknown ones, don't know it. */
#include "abi.h"

enum { DEVICE, SESSION, UNIT, KINDS };

static const struct command {
	const char *name;
	unsigned long cmd;
	int of;
} commands[] = {
	{ "SOFTPT_GET_CAPS", SOFTPT_GET_CAPS, DEVICE },
	{ "SOFTPT_CREATE_SESSION", SOFTPT_CREATE_SESSION, DEVICE },
	{ "SOFTPT_SET_CONFIG", SOFTPT_SET_CONFIG, SESSION },
	{ "SOFTPT_GET_CONFIG", SOFTPT_GET_CONFIG, SESSION },
	{ "SOFTPT_SET_SOURCE", SOFTPT_SET_SOURCE, SESSION },
	{ "SOFTPT_CREATE_UNIT", SOFTPT_CREATE_UNIT, SESSION },
	{ "SOFTPT_ENABLE", SOFTPT_ENABLE, SESSION },
	{ "SOFTPT_DISABLE", SOFTPT_DISABLE, SESSION },
	{ "SOFTPT_ARM_EXEC", SOFTPT_ARM_EXEC, SESSION },
	{ "SOFTPT_ATTACH", SOFTPT_ATTACH, SESSION },
	{ "SOFTPT_SET_ESCR", SOFTPT_SET_ESCR, SESSION },
	{ "SOFTPT_SET_COUNTER", SOFTPT_SET_COUNTER, SESSION },
	{ "SOFTPT_COUNT", SOFTPT_COUNT, SESSION },
	{ "SOFTPT_GET_THREADS", SOFTPT_GET_THREADS, SESSION },
	{ "SOFTPT_SET_FREEZE", SOFTPT_SET_FREEZE, SESSION },
	{ "SOFTPT_REARM_UNITS", SOFTPT_REARM_UNITS, SESSION },
	{ "SOFTPT_GET_STATUS", SOFTPT_GET_STATUS, UNIT },
	{ "SOFTPT_PSB", SOFTPT_PSB, UNIT },
	{ "SOFTPT_FREEZE", SOFTPT_FREEZE, UNIT },
	{ "SOFTPT_REARM", SOFTPT_REARM, UNIT },
	{ "SOFTPT_FINISH", SOFTPT_FINISH, UNIT },
	{ "SOFTPT_READ_COUNTERS", SOFTPT_READ_COUNTERS, UNIT },
	{ "SOFTPT_READ_FIFO", SOFTPT_READ_FIFO, UNIT },
	{ "SOFTPT_REARM_FIFO", SOFTPT_REARM_FIFO, UNIT },
};

static const char *const kinds[KINDS] = { "the device", "a session", "a unit" };

static void wrong_files(const int *fds)
{
	size_t i;
	int kind;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		for (kind = 0; kind < KINDS; kind++)
			if (kind != commands[i].of)
				kit_is(kit_ioctl(fds[kind], commands[i].cmd, NULL), -ENOTTY,
				       "%s of %s", commands[i].name, kinds[kind]);
}

/* Next to the known ones: other numbers, directions and letters, a size where none belongs */
static void unknown(const int *fds)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		kit_is(kit_ioctl(fds[kind], _IO(SOFTPT_IOC, 0x0f + 0x10 * kind), NULL), -ENOTTY,
		       "an unknown command of %s", kinds[kind]);
		kit_is(kit_ioctl(fds[kind], _IO(SOFTPT_IOC, 0x30), NULL), -ENOTTY,
		       "a number outside the block, of %s", kinds[kind]);
	}
	kit_is(kit_ioctl(fds[DEVICE], _IOR(SOFTPT_IOC, 0x00, struct softpt_caps), NULL), -ENOTTY,
	       "SOFTPT_GET_CAPS with another direction");
	kit_is(kit_ioctl(fds[UNIT], _IOC(_IOC_NONE, SOFTPT_IOC, 0x21, 8), NULL), -ENOTTY,
	       "SOFTPT_PSB with a size");
	kit_is(kit_ioctl(fds[UNIT], _IO(SOFTPT_IOC + 1, 0x21), NULL), -ENOTTY,
	       "SOFTPT_PSB with another letter");
}

/* What a later header makes of a command whose struct has grown */
static void grown(const int *fds)
{
	struct {
		struct softpt_caps known;
		__u64 later[4];
	} caps = { .known = { .size = sizeof(caps) }, .later = { 1, 2, 3, 4 } };

	kit_is(kit_ioctl(fds[DEVICE], _IOC(_IOC_DIR(SOFTPT_GET_CAPS), SOFTPT_IOC, 0x00,
					   sizeof(caps)), &caps), 0,
	       "SOFTPT_GET_CAPS of a later header");
	kit_ok(caps.known.abi_version == SOFTPT_ABI_VERSION &&
	       !(caps.later[0] | caps.later[1] | caps.later[2] | caps.later[3]),
	       "it has what this kernel knows, and zeroes");
}

static void arguments(const int *fds)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (_IOC_DIR(commands[i].cmd) == _IOC_NONE)
			kit_is(kit_ioctl(fds[commands[i].of], commands[i].cmd, &commands[i]),
			       -EINVAL, "%s with an argument", commands[i].name);
}

void abi_commands(void)
{
	struct abi_unit u = abi_unit(NULL);
	int fds[KINDS] = { u.dev, u.session, u.unit };

	wrong_files(fds);
	unknown(fds);
	grown(fds);
	arguments(fds);
	abi_close(&u);
}
