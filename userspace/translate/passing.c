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

/*
 * Doors, and the ways back from them, stay out of the table, and no jump is linked to a door: each
 * time comes here. A return to the place of a call is an indirect branch, so others need not.
 */
struct passing passing_find(const struct thread *t, const struct context *c, const struct block *b,
			    u8 kind, u64 to)
{
	struct passing p = { .rsp = t->words->rsp };
	u64 back;

	if (!b->door) {
		p.what = kind == LINK_MISS && door_is_back(to) ? SOFTPT_XL_BACK : 0;
	} else if (kind != LINK_HOT) {
		p.rsp = door_entry(to, p.rsp, c->rbp, &p.within);
		p.what = condition_holds(c) ? SOFTPT_XL_DOOR : PASSING_SHUT;
	}
	if (p.what == SOFTPT_XL_DOOR && guest_read(&back, p.rsp, sizeof(back)) && door_back(back))
		table_shut(back);
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

static void tell(struct thread *t, const struct passing *p, u64 at, bool by_call)
{
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
	else if (p->within)
		tell(t, p, at, false);
	else if (p->what && (!entered || called))
		tell(t, p, at, p->what == SOFTPT_XL_DOOR && called);
}

void passing_end_left(struct thread *t, u64 to, u64 rsp)
{
	if (!t->inside_rsp || rsp <= t->inside_rsp || signal_on_alt_stack(t, rsp))
		return;
	record_escape(t, SOFTPT_XL_BACK, 0, NULL, to, rsp);
	native_returned(t, rsp);
}
