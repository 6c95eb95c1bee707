// SPDX-License-Identifier: BSD-2-Clause
/*
 * Event addresses, from events through the engine's records to the library's answer; and
 * what US 7,747,844 says, sentence by sentence.
 */
#include <string.h>

#include "userspace/lib/sim/counters.h"
#include "userspace/lib/retire/text.h"
#include "userspace/lib/events/text.h"
#include "userspace/lib/sim/sim.h"
#include "selftests/kit/kit.h"
#include <softpt/params.h>

/* Instruction @n of a picture */
#define IP(n)	(0x1000 + 4 * (uint64_t)(n))

/* What an event left behind */
struct result {
	struct softpt_frozen frozen;
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
};

/* Text as events to the engine */
static void feed(struct sim *sim, const char *text, uint64_t *now)
{
	struct softpt_event ev;
	struct error error;
	const char *what;

	if (event_parse(text, now, &ev, &error) != 1)
		kit_bail("%s: %s", text, error.text);
	if (sim_event(sim, &ev, &what))
		kit_bail("%s: %s", text, what);
}

/* Of the pipeline that begin() was told of */
static struct ear_pipeline pipe;

static struct sim *begin(const char *pipeline, const char *freeze)
{
	struct softpt_plan plan = { 0 };
	struct softpt_config config;
	struct ear_event event;
	struct error error = { 0 };
	struct sim *sim;
	int number;

	softpt_config_default(&config);
	if (ear_parse_pipeline(&pipe, pipeline, &error) ||
	    ear_parse_event(&event, freeze, &error))
		kit_bail("%s", error.text);
	number = ear_plan(&plan, &event, &error);
	sim = sim_new(&config, &(struct sim_output){ 0 });
	if (number < 0 || !sim)
		kit_bail("%s", error.text);
	counters_start(sim, &plan, plan.counters);
	sim_record(sim, &pipe.p, number);
	return sim;
}

static void end(struct sim *sim, struct result *r)
{
	const struct softpt_fifo *f = &sim_engine(sim)->fifo;
	uint32_t i;

	sim_finish(sim);
	memset(r, 0, sizeof(*r));
	r->frozen.pipeline = f->pipeline;
	r->frozen.freeze = f->freeze;
	r->frozen.record = r->record;
	r->frozen.capacity = pipe.capacity;
	for (i = 0; f->state == SOFTPT_FIFO_FROZEN && softpt_fifo_read(f, i); i++)
		r->record[r->frozen.n++] = *softpt_fifo_read(f, i);
	sim_free(sim);
}

/*
 * A picture has a letter for each clock: r an instruction retires, . none does, E one
 * retires and the event happens, e the event alone, G a record of two, D two records, B these
 * and the event, F a far transfer, I an interrupt and no retirement, X a flush and no retirement,
 * S an instruction is squashed, Q one is and the event happens, C the core runs at half its speed
 * from here on, Z it sleeps for 10 ticks.
 */
static void draw_once(const char *picture, const char *pipeline, const char *freeze,
		      const char *event, bool traced, struct result *r)
{
	struct sim *sim = begin(pipeline, freeze);
	uint64_t now = 0, tsc = 1000;
	unsigned int ip = 0;
	char line[96];

#define FEED(...) do { \
		snprintf(line, sizeof(line), __VA_ARGS__); \
		feed(sim, line, &now); \
	} while (0)
	FEED("%llu %s 0x1000", (unsigned long long)tsc, traced ? "enable" : "disable");
	for (; *picture; picture++, tsc++) {
		FEED("%llu idle", (unsigned long long)tsc);
		if (*picture == 'Q')
			FEED("+0 pmu 12 2 1");
		if (strchr("rEGDBFSQ", *picture))
			FEED("+0 retire 0x%llx %d", (unsigned long long)IP(ip++),
			     *picture == 'G' ? 2 : 1);
		if (strchr("DB", *picture))
			FEED("+0 retire 0x%llx 1", (unsigned long long)IP(ip++));
		if (strchr("EeQB", *picture))
			FEED("+0 pmu %s", event);
		if (*picture == 'F')
			FEED("+0 far 0x1000 0x2000 3");
		if (*picture == 'I')
			FEED("+0 intr 0x1000 0x2000 3 14");
		if (*picture == 'X')
			FEED("+0 flush");
		if (*picture == 'S')
			FEED("+0 pmu 12 2 1");
		if (*picture == 'C')
			FEED("+0 cbr 13");
		if (*picture == 'Z') {
			FEED("+0 sleep 10");
			tsc += 9;
		}
	}
#undef FEED
	end(sim, r);
}

/* Whether the unit traces or not is all the same. */
static void draw(const char *picture, const char *pipeline, const char *freeze,
		 const char *event, struct result *r)
{
	struct result untraced;

	draw_once(picture, pipeline, freeze, event, true, r);
	draw_once(picture, pipeline, freeze, event, false, &untraced);
	if (r->frozen.n != untraced.frozen.n ||
	    memcmp(r->record, untraced.record, sizeof(r->record)))
		kit_bail("%s: other records without a trace", picture);
}

struct row {
	const char *picture;
	const char *pipeline;
	const char *event;	/* pmu's arguments */
	unsigned int stage;
	int status;		/* SOFTPT_ADDRESS_* */
	int want;		/* instruction, where it is known */
};

/* One instruction a stage; the last record is 4 cycles after the event */
#define P4 "stages=4,capacity=1,min=2,delay=4,write=1"
#define EVENT "dcache"
#define PMU "4 1 1"
#define K(picture, pipeline, event, stage, want) \
	{ picture, pipeline, event, stage, SOFTPT_ADDRESS_KNOWN, want }
#define U(picture, pipeline, event, stage, status) \
	{ picture, pipeline, event, stage, SOFTPT_ADDRESS_##status, 0 }

/* Stages of which nothing is told; a buffer of 8 behind the second; two at each stage */
#define NO_CAPACITY "stages=4,min=2,delay=4,write=1"
#define BUFFER NO_CAPACITY ",capacity=1:9:1:1"
#define WIDE NO_CAPACITY ",capacity=2"
#define WIDENS NO_CAPACITY ",capacity=1:1:2:2"

static const struct row rows[] = {
	/* without capacities nothing is known, but what the event says */
	U("rrrrErrrrrr", NO_CAPACITY, PMU, 1, UNTOLD),
	U("rrrrErrrrrr", NO_CAPACITY, PMU, 4, UNTOLD),
	K("rrrrErrrrrr", NO_CAPACITY, PMU " 2 3", 2, 7),
	U("rrrrErrrrrr", NO_CAPACITY ",capacity=1:0:1:1", PMU, 1, UNTOLD),
	U("rrrrErrrrrr", NO_CAPACITY ",capacity=1:0:1:1", PMU, 2, UNTOLD),
	K("rrrrErrrrrr", NO_CAPACITY ",capacity=1:0:1:1", PMU, 3, 5),
	/* before the buffer and behind it */
	U("rrrrErrrrrr", BUFFER, PMU, 2, SHARED), U("rrrrErrrrrr", BUFFER, PMU, 1, PARTLY),
	K("rrrrErrrrrr", BUFFER, PMU, 3, 5), K("rrrrErrrrrr", BUFFER, PMU, 4, 4),
	K("rrrrErrrrrr", BUFFER, PMU " 2 3", 2, 7), K("rrrrErrrrrr", BUFFER, PMU " 1 4", 1, 8),
	U("rrrrErrrrrrr", BUFFER, PMU " 2 11", 2, CONTRADICTION),
	/* two retire in one clock */
	U("rrrrDrrrrrr", P4, PMU, 4, NOT_FROZEN), U("rrrrBBBrrrr", WIDE, PMU, 4, SHARED),
	K("rrrrBDDrrrr", WIDE, PMU " 4 0", 4, 4), K("rrrrBDDrrrr", WIDE, PMU " 4 1", 4, 5),
	K("rrrrBDDrrrr", WIDE, PMU " 2 5", 2, 9), K("rrrrBDDrrrr", NO_CAPACITY, PMU " 3 3", 3, 7),
	K("rrrDBrDrrrr", WIDE, PMU " 2 4", 2, 9),
	U("rrrrBDDDrrr", WIDE, PMU " 2 6", 2, CONTRADICTION),
	K("rrrrBDrrrrr", WIDENS, PMU, 2, 8),
	U("rrrrBDDrrrr", WIDENS ",depth=7", PMU " 3 2", 3, TOO_OLD),
	U("rrrrBrrrrrr", WIDENS, PMU, 2, PARTLY), U("rrrrErrrrrr", WIDENS, PMU, 3, SHARED),
	U("rrrrBGrrrrr", WIDE, PMU " 2 3", 2, GROUP), U("rrrrBDDrrrr", P4, PMU " 2 5", 2, GROUP),
	/* what is flushed has left */
	U("rrrrEXr.rrr", P4, PMU " 2 2", 2, FLUSHED), U("rrrrEXrrrrr", P4, PMU, 2, FLUSHED),
	K("rXrErrrrr", P4, PMU, 4, 2),
	/* each stage of a full pipeline */
	K("rrrrErrrrrr", P4, PMU, 4, 4), K("rrrrErrrrrr", P4, PMU, 3, 5),
	K("rrrrErrrrrr", P4, PMU, 2, 6), K("rrrrErrrrrr", P4, PMU, 1, 7),
	U("rrrrErrrrrr", P4, PMU, 5, NO_STAGE),
	K("rrrrErrrrrr", P4, PMU " 2", 3, 5),		/* another stage than the event's */
	K("E", "stages=1,capacity=1,min=1", PMU, 1, 0),		/* at the very first clock */
	K("rE", "stages=4,capacity=1,min=1", PMU, 4, 1),	/* no delay: the last record */
	K("rrrrErrr.", P4, PMU, 1, 7),			/* the last clock retires none */
	K("rr..Errrr", P4, PMU, 1, 5),			/* bubbles before the event don't matter */
	/* what a full pipeline must be */
	U("rrrrErr.rrr", P4, PMU, 1, BUBBLE),
	U("rrrreerrrr", P4, PMU, 4, BUBBLE), K("rrrrErr.rrr", P4, PMU, 2, 6),
	U("rrrrE.rrrrr", P4, PMU, 3, BUBBLE),
	/* the event says what was occupied */
	K("rrrrErr.rrr", P4, PMU " 1 3", 1, 7), K("rrrrE..rr", P4, PMU " 1 1", 1, 5),
	K("rrrre..r.r", P4, PMU " 2 0", 2, 4), K("rrrre.rr.r", P4, PMU " 1 1", 1, 5),
	K("rrrrErrrrrr", P4, PMU " 1 3", 1, 7), K("rrrre.rrrr", P4, PMU " 4 0", 4, 4),
	U("rrrrErrrrrr", P4, PMU " 1 2", 1, CONTRADICTION),
	U("rrrrE.rrrrr", P4, PMU " 1 1", 1, CONTRADICTION),	/* too soon for stage 1 */
	U("rrrrErrrrrr", P4, PMU " 3 2", 3, CONTRADICTION),
	U("rrrrErrrrrr", P4, PMU " 1 0", 1, CONTRADICTION),	/* who retires is at a later one */
	U("rrrrErr.rrr", P4, PMU " 2 2", 1, BUBBLE),		/* said of another stage */
	U("rrrrE.S.rrr", P4, PMU " 1 2", 1, SQUASHED),
	U("rrrrE..Srrr", P4, PMU " 2 2", 2, SQUASHED),
	U("rrrrE...r..", P4, PMU " 2 2", 2, NOT_RETIRED),
	U("rrrrQrr.rrr", P4, PMU " 1 3", 1, SQUASHED),		/* in the event's own clock */
	K("rrrrErrS.rr", P4, PMU " 1 3", 1, 7),			/* full: none can be missing */
	/* bad records */
	U("rrrrErFrrrr", P4, PMU, 4, FLUSHED), U("rrrrErI.rrr", P4, PMU, 4, FLUSHED),
	U("rrrFErrrrrr", P4, PMU, 4, FLUSHED),			/* the first of those visited */
	K("rrFrErrrrrr", P4, PMU, 1, 7), K("rrrrErrrFrr", P4, PMU, 1, 7),
	U("rrrrErGrrrr", P4, PMU, 4, GROUP), U("rrrrErDrrrr", P4, PMU, 4, GROUP),
	K("rrDGrErrrrr", P4, PMU, 1, 9),
	/* too early, too late, never */
	U("rrrrErr", P4, PMU, 4, EARLY), U("rrrrErrr", P4, PMU, 4, EARLY),
	K("rrrrErrrr", P4, PMU, 4, 4), U("rrrrrrrrr", P4, PMU, 4, NOT_FROZEN),
	U("rrrrErrrr", "stages=4,capacity=1,min=1,write=1", PMU, 4, NOT_WRITTEN),
	K("rrrrErrrr", "stages=4,capacity=1,min=2,write=1", PMU, 4, 4),
	U("rrrrErrrr", "stages=4,capacity=1,min=3,write=1", PMU, 2, NOT_RETIRED),
	U("rrrrErrrr", P4 ",depth=4", PMU, 4, TOO_OLD), K("rrrrErrrr", P4 ",depth=5", PMU, 4, 4),
	U("e..rrrrr", P4, PMU, 4, TOO_OLD),
	/* only what the event needs is recorded */
	K("rrrrErrrrrr", P4 ",after=1", PMU, 1, 7), K("rr.re.rr.", P4 ",after=1", PMU " 1 1", 1, 4),
	/* clocks are those of the core */
	U("rrCrrErrrrrrrrr", P4, PMU, 4, GROUP), K("C.r.r.r.E.r.r.r.r.r", P4, PMU, 1, 6),
	K("rrrrErZrrrrr", P4, PMU, 1, 7),
};

static void test_row(const struct row *row)
{
	struct softpt_address a;
	struct result r;
	bool good;

	draw(row->picture, row->pipeline, EVENT, row->event, &r);
	softpt_address_find(&r.frozen, row->stage, &a);
	good = a.status == row->status && a.ip == (row->status ? 0 : IP(row->want));
	if (!kit_ok(good, "%s, %s, pmu %s, stage %u", row->picture, row->pipeline, row->event,
		    row->stage))
		kit_note("%s, record %ld, 0x%llx", softpt_address_reason(a.status), a.record,
			 (unsigned long long)a.ip);
}

/* ---- what the document says ---- */

static bool answers(const char *picture, const char *pipeline, const char *freeze,
		    const char *event, unsigned int stage, int want)
{
	struct softpt_address a;
	struct result r;

	draw(picture, pipeline, freeze, event, &r);
	return !softpt_address_find(&r.frozen, stage, &a) && a.ip == IP(want);
}

static int status_of(const char *picture, const char *pipeline, unsigned int stage)
{
	struct softpt_address a;
	struct result r;

	draw(picture, pipeline, EVENT, PMU, &r);
	return softpt_address_find(&r.frozen, stage, &a);
}

static bool is_record(const struct result *r, size_t i, uint64_t ip, uint64_t cycles,
		      uint32_t flags)
{
	return i < r->frozen.n && r->record[i].ip == ip && r->record[i].cycles == cycles &&
	       r->record[i].flags == flags;
}

static bool says_record(void)
{
	struct result r;

	draw("r..rErrr", "stages=4,capacity=1,min=1,delay=1", EVENT, PMU, &r);
	return r.frozen.n == 4 && is_record(&r, 0, IP(0), 1, SOFTPT_RETIRED) &&
	       is_record(&r, 1, IP(1), 3, SOFTPT_RETIRED) &&
	       is_record(&r, 3, IP(3), 1, SOFTPT_RETIRED);
}

static bool says_last_cycle(void)
{
	struct result r;

	draw("rE..rr", "stages=4,capacity=1,min=2,delay=1", EVENT, PMU, &r);
	return r.frozen.n == 3 && is_record(&r, 2, 0, 2, 0);
}

static bool says_valid(void)
{
	struct result r;

	draw("rErrrr", "stages=4,capacity=1,min=2,delay=1", EVENT, PMU, &r);
	return r.frozen.n == 4 && is_record(&r, 3, IP(3), 1, SOFTPT_RETIRED);
}

static bool says_flushed(void)
{
	struct result r;

	draw("rFrErr", "stages=4,capacity=1,min=1,delay=1", EVENT, PMU, &r);
	return r.frozen.n == 5 &&
	       is_record(&r, 2, IP(2), 1, SOFTPT_RETIRED | SOFTPT_RETIRED_FLUSHED) &&
	       is_record(&r, 3, IP(3), 1, SOFTPT_RETIRED);
}

static bool says_early(void)
{
	struct result r;

	draw("rErr", P4, EVENT, PMU, &r);
	return r.frozen.n == 3 &&
	       is_record(&r, 2, IP(2), 1, SOFTPT_RETIRED | SOFTPT_RETIRED_EARLY);
}

static bool says_any_stage(void)
{
	return answers("rrrrErrrrrr", P4, "icache/miss", "5 2 1 1", 1, 7) &&
	       answers("rrrrErrrrrr", P4, "dcache/read-miss", "4 2 1 2", 2, 6) &&
	       answers("rrrrErrrrrr", P4, "hazards/data", "11 2 1 3", 3, 5) &&
	       answers("rrrrErrrrrr", P4, "instructions", "0 1 1 4", 4, 4);
}

static bool says_recirculation(void)
{
	struct softpt_address a;
	struct result r;

	/* full: nothing but the instruction itself can have retired in its place */
	if (!answers("rrrrErrrrrr", P4, "recirculations", "12 1 1 2", 2, 6))
		return false;
	draw("rrrrEr.rrrr", P4, "recirculations", "12 2 1 2 2", &r);
	return softpt_address_find(&r.frozen, 2, &a) == SOFTPT_ADDRESS_SQUASHED;
}

static bool says_counted(void)
{
	struct softpt_address a;
	struct result r;

	draw("rErErrErrrrrrE", P4, EVENT ",nth=5", "4 1 2", &r);
	return !softpt_address_find(&r.frozen, 4, &a) && a.ip == IP(6) && a.events == 6 &&
	       !answers("rErErErrrr", P4, EVENT ",nth=7", "4 1 2", 4, 5);
}

static bool says_frozen(void)
{
	struct result r;

	draw("rrErrrrrrrrrrrE", "stages=4,capacity=1,min=3,delay=2", EVENT, PMU, &r);
	return r.frozen.n == 7 && r.record[6].ip == IP(6);
}

static bool says_write_delay(void)
{
	struct result r;

	draw("rrErrrrrrrrrrr", "stages=4,capacity=1,min=3,delay=2,write=2", EVENT, PMU, &r);
	return r.frozen.n == 5 &&
	       answers("rrErrrrrr", "stages=4,capacity=1,min=3,delay=2,write=2", EVENT, PMU, 2, 4);
}

static bool says_cycles(void)
{
	return answers("rr..ErrrIrrr", "stages=3,capacity=1,min=1,delay=2", EVENT, PMU, 3, 2);
}

static bool says_retirements(void)
{
	return answers("rrrrErr.r.r", "stages=4,capacity=1,min=1,delay=5", EVENT, "4 1 1 1 3", 1,
		       7);
}

static bool says_last(void)
{
	return answers("rrrrErrr", "stages=9,capacity=1,min=1", EVENT, PMU, 9, 4);
}

static bool says_unavailable(void)
{
	return status_of("rrrrErFrrrr", P4, 4) == SOFTPT_ADDRESS_FLUSHED &&
	       status_of("rrrrEr", P4, 4) == SOFTPT_ADDRESS_EARLY &&
	       status_of("rrrrErGrrrr", P4, 4) == SOFTPT_ADDRESS_GROUP;
}

static bool says_finite(void)
{
	return status_of("rrrrErrrrr", P4 ",depth=4", 4) == SOFTPT_ADDRESS_TOO_OLD;
}

static bool says_upon_event(void)
{
	struct result r;

	draw("rrrrrrErrrrrr", P4 ",after=1", EVENT, PMU, &r);
	return r.frozen.n == 5 && r.record[0].ip == IP(6);
}

static bool says_interface(void)
{
	struct softpt_address a;
	struct result r;

	draw("rrEr", P4, EVENT, PMU, &r);
	return softpt_address_find(&r.frozen, 4, &a) && !a.ip && a.events == 1 &&
	       a.status == SOFTPT_ADDRESS_EARLY && a.record == 2;
}

/* The copy of the document that there is has no numbered claims: its sentences, in our words */
static const struct sentence {
	const char *what;
	bool (*holds)(void);
} sentences[] = {
	{ "a record holds the address of what retires, and the cycles since the one before",
	  says_record },
	{ "validity: an instruction retired when the records froze, or none did", says_valid },
	{ "a record is written on the cycle before the freeze, retirement or not",
	  says_last_cycle },
	{ "flush status: the pipeline was flushed since the last write, which clears it",
	  says_flushed },
	{ "freeze status: frozen before the programmed delay was over", says_early },
	{ "events of instructions at any stage: cache misses, hazards", says_any_stage },
	{ "recirculation, which need not retire", says_recirculation },
	{ "the event is a counter's overflow: the Nth occurrence", says_counted },
	{ "the freeze comes a minimum and a programmed delay after the event, and keeps the records",
	  says_frozen },
	{ "a write delay lies between a retirement and its record", says_write_delay },
	{ "the first location is found by cycles", says_cycles },
	{ "the second by retirements, as many as there are stages from the event's to the last",
	  says_retirements },
	{ "without delay an event of what retires is in the last record", says_last },
	{ "validity, flush and freeze status met on the way: no address", says_unavailable },
	{ "the records are finite: the oldest goes", says_finite },
	{ "recording only upon an event", says_upon_event },
	{ "the interface: an address, a count of events, a status", says_interface },
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(&rows[i]);
	for (i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		kit_ok(sentences[i].holds(), "US 7,747,844: %s", sentences[i].what);
	return kit_done();
}
