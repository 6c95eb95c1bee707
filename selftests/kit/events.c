// SPDX-License-Identifier: BSD-2-Clause
/* Random events */
#include "kit.h"

#include <string.h>

#include "kmod/engine/engine.h"

uint64_t kit_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Mostly close together; now and then a gap that owes hundreds of MTCs */
static uint64_t gap(uint64_t *state)
{
	uint64_t r = kit_random(state);

	if (r % 1000 == 0)
		return (r >> 32) % 1000000;
	return (r >> 32) % (r & 16 ? 20 : 400);
}

static void jump(uint64_t *state, struct softpt_event *ev)
{
	uint64_t r = kit_random(state);

	ev->ip = 0x400000 + (r & 0xfffff);
	ev->target = r & 1 << 21 ? 0x7f0000000000 + (r >> 40) : 0x400000 + (r >> 24 & 0xfffff);
	ev->len = ev->kind == SOFTPT_EV_CALL ? 5 : ev->kind == SOFTPT_EV_ICALL ? 2 : 0;
	ev->cpl = 3;
	if (ev->kind == SOFTPT_EV_JCC && r >> 63)
		ev->flags |= SOFTPT_EVF_TAKEN;
	if (ev->kind == SOFTPT_EV_FAR || ev->kind == SOFTPT_EV_INTR)
		ev->cpl = r >> 62;
	if (ev->kind == SOFTPT_EV_INTR)
		ev->arg = r & 0xff;
}

static bool takes_ip(uint16_t kind)
{
	return kind == SOFTPT_EV_DISABLE || kind == SOFTPT_EV_CR3 || kind == SOFTPT_EV_CPL ||
	       kind == SOFTPT_EV_PTW || kind == SOFTPT_EV_CFE || kind == SOFTPT_EV_TSX;
}

static void state_event(uint64_t *state, struct softpt_event *ev)
{
	static const uint16_t kinds[] = {
		SOFTPT_EV_CR3, SOFTPT_EV_CPL, SOFTPT_EV_MODE, SOFTPT_EV_THREAD, SOFTPT_EV_PTW,
		SOFTPT_EV_CBR, SOFTPT_EV_CLOCK, SOFTPT_EV_SLEEP, SOFTPT_EV_MWAIT, SOFTPT_EV_PWRE,
		SOFTPT_EV_PWRX, SOFTPT_EV_PMU, SOFTPT_EV_PSB, SOFTPT_EV_OVF, SOFTPT_EV_TRIG,
		SOFTPT_EV_CFE, SOFTPT_EV_EVD, SOFTPT_EV_TSX, SOFTPT_EV_VMCS, SOFTPT_EV_RETIRE,
		SOFTPT_EV_ENABLE, SOFTPT_EV_DISABLE, SOFTPT_EV_IDLE,
	};
	uint64_t r = kit_random(state);

	ev->kind = kinds[r % (sizeof(kinds) / sizeof(kinds[0]))];
	r >>= 8;
	ev->ip = 0x400000 + (r & 0xfffff);
	if (takes_ip(ev->kind) && r >> 20 & 1)
		ev->flags = SOFTPT_EVF_IP;
	ev->cpl = r >> 21 & 3;
	ev->thread = ev->cpl;
	switch (ev->kind) {
	case SOFTPT_EV_CBR:
	case SOFTPT_EV_CLOCK:
		ev->arg = 4 + r % 57;
		break;
	case SOFTPT_EV_MODE:
		ev->arg = 16 << r % 3;
		break;
	case SOFTPT_EV_TSX:
		ev->arg = r % 3;
		break;
	case SOFTPT_EV_CR3:
	case SOFTPT_EV_VMCS:
		ev->arg = (r & 0xff) << 12;
		break;
	default:
		ev->arg = r & 15;
		break;
	}
}

void kit_event(uint64_t *state, uint64_t *tsc, struct softpt_event *ev)
{
	uint64_t r = kit_random(state);

	memset(ev, 0, sizeof(*ev));
	*tsc += gap(state);
	ev->tsc = *tsc;
	if (r % 20 == 0) {
		state_event(state, ev);
		return;
	}
	ev->kind = r & 32 ? SOFTPT_EV_JCC : SOFTPT_EV_JCC + (r >> 8) % 8;
	jump(state, ev);
}
