// SPDX-License-Identifier: BSD-2-Clause
/*
 * Event addresses of a live unit: an instruction a clock. What a source tells of a stepped program,
 * in pictures and at random, and whether the library finds the instruction behind the event.
 */
#include <stdlib.h>
#include <string.h>

#include "kmod/engine/engine.h"
#include "userspace/include/softpt/address.h"
#include "selftests/kit/kit.h"
#include <softpt/params.h>

#define RANDOM	100000

/* Class page-faults: sub-area 17, counters 12 to 17 */
#define COUNTER	12
#define ESCR	(2 * (SOFTPT_CLASS_PAGE_FAULTS % SOFTPT_SUBAREAS))

#define IP(n)	(0x1000 + 4 * (uint64_t)(n))
#define DATA(n)	(0x90000 + 4 * (uint64_t)(n))

struct unit {
	struct softpt_engine e;
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	unsigned int next;	/* instruction */
	unsigned int order[160], retired;	/* which have, in order */
	unsigned int caused;	/* the one that caused the event */
};

static void begin(struct unit *u, unsigned int stages, unsigned int delay, unsigned int nth)
{
	const struct softpt_pipeline p = {
		.stages = stages, .delay = delay, .depth = SOFTPT_FIFO_DEPTH,
	};
	const struct softpt_escr escr = {
		.index = ESCR, .event_class = SOFTPT_CLASS_PAGE_FAULTS, .mask = 0xffff,
		.usr = ~0u, .os = ~0u,
	};
	const struct softpt_counter counter = {
		.index = COUNTER, .escr = ESCR, .preset = (1ull << SOFTPT_COUNTER_BITS) - nth,
	};
	const struct softpt_count_args start = { .start = 1u << COUNTER };
	struct softpt_config config;
	const char *why;

	softpt_config_default(&config);
	memset(u, 0, sizeof(*u));
	softpt_engine_init(&u->e, &config);
	u->e.live = true;
	if (softpt_set_escr(&u->e.counters, &escr, &why) ||
	    softpt_set_counter(&u->e.counters, &counter, &why))
		kit_bail("%s", why);
	softpt_count_control(&u->e, 0, &start);
	softpt_fifo_arm(&u->e, &p, COUNTER, u->record);
}

static void happen(struct unit *u, unsigned int instruction)
{
	bool waits = u->e.fifo.state == SOFTPT_FIFO_RUNNING;

	softpt_count(&u->e, SOFTPT_CLASS_PAGE_FAULTS, SOFTPT_SUB_PAGE_FAULTS_READ, 1);
	softpt_fifo_counted(&u->e);
	if (waits && u->e.fifo.state != SOFTPT_FIFO_RUNNING)
		u->caused = instruction;
}

/*
 * r an instruction retires, R and is the event; f the next one faults, F and that is the
 * event; g two retire at once; x others execute meanwhile; j the next one never comes: a signal
 */
static void tell(struct unit *u, char what)
{
	switch (what) {
	case 'r':
	case 'R':
		u->order[u->retired++] = u->next;
		softpt_fifo_retire(&u->e, IP(u->next++), 1);
		if (what == 'R')
			happen(u, u->next - 1);
		break;
	case 'f':
	case 'F':
		softpt_fifo_execute(&u->e, IP(u->next));
		softpt_fifo_access(&u->e, DATA(u->next));
		if (what == 'F')
			happen(u, u->next);
		break;
	case 'g':
		softpt_fifo_retire(&u->e, IP(u->next), 2);
		u->order[u->retired++] = u->next;
		u->order[u->retired++] = u->next + 1;
		u->next += 2;
		break;
	case 'x':
		softpt_fifo_flush(&u->e);
		break;
	case 'j':
		u->next += 100;
		break;
	}
}

/* What softpt_address_find() says of stage @stage. Return: its status */
static int find(struct unit *u, unsigned int stage, struct softpt_address *a)
{
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	const struct softpt_fifo *f = &u->e.fifo;
	static const uint32_t one[SOFTPT_STAGES_MAX] = { 1, 1, 1, 1 };
	struct softpt_frozen frozen = {
		.pipeline = f->pipeline, .freeze = f->freeze, .record = record, .capacity = one,
	};

	softpt_fifo_end(&u->e);
	while (f->state == SOFTPT_FIFO_FROZEN && frozen.n < f->n) {
		record[frozen.n] = *softpt_fifo_read(f, frozen.n);
		frozen.n++;
	}
	return softpt_address_find(&frozen, stage, a);
}

static const struct picture {
	const char *name, *text;
	unsigned int delay, nth;
	int want;		/* enum softpt_address_status; 0: known */
} pictures[] = {
	{ "an instruction is the event", "rrRrr", 1, 1, 0 },
	{ "it is the first of all", "Rrr", 1, 1, 0 },
	{ "and the last", "rrR", 1, 1, 0 },
	{ "instructions behind it", "rrRrrr", 3, 1, 0 },
	{ "the third event", "RrRrRrrR", 2, 3, 0 },
	{ "the program ends within the delay", "rrRr", 3, 1, SOFTPT_ADDRESS_EARLY },
	{ "no event", "rrrr", 1, 1, SOFTPT_ADDRESS_NOT_FROZEN },
	{ "no third event", "rRrR", 1, 3, SOFTPT_ADDRESS_NOT_FROZEN },
	{ "a fault is that of the next to retire", "rrFrr", 1, 1, 0 },
	{ "it is the first of all", "Frr", 1, 1, 0 },
	{ "instructions behind it", "rrFrrr", 3, 1, 0 },
	{ "its instruction has faulted before", "rffFrr", 1, 1, 0 },
	{ "and faults again", "rrFfffrr", 1, 1, 0 },
	{ "and is the next event, too", "rFFrr", 1, 2, 0 },
	{ "others have faulted before", "frfrFrr", 1, 1, 0 },
	{ "a fault that the program dies of", "rrF", 1, 1, SOFTPT_ADDRESS_NOT_RETIRED },
	{ "one that a signal comes for", "rrFjrr", 1, 1, SOFTPT_ADDRESS_FLUSHED },
	{ "an event when it retires, of no access", "rrfRrr", 1, 1, 0 },
	{ "which faults itself", "rrFjfrr", 1, 1, SOFTPT_ADDRESS_FLUSHED },
	{ "a signal comes for a fault that is no event", "rrfjrRrr", 1, 1, 0 },
	{ "others execute while the fault is handled", "rrFxrr", 1, 1, SOFTPT_ADDRESS_FLUSHED },
	{ "and behind the event", "rrRxrr", 1, 1, 0 },
	{ "within the delay", "rrRxrr", 2, 1, SOFTPT_ADDRESS_FLUSHED },
	{ "right before it", "rrxRrr", 1, 1, SOFTPT_ADDRESS_FLUSHED },
	{ "and earlier", "rxrRrr", 1, 1, 0 },
	{ "two that trap as one", "rrgrrRrr", 1, 1, 0 },
	{ "and follow the event", "rrRgrr", 2, 1, SOFTPT_ADDRESS_GROUP },
};

static void draw(const struct picture *p)
{
	struct softpt_address a;
	static struct unit u;
	const char *what;
	int status;

	begin(&u, 1, p->delay, p->nth);
	for (what = p->text; *what; what++)
		tell(&u, *what);
	status = find(&u, 1, &a);
	if (!kit_ok(status == p->want && (status || a.ip == IP(u.caused)), "%s: %s", p->text,
		    p->name))
		kit_note("%s, 0x%llx", softpt_address_reason(status), (unsigned long long)a.ip);
}

/* A fault is an access to data, and nothing else here is. */
static void test_data(const struct picture *p)
{
	struct softpt_address a;
	static struct unit u;
	const char *what;
	bool fault = strchr(p->text, 'F');

	begin(&u, 1, p->delay, p->nth);
	for (what = p->text; *what; what++)
		tell(&u, *what);
	if (!find(&u, 1, &a))
		kit_ok(a.data_known == fault && a.data == (fault ? DATA(u.caused) : 0),
		       "%s: its data", p->text);
}

/* What is older than the FIFO is gone */
static void long_delay(void)
{
	struct softpt_address a;
	static struct unit u;
	unsigned int i;

	begin(&u, 1, SOFTPT_FIFO_DEPTH, 1);
	tell(&u, 'R');
	for (i = 0; i < SOFTPT_FIFO_DEPTH; i++)
		softpt_fifo_retire(&u.e, IP(u.next++), 1);
	kit_ok(!find(&u, 1, &a) && a.ip == IP(0), "a delay of as many records as there are");
	begin(&u, 1, SOFTPT_FIFO_DEPTH + 1, 1);
	tell(&u, 'R');
	for (i = 0; i < SOFTPT_FIFO_DEPTH + 1; i++)
		softpt_fifo_retire(&u.e, IP(u.next++), 1);
	kit_ok(find(&u, 1, &a) == SOFTPT_ADDRESS_TOO_OLD, "and one more");
}

/* The instruction that retired @later behind the one that caused the event; ~0: none has */
static unsigned int behind(const struct unit *u, unsigned int later)
{
	unsigned int i;

	for (i = 0; i + later < u->retired; i++)
		if (u->order[i] == u->caused)
			return u->order[i + later];
	return ~0u;
}

/*
 * Right or unknown; known where nothing came between. At an earlier stage was who came next, in a
 * full pipeline.
 */
static bool try(unsigned int seed, unsigned int *known)
{
	static const char likely[] = "rrrrrrrrRRfffF";
	static const char all[] = "rrrrrrrrRRffFFgxj";
	unsigned int stages, delay, n, i, stage;
	struct softpt_address a;
	static struct unit u;
	bool plain;

	srand(seed);
	plain = rand() & 1;
	stages = 1 + rand() % 4;
	delay = 1 + rand() % 8;
	begin(&u, stages, delay, 1 + rand() % 3);
	n = rand() % 60;
	for (i = 0; i < n; i++)
		tell(&u, plain ? likely[rand() % (sizeof(likely) - 1)] :
				 all[rand() % (sizeof(all) - 1)]);
	for (i = 0; i < 12; i++)
		tell(&u, 'r');
	stage = 1 + rand() % stages;
	if (!find(&u, stage, &a)) {
		++*known;
		return a.ip == IP(behind(&u, stages - stage));
	}
	return !plain || u.e.fifo.freeze.events == 0 || delay < stages - stage + 1;
}

static void at_random(void)
{
	unsigned int seed, known = 0, wrong = 0;

	for (seed = 0; seed < RANDOM; seed++) {
		if (try(seed, &known))
			continue;
		if (!wrong++)
			kit_note("seed %u", seed);
	}
	kit_ok(!wrong, "%u programs at random: right or unknown", RANDOM);
	kit_note("%u known", known);
	kit_ok(known > RANDOM / 4, "and known often enough to mean something");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++)
		draw(&pictures[i]);
	for (i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++)
		test_data(&pictures[i]);
	long_delay();
	at_random();
	return kit_done();
}
