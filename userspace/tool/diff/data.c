// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>

#include "../report/fields.h"
#include "print.h"

static void put_pair(struct fields *f, const char *const keys[2], const uint64_t values[2])
{
	field_number(f, keys[0], true, values[0]);
	field_number(f, keys[1], true, values[1]);
}

static void put_change(struct fields *f, enum report_by by, const struct change *c)
{
	static const char *const whats[] = { "function", "thread", "module", "file" };
	static const char *const calls[] = { "calls_a", "calls_b" };
	static const char *const self[] = { "instructions_a", "instructions_b" };
	static const char *const total[] = { "instructions_total_a", "instructions_total_b" };

	field_text(f, whats[by], c->name);
	if (by == REPORT_BY_FUNCTION) {
		field_text(f, "demangled", c->label);
		field_text(f, "module", c->module);
	}
	put_pair(f, calls, c->calls);
	put_pair(f, self, c->self);
	put_pair(f, total, c->total);
	fields_end(f);
}

static const char *key_of(char *buf, size_t room, const char *name, const char *what, char side)
{
	snprintf(buf, room, "%s%s_%c", name, what, side);
	return buf;
}

static void put_place(struct fields *f, const char *name, char side, const struct diff_place *p)
{
	char key[32];

	field_text(f, key_of(key, sizeof(key), name, "", side), p->function);
	field_text(f, key_of(key, sizeof(key), name, "_demangled", side), p->label);
	field_text(f, key_of(key, sizeof(key), name, "_module", side), p->module);
	field_hex(f, key_of(key, sizeof(key), name, "_offset", side), p->function || p->module,
		  p->offset);
	field_text(f, key_of(key, sizeof(key), name, "_source", side), p->source);
	field_number(f, key_of(key, sizeof(key), name, "_line", side), p->source, p->line);
}

static void put_end(struct fields *f, char side, const struct diff_end *e)
{
	char key[32];

	field_text(f, key_of(key, sizeof(key), "event", "", side),
		   e->ended ? "end" : softpt_flow_event_name(e->event));
	field_number(f, key_of(key, sizeof(key), "instructions", "", side), !e->ended,
		     e->instructions);
	put_place(f, "to", side, &e->to);
	put_place(f, "branch", side, &e->from);
	put_place(f, "target", side, &e->target);
}

static void put_part(struct fields *f, const struct diff_view *v, const struct diff_part *part)
{
	const struct step_thread *a = &v->side[0].steps.thread[v->side[0].order[part->thread]];
	const struct step_thread *b = &v->side[1].steps.thread[v->side[1].order[part->thread]];

	field_text(f, "thread", a->comm);
	field_number(f, "tid_a", true, a->tid);
	field_number(f, "tid_b", true, b->tid);
	field_number(f, "same_steps", true, part->steps);
	field_text(f, "in", part->depth ? part->stack[part->depth - 1].function : NULL);
	put_end(f, 'a', &part->end[0]);
	put_end(f, 'b', &part->end[1]);
	fields_end(f);
}

void diff_data(const struct diff_view *v, enum diff_format format)
{
	static const struct change nothing;
	struct fields f = { .form = format == DIFF_CSV ? FIELDS_HEAD : FIELDS_JSON };
	size_t i;

	if (format == DIFF_CSV) {
		put_change(&f, v->side->by, &nothing);
		f.form = FIELDS_CSV;
	}
	for (i = 0; i < v->changes->n && i < v->limit; i++)
		put_change(&f, v->side->by, &v->changes->change[i]);
	for (i = 0; format == DIFF_JSON && i < v->parts->n && i < v->limit; i++)
		put_part(&f, v, &v->parts->part[i]);
}
