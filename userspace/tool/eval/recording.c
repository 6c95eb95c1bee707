// SPDX-License-Identifier: BSD-2-Clause
/* softpt eval of a recording: what really happened on one of its CPUs, once more */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packet/packet.h"
#include <softpt/perf.h>
#include "types.h"
#include "../cli/input.h"
#include "export/rebuild.h"
#include "../cli/tool.h"
#include "truth/file.h"

/*
 * The first bytes behind NUL bytes, which a ring has that was not filled. Return: how many; @zeros:
 * whether there were any
 */
static size_t begin_of(FILE *f, char *begin, size_t size, bool *zeros)
{
	size_t n = 0;
	int c;

	do {
		c = getc(f);
		*zeros |= !c;
	} while (!c);
	for (; c != EOF && n < size; c = getc(f))
		begin[n++] = c;
	return n;
}

/*
 * Packets, raw or in perf.data: event text has neither a PSB nor a NUL byte. What can be read but
 * once is event text.
 */
bool eval_is_recording(const char *path)
{
	static const uint8_t psb[] = { 0x02, 0x82, 0x02, 0x82 };
	struct stat st;
	bool zeros = false;
	char begin[16];
	size_t n;
	FILE *f;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	n = begin_of(f, begin, sizeof(begin), &zeros);
	fclose(f);
	return zeros || softpt_perf_detect(begin, n) ||
	       (n >= sizeof(psb) && !memcmp(begin, psb, sizeof(psb)));
}

/* That of @cpu, or the one that most happened on. Return: NULL after a message */
static const struct input_stream *choose(const struct input *in, int cpu)
{
	const struct input_stream *best = NULL;
	unsigned int i;

	for (i = 0; i < in->nr; i++) {
		const struct input_stream *s = &in->streams[i];

		if ((cpu < 0 || s->cpu == cpu) && (!best || s->len > best->len))
			best = s;
	}
	if (!best)
		refuse_no_trace(in->path, cpu);
	return best;
}

/* Filters are in the events already: what they left out is CPL 0 there. */
static void base_of(const struct input_stream *s, struct softpt_config *cfg)
{
	if (softpt_config_of_stream(cfg, s->buf, s->len))
		softpt_config_init(cfg);
	cfg->nr_ranges = 0;
	memset(cfg->range, 0, sizeof(cfg->range));
	cfg->flags &= ~(SOFTPT_F_CR3 | SOFTPT_F_STOCK_SAFE);
	cfg->cr3 = 0;
	cfg->suppress = 0;
	cfg->burst = 0;
	cfg->preroll = 0;
	cfg->resume = SOFTPT_RESUME_COUNT;
	cfg->resume_value = 254;
}

static int with_truth(const struct eval_recording *from, const struct input *in,
		      const struct input_stream *s, struct event_list *list)
{
	const struct truth_rows *rows = NULL;
	struct truth_file truth = { 0 };
	const char *name = from->truth;
	char beside[PATH_MAX];
	struct error e;
	int status = 0;

	if (!name && !truth_file_name(beside, sizeof(beside), from->path) &&
	    !access(beside, F_OK))
		name = beside;
	if (name && (truth_file_read(&truth, name, &e) ||
		     truth_file_find(&truth, s->cpu, &rows, &e)))
		status = refuse_error(name, &e);
	if (!status && rebuild(list, in, s, NULL, rows, &e))
		status = refuse_error(in->path, &e);
	truth_file_free(&truth);
	if (!status)
		fprintf(stderr, "softpt: note: %s: the events of CPU %d, at %s times\n", from->path,
			s->cpu < 0 ? 0 : s->cpu, rows ? "their true" : "estimated");
	return status;
}

int eval_recording(const struct eval_recording *from, struct softpt_config *cfg,
		   struct event_list *list)
{
	const struct input_stream *s;
	struct input in;
	int status = EXIT_REFUSED;

	if (open_input(&in, from->path))
		return EXIT_REFUSED;
	s = choose(&in, from->cpu);
	if (s) {
		base_of(s, cfg);
		status = with_truth(from, &in, s, list);
	}
	input_close(&in);
	return status;
}
