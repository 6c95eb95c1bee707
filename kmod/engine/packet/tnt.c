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
 * The core clock changed and no CBR told: two PADs say that its ratio is unknown, so
 * that no decoder of ours trusts a stale one. PAD is no NTP, and other decoders skip
 * it: the change itself stays unannounced.
 */
void softpt_put_unknown_ratio_slow(struct softpt_engine *e, struct softpt_sink *s)
{
	e->ratio_unknown = false;
	softpt_tnt_flush(e, s);
	softpt_put(e, s, SOFTPT_OPC_PAD, SOFTPT_SIZE_PAD);
	softpt_put(e, s, SOFTPT_OPC_PAD, SOFTPT_SIZE_PAD);
}
