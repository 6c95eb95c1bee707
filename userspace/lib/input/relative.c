// SPDX-License-Identifier: BSD-2-Clause
/* The trigger event of a trace */
#include "input/relative.h"

#include <errno.h>

/* The first TRIG of a stream. Return: 1; 0: there is none; -ENOMEM */
static int find_in(struct softpt_record *found, const struct input *in,
		   const struct input_stream *stream, const struct softpt_config *cfg)
{
	struct softpt_decoder *d = softpt_decoder_new(cfg);
	const struct softpt_record *rec;
	int ret;

	if (!d)
		return -ENOMEM;
	if (in->foreign)
		softpt_decoder_set_foreign(d, &in->config);
	softpt_decoder_set_buffer(d, stream->buf, stream->len);
	while ((ret = softpt_decoder_next(d, &rec)) != 0) {
		if (ret == -ENOMEM || (ret > 0 && rec->kind == SOFTPT_REC_TRIG &&
				       rec->flags & SOFTPT_REC_HAS_MIN))
			break;
	}
	if (ret > 0)
		*found = *rec;
	softpt_decoder_free(d);
	return ret;
}

int relative_find(struct trigger_event *te, const struct input *in,
		  const struct softpt_config *cfg)
{
	struct softpt_record rec;
	bool found = false;
	unsigned int i;
	int ret;

	for (i = 0; i < in->nr; i++) {
		ret = find_in(&rec, in, &in->streams[i], cfg);
		if (ret < 0)
			return ret;
		if (!ret || (found && te->rec.tsc <= rec.tsc))
			continue;
		te->rec = rec;
		te->cpu = in->streams[i].cpu;
		te->tid = in->streams[i].tid;
		found = true;
	}
	return found ? 0 : -ENOENT;
}
