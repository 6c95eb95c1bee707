// SPDX-License-Identifier: BSD-2-Clause
/* Programs: new ones, and those that are made from what has been of use */
#include "fuzz.h"

#include <pthread.h>
#include <string.h>

#define MOST	2048
#define DRAWN	4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fuzz_program corpus[MOST];
static unsigned int count;

static void append(struct fuzz_program *program, uint64_t *state)
{
	if (program->n < FUZZ_CALLS)
		fuzz_make_call(&program->call[program->n++], state);
}

/* A bit, a byte that is likely to be a limit, or another descriptor */
static void spoil(struct fuzz_call *call, uint64_t *state)
{
	static const uint8_t limits[] = { 0, 1, 0x7f, 0x80, 0xff };
	uint64_t r = kit_random(state);
	uint8_t *at = &call->arg[(r >> 8) % (call->length ? call->length : 1)];

	switch (r % 6) {
	case 0:
		*at ^= 1u << (r >> 32 & 7);
		break;
	case 1:
		*at = limits[(r >> 32) % sizeof(limits)];
		break;
	case 2:
		memset(at, r & 64 ? 0xff : 0, call->arg + sizeof(call->arg) - at < 8 ? 1 : 8);
		break;
	case 3:
		call->slot = r >> 32;
		break;
	case 4:
		call->other = r >> 32;
		break;
	default:
		call->random = kit_random(state);
		break;
	}
}

/* Of some that are drawn the quickest: what takes long had its turn when it was found. */
static bool pick(struct fuzz_program *program, uint64_t *state)
{
	const struct fuzz_program *best = NULL, *at;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; count && i < DRAWN; i++) {
		at = &corpus[kit_random(state) % (count < MOST ? count : MOST)];
		if (!best || at->took < best->took)
			best = at;
	}
	if (best)
		*program = *best;
	pthread_mutex_unlock(&lock);
	return best;
}

/* The end of another program behind the beginning of this */
static void splice(struct fuzz_program *program, uint64_t *state)
{
	struct fuzz_program other;
	unsigned int i;

	if (!pick(&other, state))
		return;
	program->n = 1 + kit_random(state) % program->n;
	for (i = kit_random(state) % other.n; i < other.n && program->n < FUZZ_CALLS; i++)
		program->call[program->n++] = other.call[i];
}

static void change(struct fuzz_program *program, uint64_t *state)
{
	uint64_t r = kit_random(state);
	struct fuzz_call *call = &program->call[(r >> 8) % program->n];

	switch (r % 8) {
	case 0:
		append(program, state);
		break;
	case 1:
		splice(program, state);
		break;
	case 2:
		fuzz_make_call(call, state);
		break;
	case 3:
		*call = program->call[--program->n];
		program->n += !program->n;
		break;
	default:
		spoil(call, state);
		break;
	}
}

/* What random calls seldom make in the right order, on one slot of each kind */
static void make_flow(struct fuzz_program *program, uint64_t *state)
{
	static const char *const flows[][FUZZ_CALLS] = {
		{ "open", "CREATE_SESSION", "CREATE_UNIT", "SET_ESCR", "SET_COUNTER",
		  "SET_FREEZE", "ENABLE", "COUNT", "write", "DISABLE", "READ_FIFO",
		  "REARM_FIFO" },
		{ "CREATE_SESSION", "SET_CONFIG", "SET_SOURCE", "CREATE_UNIT", "ENABLE",
		  "ATTACH", "GET_THREADS", "ARM_EXEC", "read", "DISABLE", "READ_COUNTERS" },
		{ "CREATE_SESSION", "SET_CONFIG", "SET_TRIGGER", "CREATE_UNIT", "ENABLE",
		  "write", "TRIGGER", "FREEZE", "REARM", "PSB", "FINISH", "REARM_UNITS" },
		{ "CREATE_UNIT", "ENABLE", "mmap", "touch", "write", "touch", "poll", "read" },
		{ "perf_event_open", "mmap of an event", "switch an event", "kill",
		  "switch an event" },
	};
	uint64_t r = kit_random(state);
	unsigned int flow = r % (sizeof(flows) / sizeof(flows[0])), i;

	for (i = 0; i < FUZZ_CALLS && flows[flow][i]; i++) {
		fuzz_make_call_of(&program->call[i], fuzz_find_op(flows[flow][i]), state);
		program->call[i].slot = r >> 8;
		program->call[i].other = r >> 8;
	}
	program->n = i;
}

void fuzz_make_program(struct fuzz_program *program, uint64_t *state)
{
	uint64_t r = kit_random(state);

	if (r % 4 && pick(program, state)) {
		do
			change(program, state);
		while (kit_random(state) % 2);
		return;
	}
	if (!(r >> 32 & 3)) {
		make_flow(program, state);
		return;
	}
	program->n = 0;
	do
		append(program, state);
	while (kit_random(state) % FUZZ_CALLS);
}

/* When there is no room any more the oldest go. */
void fuzz_keep_program(const struct fuzz_program *program)
{
	pthread_mutex_lock(&lock);
	corpus[count++ % MOST] = *program;
	pthread_mutex_unlock(&lock);
}

unsigned int fuzz_programs(void)
{
	return count;
}
