// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a front end asks of the engine besides events: whether an event is one, to go on without
 * room, to lose packets and find the way back, and what is left out of the truth.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/params.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"

static struct softpt_engine e;
static uint8_t bytes[16 * SOFTPT_GROUP_MAX];

static struct softpt_sink begin(void)
{
	struct softpt_config cfg;

	softpt_config_default(&cfg);
	softpt_engine_init(&e, &cfg);
	return (struct softpt_sink){ bytes, bytes + sizeof(bytes) };
}

#define EV(k, ...) { .kind = SOFTPT_EV_##k, .tsc = 1000, __VA_ARGS__ }

static int happen(struct softpt_sink *s, const struct softpt_event ev)
{
	const char *why;

	if (softpt_engine_check(&e, &ev, &why))
		kit_bail("an event of kind %u: %s", ev.kind, why);
	return softpt_engine_event(&e, &ev, s);
}

/* ---- what is no event ---- */

static const struct {
	const char *what;
	struct softpt_event ev;
	int want;
	const char *said;	/* a word of the reason */
} rows[] = {
	{ "unknown kind", { .kind = SOFTPT_EV_NR, .tsc = 1000 }, -EINVAL, "unknown kind" },
	{ "last of the kinds", { .kind = SOFTPT_EV_NR - 1, .tsc = 1000 }, 0, "" },
	{ "flag of another kind", EV(IDLE, .flags = SOFTPT_EVF_IP), -EINVAL, "a flag" },
	{ "unknown flag", EV(JCC, .flags = SOFTPT_EVF_ALL + 1), -EINVAL, "a flag" },
	{ "reserved field", EV(IDLE, .reserved = 1), -EINVAL, "a reserved field" },
	{ "CPL 4", EV(CPL, .cpl = 4), -EINVAL, "CPL is" },
	{ "thread 31", EV(THREAD, .thread = 31), 0, "" },
	{ "thread 32", EV(THREAD, .thread = 32), -EINVAL, "thread 0..31" },
	{ "mode 16", EV(MODE, .arg = 16), 0, "" },
	{ "mode 32", EV(MODE, .arg = 32), 0, "" },
	{ "mode 64", EV(MODE, .arg = 64), 0, "" },
	{ "mode 48", EV(MODE, .arg = 48), -EINVAL, "mode is" },
	{ "mode 65", EV(MODE, .arg = 65), -EINVAL, "mode is" },
	{ "clock 0", EV(CLOCK, .arg = 0), -EINVAL, "ratio is 1" },
	{ "clock 256", EV(CLOCK, .arg = 256), -EINVAL, "ratio is 1" },
	{ "clock below the platform's", EV(CLOCK, .arg = 3), -ERANGE, "min_ratio" },
	{ "clock above the platform's", EV(CBR, .arg = 61), -ERANGE, "max_ratio" },
	{ "hints of 32 bits", EV(MWAIT, .arg = U32_MAX, .arg2 = U32_MAX), 0, "" },
	{ "hints of 33 bits", EV(MWAIT, .arg = 1ull << 32), -EINVAL, "hints" },
	{ "PWRE to state 15", EV(PWRE, .arg = 15, .arg2 = 15), 0, "" },
	{ "PWRE to state 16", EV(PWRE, .arg = 16), -EINVAL, "state" },
	{ "PWRE to sub-state 16", EV(PWRE, .arg2 = 16), -EINVAL, "sub-state" },
	{ "PWRX", EV(PWRX, .arg = 15, .arg2 = 15, .target = 15), 0, "" },
	{ "PWRX to state 16", EV(PWRX, .arg = 16), -EINVAL, "deepest" },
	{ "PWRX for reason 16", EV(PWRX, .arg2 = 16), -EINVAL, "reason" },
	{ "PWRX from state 16", EV(PWRX, .target = 16), -EINVAL, "deepest" },
	{ "a duration begins", EV(PMU, .flags = SOFTPT_EVF_BEGIN, .stage = 3), 0, "" },
	{ "and ends", EV(PMU, .flags = SOFTPT_EVF_END), 0, "" },
	{ "both at once", EV(PMU, .flags = SOFTPT_EVF_BEGIN | SOFTPT_EVF_END), -EINVAL, "begin" },
	{ "it begins, with a count", EV(PMU, .flags = SOFTPT_EVF_BEGIN, .arg = 1), -EINVAL,
	  "neither COUNT" },
	{ "with OCCUPIED", EV(PMU, .flags = SOFTPT_EVF_BEGIN | SOFTPT_EVF_TARGET), -EINVAL,
	  "OCCUPIED" },
	{ "with data", EV(PMU, .flags = SOFTPT_EVF_BEGIN | SOFTPT_EVF_DATA), -EINVAL, "DATA" },
	{ "it ends at a stage", EV(PMU, .flags = SOFTPT_EVF_END, .stage = 3), -EINVAL,
	  "no STAGE" },
	{ "OCCUPIED 254", EV(PMU, .flags = SOFTPT_EVF_TARGET, .target = 254), 0, "" },
	{ "OCCUPIED 255", EV(PMU, .flags = SOFTPT_EVF_TARGET, .target = 255), -EINVAL,
	  "OCCUPIED 0..254" },
	{ "data of a jump", EV(JMP, .flags = SOFTPT_EVF_DATA), -EINVAL, "a flag" },
	{ "data of a jcc", EV(JCC, .flags = SOFTPT_EVF_DATA), -EINVAL, "a flag" },
	{ "TRBV 255", EV(TRIG, .arg = 255), 0, "" },
	{ "TRBV 256", EV(TRIG, .arg = 256), -EINVAL, "TRBV" },
	{ "CFE vector 255", EV(CFE, .arg = 255), 0, "" },
	{ "CFE vector 256", EV(CFE, .arg = 256), -EINVAL, "vector" },
	{ "CFE type 31", EV(CFE, .arg2 = 31), 0, "" },
	{ "CFE type 32", EV(CFE, .arg2 = 32), -EINVAL, "type" },
	{ "EVD type 63", EV(EVD, .arg = U64_MAX, .arg2 = 63), 0, "" },
	{ "EVD type 64", EV(EVD, .arg2 = 64), -EINVAL, "type" },
	{ "TSX abort", EV(TSX, .arg = SOFTPT_TSX_ABORT), 0, "" },
	{ "TSX of another kind", EV(TSX, .arg = SOFTPT_TSX_ABORT + 1), -EINVAL, "ABORT" },
	{ "LR of 32 bits", EV(LR, .arg = U32_MAX), 0, "" },
	{ "LR of 33 bits", EV(LR, .arg = 1ull << 32), -EINVAL, "32 bits" },
	{ "CTR of 33 bits", EV(CTR, .arg = 1ull << 32), -EINVAL, "32 bits" },
	{ "mtlr of 33 bits", EV(MTLR, .arg = 1ull << 32), -EINVAL, "32 bits" },
	{ "mtctr of 33 bits", EV(MTCTR, .arg = 1ull << 32), -EINVAL, "32 bits" },
	{ "class 63", EV(PMU, .arg2 = 63), 0, "" },
	{ "class 64", EV(PMU, .arg2 = 64), -EINVAL, "class" },
	{ "254 stages are occupied", EV(PMU, .target = 254, .flags = SOFTPT_EVF_TARGET), 0, "" },
	{ "255 stages are occupied", EV(PMU, .target = 255, .flags = SOFTPT_EVF_TARGET), -EINVAL,
	  "OCCUPIED" },
	{ "signal 0", EV(SIGNAL, .arg = 0), -EINVAL, "signal" },
	{ "signal 64", EV(SIGNAL, .arg = 64, .arg2 = 1), 0, "" },
	{ "signal 65", EV(SIGNAL, .arg = 65), -EINVAL, "signal" },
	{ "a signal that is handled twice", EV(SIGNAL, .arg = 1, .arg2 = 2), -EINVAL, "HANDLED" },
	{ "time that stands still", EV(IDLE), 0, "" },
	{ "time that goes back", { .kind = SOFTPT_EV_IDLE, .tsc = 999 }, -EINVAL, "before" },
	{ "2^55 - 1 ticks", { .kind = SOFTPT_EV_IDLE, .tsc = 1000 + (1ull << 55) - 1 }, 0, "" },
	{ "2^55 ticks", { .kind = SOFTPT_EV_IDLE, .tsc = 1000 + (1ull << 55) }, -EINVAL,
	  "2^55 ticks" },
	{ "the last times", { .kind = SOFTPT_EV_IDLE, .tsc = 0xffull << 56 }, -EINVAL, "2^64" },
	{ "sleep of 2^55 - 1 ticks", EV(SLEEP, .arg = (1ull << 55) - 1), 0, "" },
	{ "sleep of 2^55 ticks", EV(SLEEP, .arg = 1ull << 55), -EINVAL, "duration" },
	{ "overflow of 2^55 ticks", EV(OVF, .arg = 1ull << 55), -EINVAL, "duration" },
};

static void test_check(void)
{
	struct softpt_sink s = begin();
	const char *why;
	size_t i;

	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		kit_ok(softpt_engine_check(&e, &rows[i].ev, &why) == rows[i].want &&
		       (!rows[i].want || strstr(why, rows[i].said)), "%s", rows[i].what);
	happen(&s, (struct softpt_event)EV(DISABLE));
	kit_is(softpt_engine_check(&e, &(struct softpt_event){ .tsc = 1ull << 60 }, &why), 0,
	       "while nothing is traced there may be 2^55 ticks and more");
	e.now = (0xffull << 56) - 1;
	kit_ok(softpt_engine_in_time(&e, e.now) && !softpt_engine_in_time(&e, e.now + 1),
	       "the last times are not in time");
}

/* ---- without room ---- */

static void test_room(void)
{
	const struct softpt_event ev = EV(ENABLE, .ip = 0x401000);
	struct softpt_sink s = begin();
	const uint64_t events = e.counts.events;

	s.end = s.cur + SOFTPT_GROUP_MAX - 1;
	kit_ok(softpt_engine_event(&e, &ev, &s) == SOFTPT_MORE && s.cur == bytes &&
	       e.counts.events == events, "an event waits for its room");
	s.end++;
	kit_ok(!softpt_engine_event(&e, &ev, &s) && s.cur > bytes, "and has enough");
	s.end = s.cur + SOFTPT_GROUP_MAX - 1;
	kit_ok(softpt_engine_flush(&e, &s) == SOFTPT_MORE, "so does the end");
}

/* ---- loss ---- */

#ifdef __KERNEL__	/* where there is no decoder */
static void test_lose(void) { }
static void test_arrive(void) { }
static void test_ret(void) { }
#else
#include "userspace/include/softpt/decoder.h"

/* The records of what was written. Return: how many are of this kind */
static unsigned int count(const struct softpt_sink *s, unsigned int kind, uint64_t *tsc)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec;
	unsigned int n = 0;
	int ret;

	softpt_decoder_set_buffer(d, bytes, s->cur - bytes);
	while ((ret = softpt_decoder_next(d, &rec)) > 0) {
		if (rec->kind != kind)
			continue;
		*tsc = rec->tsc;
		n++;
	}
	softpt_decoder_free(d);
	return ret ? 0 : n;
}

static void test_lose(void)
{
	struct softpt_sink s = begin();
	uint64_t tsc = 0;

	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	softpt_engine_found(&e, 1500);
	kit_ok(e.due != 1500, "what is not lost can't be found");
	softpt_engine_lose(&e, &s);
	kit_ok(e.counts.bytes == (uint64_t)(s.cur - bytes), "the closing anchor is counted");
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 2000, .arg = 1 });
	kit_ok(count(&s, SOFTPT_REC_OVF, &tsc) == 0 && !count(&s, SOFTPT_REC_PTW, &tsc),
	       "while packets are lost there are none");
	softpt_engine_found(&e, 1);
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 9000, .arg = 2 });
	softpt_engine_flush(&e, &s);
	kit_ok(count(&s, SOFTPT_REC_PTW, &tsc) == 1 && tsc >= 8000, "then one, with its time");
	kit_ok(count(&s, SOFTPT_REC_OVF, &tsc) == 1 && tsc >= 2000 && tsc < 3000,
	       "behind an OVF that is not before the last event");
}

/* ---- address ranges ---- */

/* Execution gets into a range, and out of it, by running on: no event says so by itself. */
static void test_arrive(void)
{
	struct softpt_config cfg;
	struct softpt_sink s;
	uint64_t tsc = 0;

	softpt_config_default(&cfg);
	cfg.nr_ranges = 1;
	cfg.range[0] = (struct softpt_range){
		.from = 0x402000, .to = 0x402fff, .kind = SOFTPT_RANGE_FILTER,
	};
	softpt_engine_init(&e, &cfg);
	s = (struct softpt_sink){ bytes, bytes + sizeof(bytes) };
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	kit_ok(!count(&s, SOFTPT_REC_ENABLE, &tsc), "outside of a range nothing is traced");
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_JCC, .tsc = 2000, .ip = 0x402010 });
	kit_ok(count(&s, SOFTPT_REC_ENABLE, &tsc) == 1, "a branch inside says that it was reached");
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_JCC, .tsc = 3000, .ip = 0x403000 });
	kit_ok(count(&s, SOFTPT_REC_DISABLE, &tsc) == 1, "one outside, that it was left");
	kit_ok(count(&s, SOFTPT_REC_NOT, &tsc) == 1, "and the first of them is traced itself");
}

/* ---- RET compression ---- */

#define ROUNDS	8000
#define ROUND	3

/* A call, its RET, and a packet behind which a PSB may be due; @tsc: of the first of them */
static void make_round(struct softpt_event *ev, uint64_t tsc)
{
	unsigned int i;

	ev[0] = (struct softpt_event){
		.kind = SOFTPT_EV_ICALL, .ip = 0x401000, .target = 0x402000, .len = 2,
	};
	ev[1] = (struct softpt_event){
		.kind = SOFTPT_EV_RET, .ip = 0x402000, .target = 0x401002,
	};
	ev[2] = (struct softpt_event){ .kind = SOFTPT_EV_PTW, .arg = 1 };
	for (i = 0; i < ROUND; i++)
		ev[i].tsc = tsc + i;
}

/*
 * A PSB goes before a call, not behind it, for it empties the stack of RETs: each RET is a TNT bit,
 * but those with a PSB between them and their call.
 */
static void test_ret(void)
{
	struct softpt_event *ev = calloc(1 + ROUNDS * ROUND, sizeof(*ev));
	unsigned int i, psbs = 0, calls = 0, bad = 0, last = SOFTPT_PKT_PSB;
	struct softpt_config cfg;
	struct softpt_counts counts;
	struct softpt_stream s;
	struct softpt_packet pkt;
	uint8_t *stream;

	if (!ev)
		kit_bail("memory for events");
	ev[0] = (struct softpt_event)EV(ENABLE, .ip = 0x401000);
	for (i = 0; i < ROUNDS; i++)
		make_round(&ev[1 + i * ROUND], 2000 + i * ROUND);
	softpt_config_default(&cfg);
	cfg.flags = (cfg.flags | SOFTPT_F_PTW) & ~(SOFTPT_F_MTC | SOFTPT_F_CYC);
	cfg.psb_freq = 0;
	stream = kit_expect(&cfg, ev, 1 + ROUNDS * ROUND, &counts);
	softpt_stream_init(&s, stream, counts.bytes);
	while (softpt_stream_next(&s, &pkt) > 0) {
		bad += pkt.type == SOFTPT_PKT_TIP && last == SOFTPT_PKT_TIP;
		calls += pkt.type == SOFTPT_PKT_TIP;
		psbs += pkt.type == SOFTPT_PKT_PSB;
		if (pkt.type == SOFTPT_PKT_TIP || pkt.type == SOFTPT_PKT_TNT8 ||
		    pkt.type == SOFTPT_PKT_PSB)
			last = pkt.type;
	}
	kit_ok(psbs > 10 && calls >= ROUNDS && !bad,
	       "%u PSBs beside %u calls: RETs behind them are compressed", psbs, calls);
	free(stream);
	free(ev);
}
#endif

/* Where tracing is to stop it does not begin: TraceStop, and nothing behind it */
static void test_stop(void)
{
	struct softpt_config cfg;
	struct softpt_sink s;
	uint64_t packets;

	softpt_config_default(&cfg);
	cfg.nr_ranges = 1;
	cfg.range[0] = (struct softpt_range){
		.from = 0x402000, .to = 0x402fff, .kind = SOFTPT_RANGE_STOP,
	};
	softpt_engine_init(&e, &cfg);
	s = (struct softpt_sink){ bytes, bytes + sizeof(bytes) };
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x402010));
	packets = e.counts.packets;
	kit_ok(packets && s.cur[-2] == 0x02 && s.cur[-1] == SOFTPT_EXT_STOP,
	       "enabled inside a stop range: TraceStop");
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 100000, .arg = 1 });
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_JCC, .tsc = 200000, .ip = 0x401000 });
	kit_ok(!e.trigger_en && e.counts.packets == packets, "and nothing behind it");
}

/* ---- triggers ---- */

static void test_demand(void)
{
	const struct softpt_trigger exit = { .source = SOFTPT_ON_EXIT, .nth = 1 };
	const struct softpt_trigger demand = {
		.index = 1, .source = SOFTPT_ON_DEMAND, .nth = 1,
	};
	struct softpt_sink s = begin();
	struct softpt_triggers set = { 0 };
	const char *why;

	if (softpt_set_trigger(&set, &exit, &why))
		kit_bail("a trigger: %s", why);
	softpt_triggers_arm(&e, &set);
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	kit_ok(!softpt_trigger_demand(&e) && !softpt_trigger_pending(&e),
	       "no trigger waits for a demand");
	begin();
	if (softpt_set_trigger(&set, &demand, &why))
		kit_bail("a trigger: %s", why);
	softpt_triggers_arm(&e, &set);
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	kit_ok(softpt_trigger_demand(&e) && softpt_trigger_pending(&e), "one does");
	happen(&s, (struct softpt_event)EV(IDLE));
	kit_ok(e.triggers.marked == 1 && !softpt_trigger_pending(&e), "and fires with the next event");
}

/* ---- truth ---- */

static void test_truth(void)
{
	static struct softpt_truth told[2];
	struct softpt_truth_log log = { .cur = told, .end = told + 2 };
	struct softpt_sink s = begin();
	uint64_t tsc;

	softpt_truth_arm(&e, &log);
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	log.mute = true;
	happen(&s, (struct softpt_event)EV(JCC, .ip = 0x401004));
	kit_ok(log.cur == told + 1 && !log.lost && log.incomplete, "what is thrown away is not told");
	log.mute = false;
	happen(&s, (struct softpt_event)EV(JCC, .ip = 0x401008));
	kit_ok(log.cur == told + 1 && log.lost == 1,
	       "nor a bit while one waits that was not told of");
	happen(&s, (struct softpt_event)EV(PTW, .arg = 1));
	happen(&s, (struct softpt_event)EV(PTW, .arg = 2));
	kit_ok(log.cur == told + 2 && told[1].flags & SOFTPT_TRUTH_TORN && !log.incomplete,
	       "the first behind it says that some are missing");
	tsc = log.tsc;
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 1100 });
	kit_ok(log.cur == log.end && log.lost >= 2 && log.incomplete && log.tsc > tsc,
	       "without room time goes on");
}

/* A trigger that looks at an event and does not fire has nothing to tell. */
static void test_truth_of_trigger(void)
{
	const struct softpt_trigger never = { .source = SOFTPT_ON_EXIT, .nth = 1 };
	static struct softpt_truth told[8];
	struct softpt_truth_log log = { .cur = told, .end = told + 8 };
	struct softpt_sink s = begin();
	struct softpt_triggers set = { 0 };
	const char *why;

	if (softpt_set_trigger(&set, &never, &why))
		kit_bail("a trigger: %s", why);
	softpt_triggers_arm(&e, &set);
	softpt_truth_arm(&e, &log);
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	happen(&s, (struct softpt_event)EV(PTW, .arg = 1));
	kit_is(log.cur - told, 2, "events that no trigger waits for are told once");
}

/* The truth's cycles: the core clock's, from the enable on, and none of a sleep's */
static void test_cycles(void)
{
	struct softpt_truth told[16];
	struct softpt_truth_log log = { .cur = told, .end = told + 16 };
	struct softpt_event half = { .kind = SOFTPT_EV_CLOCK, .tsc = 1200 };
	struct softpt_sink s = begin();

	softpt_truth_arm(&e, &log);
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 1100 });
	kit_ok(log.cur[-1].tsc == 1100 && log.cur[-1].cycles == 100, "100 cycles at P1");
	half.arg = e.cfg.p1 / 2;
	happen(&s, half);
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 1301 });
	kit_ok(log.cur[-1].cycles == 250, "50 in 101 ticks at half of it");
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_SLEEP, .tsc = 1301, .arg = 100 });
	happen(&s, (struct softpt_event){ .kind = SOFTPT_EV_PTW, .tsc = 1500 });
	kit_ok(log.cur[-1].cycles == 300, "and 50 behind a sleep, with the half that was left");
}

/* A PSB+ that becomes due behind an EVD waits for the FUP that the EVD and its CFE bind to. */
static void test_together(void)
{
	unsigned int i, torn = 0, waited = 0;
	struct softpt_config cfg;
	struct softpt_sink s;
	uint64_t from, due;
	uint8_t *cfe;

	softpt_config_default(&cfg);
	cfg.flags &= ~SOFTPT_F_OS;
	cfg.psb_freq = 0;
	softpt_engine_init(&e, &cfg);
	s = (struct softpt_sink){ bytes, bytes + sizeof(bytes) };
	happen(&s, (struct softpt_event)EV(ENABLE, .ip = 0x401000));
	for (i = 0; i < 1000; i++) {
		s.cur = bytes;
		happen(&s, (struct softpt_event)EV(EVD, .arg = 0x7000));
		cfe = s.cur;
		from = e.counts.bytes - SOFTPT_SIZE_EVD;
		due = e.psb_at;
		happen(&s, (struct softpt_event)EV(CFE, .arg = 14, .arg2 = 1));
		happen(&s, (struct softpt_event)EV(INTR, .ip = 0x401000));
		torn += s.cur - cfe > 16;
		waited += due > from && due <= e.counts.bytes - 1;
		happen(&s, (struct softpt_event)EV(FAR, .target = 0x401000, .cpl = 3));
	}
	kit_ok(waited && !torn, "EVD, CFE and FUP stay together where %u PSB+ became due",
	       waited);
}

int main(void)
{
	test_check();
	test_room();
	test_lose();
	test_arrive();
	test_ret();
	test_stop();
	test_demand();
	test_truth();
	test_truth_of_trigger();
	test_cycles();
	test_together();
	return kit_done();
}
