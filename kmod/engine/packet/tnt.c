// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tnt.h"
#include "write.h"

void softpt_tnt_flush_slow(struct softpt_engine *e, struct softpt_sink *s)
{
	u64 bits = 1ull << e->ntnt | e->tnt;

	if (e->ntnt <= 6)
		softpt_put(e, s, bits << 1, SOFTPT_SIZE_TNT8);
	else
		softpt_put_ext(e, s, SOFTPT_EXT_TNT64, bits, 6);
	e->tnt = 0;
	e->ntnt = 0;
}

/*
 * The core clock changed without a CBR. Two PADs mean that the ratio is unknown, so that our
 * decoder does not trust the last CBR. A PAD is no NTP, and other decoders ignore it: for them
 * the change stays unannounced.
 */
void softpt_put_unknown_ratio_slow(struct softpt_engine *e, struct softpt_sink *s)
{
	e->ratio_unknown = false;
	softpt_tnt_flush(e, s);
	softpt_put(e, s, SOFTPT_OPC_PAD, SOFTPT_SIZE_PAD);
	softpt_put(e, s, SOFTPT_OPC_PAD, SOFTPT_SIZE_PAD);
}
