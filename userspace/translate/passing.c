// SPDX-License-Identifier: BSD-2-Clause
#include "passing.h"

#include "code/condition.h"
#include "code/describe.h"
#include "code/door.h"
#include "code/link.h"
#include "code/record.h"
#include "code/table.h"
#include "guest.h"
#include "native.h"
#include "signals/signal.h"

/* Copies: what was looked at is what is used. */
static u64 starts[SOFTPT_XL_CALLS / 64];
static u64 stops[SOFTPT_XL_CALLS / 64];

void passing_take(const struct softpt_xl_shared *shared)
{
	memcpy(starts, shared->starts, sizeof(starts));
	memcpy(stops, shared->stops, sizeof(stops));
}

static bool has_call(const u64 *set, u64 nr)
{
	return nr < SOFTPT_XL_CALLS && set[nr / 64] >> (nr % 64) & 1;
}

/* A place that is of both roles ends one stretch and begins the next. */
static struct passing find_place(const struct context *c, bool begins, bool ends)
{
	struct passing p = { .stops = ends, .within = true };

	if (begins && condition_holds(c)) {
		p.what = SOFTPT_XL_DOOR;
		p.rsp = SOFTPT_XL_STRETCH;
	} else if (ends) {
		p.what = SOFTPT_XL_BACK;
	}
	return p;
}

static struct passing find_call(const struct thread *t, const struct context *c, u64 to)
{
	struct passing p = { .what = SOFTPT_XL_DOOR };
	u64 back;

	p.rsp = door_entry(to, t->words->rsp, c->rbp, &p.within);
	if (!condition_holds(c))
		p.what = PASSING_SHUT;
	else if (guest_read(&back, p.rsp, sizeof(back)) && door_back(back))
		table_shut(back);
	return p;
}

static struct passing find_door(const struct thread *t, const struct context *c, u64 to)
{
	const u32 role = door_role(to);

	if (role == SOFTPT_XL_ROLE_CALL)
		return find_call(t, c, to);
	return find_place(c, role & SOFTPT_XL_ROLE_START, role & SOFTPT_XL_ROLE_STOP);
}

/*
 * Doors, and the ways back from them, stay out of the table, and no jump is linked to a door: each
 * time comes here. A return to the place of a call is an indirect branch, so others need not.
 */
struct passing passing_find(const struct thread *t, const struct context *c, const struct block *b,
			    u8 kind, u64 to)
{
	struct passing p = { .rsp = t->words->rsp };

	if (b->door && kind != LINK_HOT)
		return find_door(t, c, to);
	if (!b->door && kind == LINK_MISS && door_is_back(to))
		p.what = SOFTPT_XL_BACK;
	return p;
}

bool passing_by_call(const struct thread *t)
{
	const u32 record = *(const u32 *)(t->words->cursor - sizeof(record));
	u8 kind;

	if (record >= SOFTPT_XL_EXITS)
		return false;
	kind = describe_exit_at(record)->kind;
	return kind == SOFTPT_X86_CALL || kind == SOFTPT_X86_ICALL;
}

static void tell_stop(struct thread *t, u64 at)
{
	if (t->inside_rsp)
		record_escape(t, SOFTPT_XL_BACK, SOFTPT_XL_STOPPED, NULL, at, 0);
	t->inside_rsp = 0;
}

static void tell(struct thread *t, const struct passing *p, u64 at, bool by_call)
{
	if (p->stops)
		tell_stop(t, at);
	if (p->stops && p->what == SOFTPT_XL_BACK)
		return;
	record_escape(t, p->what, by_call ? SOFTPT_XL_CALLED : 0, NULL, at, p->rsp);
	if (p->what == SOFTPT_XL_DOOR)
		native_called(t, p->rsp, by_call);
	else
		native_returned(t, p->rsp);
}

/*
 * A function that nothing has called is none. A place within one is come to by all ways, and more
 * than once in a call.
 */
void passing_tell(struct thread *t, const struct passing *p, u64 at, bool entered, bool called)
{
	if (p->what == PASSING_SHUT)
		passing_end_left(t, at, p->rsp + (called && !p->within ? 8 : 0));
	else if (p->what && p->within)
		tell(t, p, at, false);
	else if (p->what && (!entered || called))
		tell(t, p, at, p->what == SOFTPT_XL_DOOR && called);
}

/* A signal that comes first hides the end of the call, which the recorder is not told of. */
void passing_call(struct thread *t, const struct context *c, u64 nr, u64 to)
{
	const struct passing p = find_place(c, has_call(starts, nr), has_call(stops, nr));

	passing_end_left(t, to, t->words->rsp);
	if (p.what && !t->in_call)
		tell(t, &p, to, false);
}

void passing_end_left(struct thread *t, u64 to, u64 rsp)
{
	if (!t->inside_rsp || rsp <= t->inside_rsp || signal_on_alt_stack(t, rsp))
		return;
	record_escape(t, SOFTPT_XL_BACK, 0, NULL, to, rsp);
	native_returned(t, rsp);
}
