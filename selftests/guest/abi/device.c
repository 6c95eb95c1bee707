// SPDX-License-Identifier: BSD-2-Clause
/* /dev/softpt: who may open it, what it says of itself, and sessions */
#include "abi.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void node(void)
{
	struct stat st;
	int status;
	pid_t pid;

	kit_ok(!stat("/dev/softpt", &st) && S_ISCHR(st.st_mode) && (st.st_mode & 0777) == 0660,
	       "/dev/softpt is a character device with mode 0660");
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(open("/dev/softpt", O_RDWR) < 0 && errno == EACCES ? 0 : 1);
	}
	kit_ok(pid > 0 && waitpid(pid, &status, 0) == pid && !status,
	       "/dev/softpt is closed to others");
}

static unsigned long long attribute(const char *name)
{
	char path[128], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/misc/softpt/caps/%s", name);
	f = fopen(path, "r");
	if (!f || !fgets(text, sizeof(text), f))
		kit_note("%s cannot be read", path);
	if (f)
		fclose(f);
	return strtoull(text, NULL, 0);
}

static void caps(int dev)
{
	struct softpt_caps caps = { .size = sizeof(caps) };

	memset((char *)&caps + sizeof(caps.size), 0xa5, sizeof(caps) - sizeof(caps.size));
	kit_is(kit_ioctl(dev, SOFTPT_GET_CAPS, &caps), 0, "SOFTPT_GET_CAPS");
	kit_ok(caps.size == sizeof(caps) && caps.abi_version == SOFTPT_ABI_VERSION,
	       "caps: size and version");
	kit_ok(caps.config_flags == SOFTPT_F_ALL, "caps: every flag of the header is known");
	kit_ok((caps.sources & 3) == 3, "caps: replay and synth work everywhere");
	kit_ok(caps.max_ring >= 1 << 20 && !(caps.max_ring & (caps.max_ring - 1)),
	       "caps: the largest ring is a power of two");
	kit_ok(caps.tsc_khz && caps.nr_cpus >= kit_cpus(), "caps: TSC and CPUs");
	kit_ok(!caps.reserved[0] && !caps.reserved[1] && !caps.reserved[2] && !caps.reserved[3],
	       "caps: reserved fields are zero");
	kit_ok(attribute("abi_version") == caps.abi_version &&
	       attribute("config_flags") == caps.config_flags &&
	       attribute("sources") == caps.sources && attribute("max_ring") == caps.max_ring &&
	       attribute("tsc_khz") == caps.tsc_khz && attribute("nr_cpus") == caps.nr_cpus,
	       "sysfs says the same as SOFTPT_GET_CAPS");
}

void abi_device(void)
{
	static const struct abi_field args_rows[] = {
		ABI_FIELD(softpt_session_args, flags, SOFTPT_SESSION_ALL + 1, -EINVAL),
		ABI_FIELD(softpt_session_args, flags, 1u << 31, -EINVAL),
	};
	struct softpt_session_args args = { .size = sizeof(args) };
	struct softpt_caps capable = { .size = sizeof(capable) };
	int dev = kit_open(), session;

	node();
	caps(dev);
	ABI_SIZES(dev, SOFTPT_GET_CAPS, &capable, 0, true);
	ABI_FIELDS(dev, SOFTPT_CREATE_SESSION, &args, args_rows);
	ABI_SIZES(dev, SOFTPT_CREATE_SESSION, &args, 0, false);
	session = kit_session(dev);
	kit_ok(fcntl(session, F_GETFD) & FD_CLOEXEC, "a session's fd is closed on exec");
	close(session);
	close(dev);
}
