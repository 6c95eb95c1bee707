// SPDX-License-Identifier: BSD-2-Clause
#include "rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/tsc.h"

#define LINE_MS	500

/* What the program prints is left alone: it is not to go to the same terminal. */
static bool is_wanted(void)
{
	return isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
}

bool rate_is_due(struct rate *r)
{
	const uint64_t now = seconds_now() * 1000;

	if (!r->began_ms) {
		r->began_ms = now;
		r->next_ms = is_wanted() ? now + LINE_MS : UINT64_MAX;
	}
	return now >= r->next_ms;
}

void rate_show(struct rate *r, uint64_t branches, uint64_t bytes)
{
	const uint64_t now = seconds_now() * 1000;

	fprintf(stderr, "\rsoftpt: %.1f s, %" PRIu64 " million branches (%" PRIu64 " million a second), %.1f MB\033[K",
		(now - r->began_ms) / 1000.0, branches / 1000000,
		(branches - r->branches) / (1000 * (now - r->next_ms + LINE_MS)), bytes / 1e6);
	fflush(stderr);
	r->branches = branches;
	r->next_ms = now + LINE_MS;
	r->shown = true;
}

void rate_end(struct rate *r)
{
	if (r->shown)
		fputs("\r\033[K", stderr);
	r->shown = false;
}
