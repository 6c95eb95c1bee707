// SPDX-License-Identifier: BSD-2-Clause
#include "export/tables/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "flow/process.h"

uint32_t tasks_find(struct tasks *t, uint32_t pid, uint32_t tid)
{
	uint32_t *number = index_at(&t->by_ids, pid, tid);
	struct task *grown;

	if (!number)
		return 0;
	if (*number != INDEX_NEW)
		return *number;
	if (!(t->n & (t->n - 1))) {
		grown = reallocarray(t->task, t->n ? 2 * t->n : 1, sizeof(*grown));
		if (!grown)
			return 0;
		t->task = grown;
	}
	t->task[t->n++] = (struct task){ .pid = pid, .tid = tid };
	*number = t->n;
	return *number;
}

void tasks_name(struct tasks *t, uint32_t task, const char *name, size_t len)
{
	char *to = t->task[task - 1].name;

	len = strnlen(name, len);
	if (len > sizeof(t->task->name) - 1)
		len = sizeof(t->task->name) - 1;
	memcpy(to, name, len);
	to[len] = '\0';
}

void tasks_write(const struct tasks *t, struct table_writer *to)
{
	struct rows *rows = rows_begin(to, &table_threads);
	uint32_t i;

	for (i = 0; rows && i < t->n; i++) {
		const struct task *task = &t->task[i];

		rows_int(rows, i + 1);
		rows_int(rows, task->pid);
		rows_int(rows, task->tid);
		rows_text(rows, task->followed ? task->followed->comm : task->name);
		rows_put(rows);
	}
	rows_end(rows);
}

void tasks_free(struct tasks *t)
{
	free(t->task);
	index_free(&t->by_ids);
}
