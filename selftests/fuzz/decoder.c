// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: the whole decoder, from any bytes, as any stream, whole or in
 * pieces. The first byte chooses; records must come with bounds that are in order.
 */
#include <stdlib.h>

#include "userspace/include/softpt/decoder.h"
#include "fuzz.h"

enum {
	GIVEN	= 1,	/* a configuration vouches for the stream */
	WHOLE	= 2,
	CYC	= 4,
	SUPPRESS = 8,
	THRESH	= 16,
	FOREIGN	= 32,
	RESUME	= 192,	/* enum softpt_resume, above 2: count */
};

static void choose(struct softpt_config *c, uint8_t mode)
{
	softpt_config_init(c);
	if (mode & CYC)
		c->flags |= SOFTPT_F_CYC;
	if (mode & THRESH)
		c->cyc_thresh = 5;
	if (!(mode & SUPPRESS))
		return;
	c->suppress = 2;
	c->resume = (mode & RESUME) >> 6;
	if (c->resume > SOFTPT_RESUME_TSC)
		c->resume = SOFTPT_RESUME_COUNT;
	c->resume_value = c->resume == SOFTPT_RESUME_TSC ? 0 : 254;
}

static void drain(struct softpt_decoder *d)
{
	const uint8_t both = SOFTPT_REC_HAS_MIN | SOFTPT_REC_HAS_MAX;
	const struct softpt_record *rec;
	int ret;

	while ((ret = softpt_decoder_next(d, &rec)))
		if (ret > 0 && (rec->flags & both) == both &&
		    (rec->tsc_min > rec->tsc || rec->tsc > rec->tsc_max))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softpt_config c;
	struct softpt_decoder *d;
	size_t i, piece;
	uint8_t mode;

	if (!size)
		return 0;
	mode = *data++;
	size--;
	choose(&c, mode);
	d = softpt_decoder_new(mode & GIVEN ? &c : NULL);
	if (!d)
		return 0;
	if (mode & FOREIGN)
		softpt_decoder_set_foreign(d, &c);
	if (mode & WHOLE) {
		softpt_decoder_set_buffer(d, data, size);
	} else {
		for (i = 0; i < size; i += piece) {
			piece = 1 + (data[i] & 63);
			if (piece > size - i)
				piece = size - i;
			if (softpt_decoder_feed(d, data + i, piece))
				break;
			drain(d);
		}
		softpt_decoder_end(d);
	}
	drain(d);
	softpt_decoder_free(d);
	return 0;
}
