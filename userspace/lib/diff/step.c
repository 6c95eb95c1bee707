// SPDX-License-Identifier: BSD-2-Clause
/*
 * A function is known by its name and the name of its file: the program may be mapped elsewhere,
 * or be a newer build. What has no name is known by its address in the file.
 */
#include "diff/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = mix(h, (uint8_t)*text);
	return mix(h, 0x100);
}

static uint64_t key_of(const struct report_group *g)
{
	uint64_t h = mix_text(0, g->module);

	/* What no file is mapped at is elsewhere in each run. */
	if (g->name || !g->module)
		return mix_text(h, report_function_key(g));
	return mix(h, g->address);
}

static int find_keys(struct stepper *s)
{
	uint64_t *grown;

	if (s->nr_keys == s->groups.n)
		return 0;
	grown = reallocarray(s->keys, s->groups.room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->keys = grown;
	while (s->nr_keys < s->groups.n) {
		s->keys[s->nr_keys] = key_of(&s->groups.group[s->nr_keys]);
		s->nr_keys++;
	}
	return 0;
}

int stepper_begin(struct stepper *s, bool counts)
{
	*s = (struct stepper){ .counts = counts };
	return groups_begin(&s->groups, REPORT_BY_FUNCTION);
}

static struct step_thread *add_thread(struct stepper *s, const struct softpt_flow_row *row)
{
	struct step_thread *grown = s->thread, *t;

	if (!(s->threads & (s->threads - 1)))
		grown = reallocarray(grown, s->threads ? 2 * s->threads : 1, sizeof(*grown));
	if (!grown)
		return NULL;
	s->thread = grown;
	t = &s->thread[s->threads++];
	*t = (struct step_thread){ .pid = row->pid, .tid = row->tid };
	snprintf(t->comm, sizeof(t->comm), "%s", row->comm);
	return t;
}

struct step_thread *stepper_thread(struct stepper *s, const struct softpt_flow_row *row)
{
	uint32_t *number = index_at(&s->by_thread, (uintptr_t)row->thread, 0);

	return number && *number != INDEX_NEW ? &s->thread[*number] : NULL;
}

static struct step_thread *find_thread(struct stepper *s, const struct softpt_flow_row *row)
{
	struct step_thread *t = stepper_thread(s, row);
	uint32_t *number = t ? NULL : index_at(&s->by_thread, (uintptr_t)row->thread, 0);

	if (!number)
		return t;
	*number = s->threads;
	return add_thread(s, row);
}

struct step_thread *stepper_take(struct stepper *s, const struct softpt_flow_row *row,
				 struct step *step)
{
	struct step_thread *t = find_thread(s, row);
	uint32_t group = groups_find(&s->groups, row->thread, row->ip);

	if (!t || group == INDEX_NEW || find_keys(s))
		return NULL;
	*step = (struct step){ .event = row->event, .group = group, .depth = row->depth,
			       .instructions = row->executed - t->executed };
	step->key = mix(mix(s->keys[group], step->event), s->counts ? step->instructions : 0);
	t->executed = row->executed;
	t->steps++;
	return t;
}

int stepper_key(struct stepper *s, const struct softpt_flow_row *row, uint64_t address,
		uint64_t *key)
{
	uint32_t group = groups_find(&s->groups, row->thread, address);
	struct symbol_place place;

	if (group == INDEX_NEW || find_keys(s))
		return -ENOMEM;
	symbols_place(row->thread->process->symbols, address, &place);
	*key = mix(s->keys[group], place.file ? place.address - s->groups.group[group].address : 0);
	return 0;
}

void stepper_free(struct stepper *s)
{
	free(s->thread);
	free(s->keys);
	groups_free(&s->groups);
	index_free(&s->by_thread);
}
