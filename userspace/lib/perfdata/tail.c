// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/tail.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "packet/packet.h"

struct perftail *perftails_get(struct perftails *tails, uint32_t cpu, uint32_t tid)
{
	struct perftail *grown;
	unsigned int i;

	for (i = 0; i < tails->n; i++)
		if (tails->v[i].cpu == cpu && tails->v[i].tid == tid)
			return &tails->v[i];
	grown = array_more(tails->v, tails->n, sizeof(*grown));
	if (!grown)
		return NULL;
	tails->v = grown;
	grown[tails->n] = (struct perftail){ .cpu = cpu, .tid = tid };
	return &grown[tails->n++];
}

/* Where the last PSB of @buf begins; @len: there is none */
static size_t last_psb(const uint8_t *buf, size_t len)
{
	struct softpt_stream s;
	size_t last = len;

	softpt_stream_init(&s, buf, len);
	while (!softpt_sync_forward(&s, 0, NULL)) {
		last = s.pos - s.begin;
		s.pos += SOFTPT_SIZE_PSB;
	}
	return last;
}

/* How many bytes of the tail are before a PSB that goes on in @buf; 0: there is none */
static size_t parted_psb(const struct perftail *t, const uint8_t *buf, size_t len)
{
	const size_t before = t->packets.len < SOFTPT_SIZE_PSB ? t->packets.len :
								 SOFTPT_SIZE_PSB - 1;
	const size_t behind = len < SOFTPT_SIZE_PSB ? len : SOFTPT_SIZE_PSB - 1;
	uint8_t both[2 * SOFTPT_SIZE_PSB];
	size_t at;

	if (!before)
		return 0;
	memcpy(both, t->packets.buf + t->packets.len - before, before);
	memcpy(both + before, buf, behind);
	at = last_psb(both, before + behind);
	return at < before ? t->packets.len - before + at : 0;
}

size_t perftail_cut(const struct perftail *t, const uint8_t *buf, size_t len)
{
	const size_t last = last_psb(buf, len);

	return last < len ? t->packets.len + last : parted_psb(t, buf, len);
}

void perftails_free(struct perftails *tails)
{
	while (tails->n)
		free(tails->v[--tails->n].packets.buf);
	free(tails->v);
	tails->v = NULL;
}
