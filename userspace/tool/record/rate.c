// SPDX-License-Identifier: BSD-2-Clause
#include "rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LINE_MS	500

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* What the program prints is left alone: it is not to go to the same terminal. */
static bool is_wanted(void)
{
	return isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
}

bool rate_is_due(struct rate *r)
{
	const uint64_t now = now_ms();

	if (!r->began_ms) {
		r->began_ms = now;
		r->next_ms = is_wanted() ? now + LINE_MS : UINT64_MAX;
	}
	return now >= r->next_ms;
}

void rate_show(struct rate *r, uint64_t branches, uint64_t bytes)
{
	const uint64_t now = now_ms();

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
