// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: a configuration on the first line, as -c has it, then event text. The engine makes
 * packets of what it accepts, and the library records of these: none without an event, and the
 * true time of each within its bounds. A first byte L asks for a live unit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/lib/events/text.h"
#include "userspace/lib/sim/sim.h"
#include "fuzz.h"

#define BYTES_MAX	(1u << 16)	/* a gap may owe terabytes of MTCs */

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	size_t *left = ctx;

	(void)buf;
	if (len > *left)
		return -EFBIG;
	*left -= len;
	return 0;
}

static int put_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	(void)ctx;
	if (rec->flags & SOFTPT_REC_HAS_MIN && row->tsc < rec->tsc_min)
		abort();
	if (rec->flags & SOFTPT_REC_HAS_MAX && row->tsc > rec->tsc_max)
		abort();
	return 0;
}

/*
 * TSC packets have 56 bits. Those above are from the description, and carried into; not so when
 * tracing is off for long (Documentation/internals/time.rst).
 */
static bool is_told(const struct softpt_config *c, uint64_t before, uint64_t tsc)
{
	return c->flags & SOFTPT_F_DESCRIBE ? !before || !((tsc - before) >> 55) : !(tsc >> 56);
}

/* Lines that are no event, or that the engine refuses, are left out. */
static int feed(struct sim *s, const struct softpt_config *c, char *text)
{
	struct softpt_event ev;
	const char *refused;
	uint64_t now = 0;
	char *line;
	int ret = 0;

	while (!ret && (line = strsep(&text, "\n"))) {
		if (event_parse(line, &now, &ev, NULL) <= 0)
			continue;
		if (!is_told(c, sim_engine(s)->now, ev.tsc))
			break;
		ret = sim_event(s, &ev, &refused);
		if (ret == -EINVAL || ret == -ERANGE) {
			now = sim_engine(s)->now;
			ret = 0;
		}
	}
	return ret ? ret : sim_finish(s);
}

static void run(char *text)
{
	size_t left = BYTES_MAX;
	struct sim_output out = { .bytes = put_bytes, .row = put_row, .ctx = &left };
	struct softpt_config c;
	char why[320], *config;
	struct sim *s;
	int ret;
	bool live;

	softpt_config_init(&c);
	live = *text == 'L';
	text += live;
	config = strsep(&text, "\n");
	if (softpt_config_parse(&c, config, why, sizeof(why)) ||
	    softpt_config_validate(&c, why, sizeof(why)))
		return;
	s = sim_new(&c, &out);
	if (!s)
		return;
	if (live)
		sim_live(s);
	ret = feed(s, &c, text);
	if (ret && ret != -EFBIG)
		abort();
	sim_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	run(text);
	free(text);
	return 0;
}
