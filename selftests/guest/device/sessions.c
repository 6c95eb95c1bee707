// SPDX-License-Identifier: BSD-2-Clause
/* Sessions side by side don't see each other. */
#include "selftests/kit/kit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSIONS	16
#define EVENTS		3000

static struct one {
	int session;
	int unit;
	struct softpt_config config;
	struct softpt_event *ev;
} all[SESSIONS];

static void begin(int dev, int i)
{
	struct one *s = &all[i];

	s->config = kit_config();
	s->config.mtc_freq = i;
	s->config.ring = 65536;
	s->config.flags ^= i & 1 ? SOFTPT_F_CYC : SOFTPT_F_RETC;
	s->session = kit_session(dev);
	kit_configure(s->session, &s->config);
	s->unit = kit_unit(s->session, i % kit_cpus());
	kit_is(kit_enable(s->session), 0, "session %d is enabled", i);
	s->ev = kit_events(100 + i, EVENTS);
}

static void end(int i)
{
	static uint8_t got[1 << 16];
	struct one *s = &all[i];
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&s->config, s->ev, EVENTS, &counts);
	ssize_t n;

	kit_ioctl(s->unit, SOFTPT_FINISH, NULL);
	n = kit_read(s->unit, got, sizeof(got));
	kit_ok(n == (ssize_t)counts.bytes && !memcmp(got, want, n),
	       "session %d has its own %llu bytes", i, (unsigned long long)counts.bytes);
	close(s->unit);
	close(s->session);
	free(s->ev);
	free(want);
}

int main(void)
{
	int dev = kit_open(), i, bad = 0;
	size_t at;

	for (i = 0; i < SESSIONS; i++)
		begin(dev, i);
	/* A few records for each in turn */
	for (at = 0; at < EVENTS; at += 100)
		for (i = 0; i < SESSIONS; i++)
			bad += kit_write(all[i].unit, all[i].ev + at,
					 100 * sizeof(struct softpt_event)) < 0;
	kit_ok(!bad, "events go to all of them in turn");
	for (i = 0; i < SESSIONS; i++)
		end(i);
	close(dev);
	return kit_done();
}
