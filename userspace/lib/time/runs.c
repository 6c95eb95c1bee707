// SPDX-License-Identifier: BSD-2-Clause
/* Records are handed out: one by one, or TNT bits in a row together. */
#include "time/decoder.h"
#include "time/resolve.h"
#include "time/runs.h"

/* Return: 1: d->time.rec[d->out] is of an interval that ended; else as softpt_decoder_next() */
static int have(struct softpt_decoder *d)
{
	int ret;

	for (;;) {
		if (d->ready && d->out < d->time.n)
			return 1;
		if (d->ready) {
			softpt_time_drained(&d->time);
			d->bind = SOFTPT_NO_BIND;
			d->ready = false;
		}
		if (d->failed) {
			d->failed = false;
			return d->resync.reason;
		}
		ret = softpt_decoder_fill(d);
		if (ret <= 0)
			return ret;
	}
}

static void take_record(struct softpt_decoder *d)
{
	d->out++;
	d->bit = 0;
}

static uint64_t offset_of_bit(const struct softpt_record *rec, unsigned int i)
{
	return rec->offset + (rec->packet == SOFTPT_PKT_TNT8 ? i / SOFTPT_BITS_SHORT : 0);
}

/* The bit at hand of several in a row, as a record by itself */
static const struct softpt_record *take_bit(struct softpt_decoder *d)
{
	const struct softpt_record *rec = &d->time.rec[d->out];
	const unsigned int i = d->bit++, rest = rec->reserved - i - 1;

	if (!i) {
		d->one = *rec;
		d->one.value = 0;
		d->one.reserved = 0;
	}
	d->one.kind = rec->value >> rest & 1 ? SOFTPT_REC_TAKEN : SOFTPT_REC_NOT;
	d->one.tsc = softpt_time_of_bit(&d->time, rec, i);
	d->one.offset = offset_of_bit(rec, i);
	if (!rest)
		take_record(d);
	return &d->one;
}

int softpt_decoder_next(struct softpt_decoder *d, const struct softpt_record **rec)
{
	int ret = have(d);

	if (ret > 0)
		*rec = d->time.rec[d->out].reserved ? take_bit(d) : &d->time.rec[d->out++];
	return ret;
}

static bool is_bit(const struct softpt_record *rec)
{
	return rec->kind == SOFTPT_REC_TAKEN || rec->kind == SOFTPT_REC_NOT;
}

int softpt_decoder_next_run(struct softpt_decoder *d, struct softpt_record_run *run)
{
	const struct softpt_record *rec;
	int ret = have(d);

	if (ret <= 0)
		return ret;
	rec = &d->time.rec[d->out];
	run->decoder = d;
	run->reserved = 0;
	if (rec->reserved && !d->bit) {
		run->bits = rec->value;
		run->count = rec->reserved;
		run->first = take_bit(d);
		take_record(d);
		return ret;
	}
	run->first = rec->reserved ? take_bit(d) : &d->time.rec[d->out++];
	run->count = is_bit(run->first);
	run->bits = run->first->kind == SOFTPT_REC_TAKEN;
	return ret;
}

uint64_t softpt_record_run_tsc(const struct softpt_record_run *run, unsigned int i)
{
	if (i >= run->count)
		return 0;
	return softpt_time_of_bit(&run->decoder->time, run->first, i);
}

void softpt_record_run_times(const struct softpt_record_run *run, unsigned int i, unsigned int n,
			     uint64_t *tsc)
{
	softpt_times_of_bits(&run->decoder->time, run->first, i, n, tsc);
}

uint64_t softpt_record_run_offset(const struct softpt_record_run *run, unsigned int i)
{
	return offset_of_bit(run->first, i);
}
