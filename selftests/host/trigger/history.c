// SPDX-License-Identifier: BSD-2-Clause
/*
 * US 5,996,092: with a synchronizing event every interval, a buffer of m intervals can be read
 * from m - 1 - p intervals before the trigger event on, where p intervals came after it.
 * usage: history CASES: so many random triggers, rings, PSB periods, and what comes after.
 * libipt reads each ring that freezes. TAP.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <intel-pt.h>

#include <softpt/params.h>

#include "userspace/lib/sim/ring.h"
#include "userspace/lib/trigger/text.h"
#include "userspace/lib/sim/sim.h"
#include "selftests/kit/kit.h"

#define EVENTS_MAX	200000

static uint64_t state = 5996092;

static uint64_t below(uint64_t n)
{
	return kit_random(&state) % n;
}

struct history {
	struct softpt_config cfg;
	struct softpt_trigger trigger;
	uint64_t at;		/* the event that is the trigger's */
	uint64_t intervals;	/* of the ring */
	uint64_t after;		/* of what comes behind; UINT64_MAX: it is measured */
	struct sim_ring ring;
	struct sim *sim;
};

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct history *h = ctx;

	sim_ring_put(&h->ring, buf, len);
	return 0;
}

static int freeze(void *ctx)
{
	(void)ctx;
	return SIM_FROZEN;
}

static void configure(struct history *h)
{
	struct softpt_config *cfg = &h->cfg;

	softpt_config_default(cfg);
	cfg->psb_freq = below(3);
	cfg->mtc_freq = below(8);
	cfg->flags ^= below(2) ? SOFTPT_F_CYC : 0;
	cfg->flags ^= below(4) ? 0 : SOFTPT_F_DESCRIBE;
	cfg->flags |= below(2) ? SOFTPT_F_PWR : 0;
	cfg->suppress = below(2) ? below(4) : 0;
	cfg->preroll = below(3);
}

static void set_trigger(struct history *h)
{
	uint64_t interval = softpt_psb_interval(&h->cfg);

	h->intervals = 2 + below(10);
	h->trigger = (struct softpt_trigger){
		.source = SOFTPT_ON_SYSCALL, .nth = 1, .value = 1,
		.flags = SOFTPT_TRIGGER_FREEZE | (below(2) ? SOFTPT_TRIGGER_PSB : 0),
		.after_unit = below(SOFTPT_AFTER_NR),
	};
	h->after = below(h->intervals - 1);
	if (h->trigger.after_unit == SOFTPT_AFTER_PSBS)
		h->trigger.after = h->after;
	else if (h->trigger.after_unit == SOFTPT_AFTER_BYTES)
		h->trigger.after = h->after ? (h->after - 1) * interval + 1 + below(interval) : 0;
	else
		h->trigger.after = below(1000 * (1 + h->after));
	if (h->trigger.after_unit == SOFTPT_AFTER_TICKS)
		h->after = UINT64_MAX;
	h->at = 10 + below(below(4) ? 40000 : 2000);
}

/* What libipt does not know is left out. */
static void next_event(uint64_t *tsc, struct softpt_event *ev)
{
	do {
		kit_event(&state, tsc, ev);
	} while (ev->kind == SOFTPT_EV_CLOCK || ev->kind == SOFTPT_EV_MWAIT ||
		 (ev->kind >= SOFTPT_EV_TRIG && ev->kind <= SOFTPT_EV_TSX));
}

/* Return: whether the trigger froze the ring */
static bool run(struct history *h)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .tsc = 1000, .ip = 0x400000 };
	uint64_t tsc = ev.tsc, i;
	const char *why;
	int ret = 0;

	for (i = 0; i < EVENTS_MAX && !ret; i++) {
		if (i == h->at)
			ev = (struct softpt_event){
				.kind = SOFTPT_EV_SYSCALL, .tsc = tsc, .arg = 1
			};
		else if (i)
			next_event(&tsc, &ev);
		ret = sim_event(h->sim, &ev, &why);
		if (ret < 0)
			kit_bail("event %" PRIu64 ": %s", i, why);
	}
	return ret == SIM_FROZEN;
}

/* Every packet up to the end. Return: whether libipt takes them all */
static bool packets_good(const struct pt_config *config)
{
	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(config);
	int status = decoder ? pt_pkt_sync_forward(decoder) : -pte_nomem;
	struct pt_packet packet;
	uint64_t offset = 1;

	pt_pkt_get_offset(decoder, &offset);
	while (status >= 0)
		status = pt_pkt_next(decoder, &packet, sizeof(packet));
	pt_pkt_free_decoder(decoder);
	if (status != -pte_eos)
		kit_note("packets: libipt: %s", pt_errstr(pt_errcode(status)));
	return status == -pte_eos && !offset;
}

static int next_branch(struct pt_query_decoder *decoder)
{
	uint64_t ip;
	int taken, status = pt_qry_cond_branch(decoder, &taken);

	return status == -pte_bad_query ? pt_qry_indirect_branch(decoder, &ip) : status;
}

/* Every event and branch */
static bool flow_good(const struct pt_config *config)
{
	struct pt_query_decoder *decoder = pt_qry_alloc_decoder(config);
	uint64_t ip;
	int status = decoder ? pt_qry_sync_forward(decoder, &ip) : -pte_nomem;
	struct pt_event ev;

	while (status >= 0) {
		if (!(status & pts_event_pending) && status & pts_eos)
			break;
		status = status & pts_event_pending ? pt_qry_event(decoder, &ev, sizeof(ev)) :
						      next_branch(decoder);
	}
	if (status < 0 && status != -pte_eos) {
		pt_qry_get_offset(decoder, &ip);
		kit_note("flow: libipt: %s at 0x%" PRIx64, pt_errstr(pt_errcode(status)), ip);
	}
	pt_qry_free_decoder(decoder);
	return status >= 0 || status == -pte_eos;
}

static bool is_read(const uint8_t *bytes, size_t n, const struct softpt_config *cfg)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)bytes;
	config.end = (uint8_t *)bytes + n;
	config.cpuid_0x15_ebx = cfg->tsc_ebx;
	config.cpuid_0x15_eax = cfg->tsc_eax;
	config.mtc_freq = cfg->mtc_freq;
	config.nom_freq = cfg->p1;
	return packets_good(&config) && flow_good(&config);
}

struct tally {
	uint64_t frozen, full, kept, read;
};

/* What is there before the trigger event, against what there must be, in intervals */
static void judge(struct history *h, struct tally *tally)
{
	uint64_t interval = softpt_psb_interval(&h->cfg), te = sim_triggered(h->sim);
	uint64_t at, owed, after;
	uint8_t *bytes;
	size_t n;

	if (sim_ring_take(&h->ring, &bytes, &n, &at))
		kit_bail("no memory for a ring");
	after = h->after == UINT64_MAX ? (at + n - te + interval - 1) / interval : h->after;
	owed = h->intervals > 1 + after ? (h->intervals - 1 - after) * interval : 0;
	tally->frozen++;
	tally->full += at > 0;
	tally->read += is_read(bytes, n, &h->cfg);
	if (!at || (te >= at && te - at >= owed))
		tally->kept++;
	else
		kit_note("psb_freq=%u, %" PRIu64 " intervals, after %" PRIu64 " (unit %u): %" PRId64
			 " bytes before, %" PRIu64 " are owed", h->cfg.psb_freq, h->intervals,
			 (uint64_t)h->trigger.after, h->trigger.after_unit,
			 (int64_t)(te - at), owed);
	free(bytes);
}

static void one(struct tally *tally)
{
	struct history h = { .after = 0 };
	struct sim_output out = { .bytes = put_bytes, .freeze = freeze, .ctx = &h };

	configure(&h);
	set_trigger(&h);
	h.sim = sim_new(&h.cfg, &out);
	if (!h.sim || sim_arm(h.sim, &h.trigger, 1) ||
	    sim_ring_init(&h.ring, h.intervals * softpt_psb_interval(&h.cfg)))
		kit_bail("a unit and its ring");
	if (run(&h))
		judge(&h, tally);
	sim_free(h.sim);
	sim_ring_free(&h.ring);
}

int main(int argc, char **argv)
{
	uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, i;
	struct tally t = { 0 };

	for (i = 0; i < cases; i++)
		one(&t);
	kit_ok(t.frozen == cases, "%" PRIu64 " of %" PRIu64 " triggers froze the ring", t.frozen,
	       cases);
	kit_ok(t.full > cases / 4, "%" PRIu64 " after bytes were overwritten", t.full);
	kit_ok(t.kept == cases, "%" PRIu64 " hold the history that was promised", t.kept);
	kit_ok(t.read == cases, "%" PRIu64 " are read by libipt to the end", t.read);
	return kit_done();
}
