// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/softpt, as the kernel's own selftests ask: what it takes and refuses, that the same events
 * give the same packets, and what suppression leaves out of them (US 12,386,726, claim 1).
 * selftests/guest/abi asks for every field; this is for a kernel tree.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/softpt.h>

#include "kselftest_harness.h"

#define DEVICE	"/dev/softpt"
#define PACKETS	65536	/* room for the packets of a test */

/* PSB: 02 82, eight times (SDM, 33.4.2.17) */
static const unsigned char psb[16] = {
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
};

/* Before any test: a fixture that skips is set up all the same. */
static void __attribute__((constructor)) need_device(void)
{
	if (access(DEVICE, F_OK))
		ksft_exit_skip(DEVICE " is missing: modprobe softpt\n");
}

/* ---- the device ---- */

FIXTURE(device) {
	int fd;
};

FIXTURE_SETUP(device)
{
	self->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(device)
{
	close(self->fd);
}

TEST_F(device, caps)
{
	struct softpt_caps caps = { .size = sizeof(caps) };
	size_t i;

	ASSERT_EQ(0, ioctl(self->fd, SOFTPT_GET_CAPS, &caps));
	EXPECT_EQ(SOFTPT_ABI_VERSION, caps.abi_version);
	EXPECT_EQ(sizeof(caps), caps.size);
	EXPECT_NE(0, caps.config_flags & SOFTPT_F_MTC);
	EXPECT_NE(0, caps.sources & 1u << SOFTPT_SOURCE_REPLAY);
	EXPECT_GE(caps.max_ring, 4096);
	EXPECT_GE(caps.nr_cpus, 1);
	for (i = 0; i < sizeof(caps.reserved) / sizeof(caps.reserved[0]); i++)
		EXPECT_EQ(0, caps.reserved[i]);
}

TEST_F(device, unknown_ioctl)
{
	EXPECT_EQ(-1, ioctl(self->fd, _IO(SOFTPT_IOC, 0x0f), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(self->fd, SOFTPT_FREEZE, 0));	/* a unit's */
	EXPECT_EQ(ENOTTY, errno);
}

TEST_F(device, bad_address)
{
	EXPECT_EQ(-1, ioctl(self->fd, SOFTPT_GET_CAPS, (void *)1));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(device, unknown_session_flags)
{
	struct softpt_session_args args = { .size = sizeof(args), .flags = SOFTPT_SESSION_ALL + 1 };

	EXPECT_EQ(-1, ioctl(self->fd, SOFTPT_CREATE_SESSION, &args));
	EXPECT_EQ(EINVAL, errno);
}

/* A newer caller's struct is taken while what this kernel does not know of it is zero. */
TEST_F(device, sizes)
{
	struct {
		struct softpt_session_args args;
		__u64 newer;
	} s = { .args.size = sizeof(s) };
	int session = ioctl(self->fd, SOFTPT_CREATE_SESSION, &s);

	EXPECT_GE(session, 0);
	close(session);
	s.newer = 1;
	EXPECT_EQ(-1, ioctl(self->fd, SOFTPT_CREATE_SESSION, &s));
	EXPECT_EQ(E2BIG, errno);
	s.args.size = sizeof(s.args.size);
	EXPECT_EQ(-1, ioctl(self->fd, SOFTPT_CREATE_SESSION, &s));
	EXPECT_EQ(EINVAL, errno);
}

/* ---- a session with a unit ---- */

FIXTURE(unit) {
	int device;
	int session;
	int unit;
	struct softpt_config config;
};

FIXTURE_VARIANT(unit) {
	int suppress;
};

FIXTURE_VARIANT_ADD(unit, all_mtcs) {
	.suppress = 0,
};

FIXTURE_VARIANT_ADD(unit, suppressed) {
	.suppress = 2,
};

static int new_session(int device, const struct softpt_config *config)
{
	struct softpt_session_args args = { .size = sizeof(args) };
	struct softpt_source source = { .size = sizeof(source), .kind = SOFTPT_SOURCE_REPLAY };
	int session = ioctl(device, SOFTPT_CREATE_SESSION, &args);

	if (session >= 0 && (ioctl(session, SOFTPT_SET_SOURCE, &source) ||
			     ioctl(session, SOFTPT_SET_CONFIG, config))) {
		close(session);
		return -1;
	}
	return session;
}

static int new_unit(int session)
{
	struct softpt_unit_args args = { .size = sizeof(args), .cpu = 0 };

	return ioctl(session, SOFTPT_CREATE_UNIT, &args);
}

static int enable(int session)
{
	struct softpt_enable args = { .size = sizeof(args) };

	return ioctl(session, SOFTPT_ENABLE, &args);
}

FIXTURE_SETUP(unit)
{
	struct softpt_session_args args = { .size = sizeof(args) };
	int session;

	self->device = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->device, 0);
	session = ioctl(self->device, SOFTPT_CREATE_SESSION, &args);
	ASSERT_GE(session, 0);
	self->config.size = sizeof(self->config);
	ASSERT_EQ(0, ioctl(session, SOFTPT_GET_CONFIG, &self->config));
	close(session);
	self->config.ring = PACKETS;
	self->config.suppress = variant->suppress;
	self->session = new_session(self->device, &self->config);
	ASSERT_GE(self->session, 0);
	self->unit = new_unit(self->session);
	ASSERT_GE(self->unit, 0);
	ASSERT_EQ(0, enable(self->session));
}

FIXTURE_TEARDOWN(unit)
{
	close(self->unit);
	close(self->session);
	close(self->device);
}

/*
 * Two bursts of branches, and between them a stretch in which nothing happens but time. Return: 0
 * or errno
 */
static int write_events(int unit)
{
	struct softpt_event events[64] = { 0 };
	size_t i;

	events[0] = (struct softpt_event){
		.tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x401000, .cpl = 3,
	};
	for (i = 1; i < 63; i++)
		events[i] = (struct softpt_event){
			.tsc = (i < 32 ? 1000 : 1000000) + 10 * i, .kind = SOFTPT_EV_JCC,
			.ip = 0x401000 + i, .flags = i & 1 ? SOFTPT_EVF_TAKEN : 0, .cpl = 3,
		};
	events[63] = (struct softpt_event){
		.tsc = 1001000, .kind = SOFTPT_EV_IJMP, .ip = 0x401100, .target = 0x402000,
		.cpl = 3,
	};
	if (write(unit, events, sizeof(events)) != sizeof(events))
		return errno;
	return ioctl(unit, SOFTPT_FINISH, 0) ? errno : 0;
}

/* Return: bytes, or -1 */
static ssize_t read_packets(int unit, unsigned char *buf)
{
	ssize_t n = 0, got;

	while ((got = read(unit, buf + n, PACKETS - n)) > 0)
		n += got;
	return got ? -1 : n;
}

TEST_F(unit, begins_with_psb)
{
	static unsigned char packets[PACKETS];
	ssize_t n;

	ASSERT_EQ(0, write_events(self->unit));
	n = read_packets(self->unit, packets);
	ASSERT_GT(n, (ssize_t)sizeof(psb));
	EXPECT_EQ(0, memcmp(packets, psb, sizeof(psb)));
}

TEST_F(unit, same_events_same_packets)
{
	static unsigned char packets[2][PACKETS];
	int session = new_session(self->device, &self->config), unit = new_unit(session);
	ssize_t n;

	ASSERT_GE(unit, 0);
	ASSERT_EQ(0, enable(session));
	ASSERT_EQ(0, write_events(self->unit));
	ASSERT_EQ(0, write_events(unit));
	n = read_packets(self->unit, packets[0]);
	ASSERT_GT(n, 0);
	EXPECT_EQ(n, read_packets(unit, packets[1]));
	EXPECT_EQ(0, memcmp(packets[0], packets[1], n));
	close(unit);
	close(session);
}

/* Without packets that need a time there is none but every second MTC of a stretch. */
TEST_F(unit, mtcs)
{
	struct softpt_status status = { .size = sizeof(status) };
	__u64 owed;

	ASSERT_EQ(0, write_events(self->unit));
	ASSERT_EQ(0, ioctl(self->unit, SOFTPT_GET_STATUS, &status));
	EXPECT_EQ(64, status.counts.events);
	EXPECT_EQ(0, status.counts.events_lost);
	owed = status.counts.mtc + status.counts.mtc_suppressed;
	EXPECT_GT(owed, 100);
	if (!variant->suppress) {
		EXPECT_EQ(0, status.counts.mtc_suppressed);
		return;
	}
	EXPECT_GT(status.counts.mtc_suppressed, owed / 2);
	EXPECT_GT(status.counts.mtc, 0);
}

TEST_F(unit, refused_events)
{
	struct softpt_event ev = { .tsc = 1000, .kind = SOFTPT_EV_NR };

	EXPECT_EQ(-1, write(self->unit, &ev, sizeof(ev)));
	EXPECT_EQ(EINVAL, errno);
	ev.kind = SOFTPT_EV_IDLE;
	ev.flags = SOFTPT_EVF_ALL + 1;
	EXPECT_EQ(-1, write(self->unit, &ev, sizeof(ev)));
	EXPECT_EQ(EINVAL, errno);
	ev.flags = 0;
	EXPECT_EQ(-1, write(self->unit, &ev, sizeof(ev) - 1));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(unit, refused_configuration)
{
	struct softpt_config config = self->config;

	config.flags = SOFTPT_F_ALL + 1;
	EXPECT_EQ(-1, new_session(self->device, &config));
	EXPECT_EQ(EINVAL, errno);
	config = self->config;
	config.ring = 3 * 4096;
	EXPECT_EQ(-1, new_session(self->device, &config));
	EXPECT_EQ(EINVAL, errno);
	config = self->config;
	config.reserved[0] = 1;
	EXPECT_EQ(-1, new_session(self->device, &config));
	EXPECT_EQ(EINVAL, errno);
}

/* The reader's page, the unit's page, and the ring twice in a row: only the first is written to. */
TEST_F(unit, mapping)
{
	const size_t page = sysconf(_SC_PAGESIZE), size = 2 * page + 2 * PACKETS;
	const struct softpt_control *control;
	const unsigned char *data;
	void *map;

	ASSERT_EQ(0, write_events(self->unit));
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, self->unit, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, munmap(map, page));
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, self->unit, page);
	EXPECT_EQ(MAP_FAILED, map);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, self->unit, 0);
	ASSERT_NE(MAP_FAILED, map);
	control = map + page;
	EXPECT_EQ(SOFTPT_ABI_VERSION, control->version);
	EXPECT_EQ(PACKETS, control->data_size);
	ASSERT_EQ(2 * page, control->data_offset);
	EXPECT_GT(control->head, sizeof(psb));
	data = map + control->data_offset;
	EXPECT_EQ(0, memcmp(data, psb, sizeof(psb)));
	EXPECT_EQ(0, memcmp(data + PACKETS, psb, sizeof(psb)));
	EXPECT_EQ(0, munmap(map, size));
}

TEST_F(unit, poll)
{
	struct pollfd fd = { .fd = self->unit, .events = POLLIN | POLLOUT };

	EXPECT_EQ(1, poll(&fd, 1, 0));
	EXPECT_NE(0, fd.revents & POLLOUT);
	ASSERT_EQ(0, write_events(self->unit));
	EXPECT_EQ(1, poll(&fd, 1, 0));
	EXPECT_NE(0, fd.revents & POLLIN);
}

TEST_HARNESS_MAIN
