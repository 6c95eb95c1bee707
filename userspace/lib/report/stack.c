// SPDX-License-Identifier: BSD-2-Clause
#include "report/stack.h"

#include <stdlib.h>
#include <string.h>

#define ROOM	32	/* added to what there is before it is doubled */

static struct report_thread *add(struct report_threads *t, const struct softpt_flow_thread *thread)
{
	struct report_thread **grown = reallocarray(t->thread, t->n + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	t->thread = grown;
	grown[t->n] = calloc(1, sizeof(**grown));
	if (!grown[t->n])
		return NULL;
	grown[t->n]->thread = thread;
	return grown[t->n++];
}

struct report_thread *threads_find(struct report_threads *t,
				   const struct softpt_flow_thread *thread)
{
	uint32_t *number = index_at(&t->by_pointer, (uintptr_t)thread, 0);

	if (!number)
		return NULL;
	if (*number == INDEX_NEW) {
		if (!add(t, thread))
			return NULL;
		*number = t->n - 1;
	}
	t->recent = t->thread[*number];
	return t->recent;
}

void threads_free(struct report_threads *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		free(t->thread[i]->frame);
		free(t->thread[i]->slot);
		free(t->thread[i]->link_covered);
		free(t->thread[i]);
	}
	free(t->thread);
	index_free(&t->by_pointer);
}

/* Return: the new begin, with room for @at, zero where it was not; or NULL */
static void *grow(void *array, uint32_t *n, uint32_t at, size_t size)
{
	uint32_t room = *n ? *n : 2 * ROOM;
	char *grown;

	while (room <= at)
		room *= 2;
	grown = reallocarray(array, room, size);
	if (!grown)
		return NULL;
	memset(grown + *n * size, 0, (room - *n) * size);
	*n = room;
	return grown;
}

bool stack_grow_slots(struct report_thread *t, uint32_t group)
{
	struct report_slot *grown = grow(t->slot, &t->slots, group, sizeof(*grown));

	if (grown)
		t->slot = grown;
	return grown;
}

uint64_t *stack_link_covered(struct report_thread *t, uint32_t link)
{
	uint64_t *grown;

	if (link < t->links)
		return &t->link_covered[link];
	grown = grow(t->link_covered, &t->links, link, sizeof(*grown));
	if (!grown)
		return NULL;
	t->link_covered = grown;
	return &grown[link];
}

struct report_frame *stack_push(struct report_thread *t)
{
	struct report_frame *grown;

	if (t->frames == t->room) {
		grown = reallocarray(t->frame, t->room + ROOM, 2 * sizeof(*grown));
		if (!grown)
			return NULL;
		t->frame = grown;
		t->room = 2 * (t->room + ROOM);
	}
	return &t->frame[t->frames++];
}
