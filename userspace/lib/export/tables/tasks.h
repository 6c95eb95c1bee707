/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of threads: of those that were followed, and those that records tell of */
#ifndef SOFTPT_EXPORT_TABLES_TASKS_H
#define SOFTPT_EXPORT_TABLES_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "export/tables/rows.h"
#include "report/index.h"

struct softpt_flow_thread;

/**
 * struct task - a thread
 * @pid: its process
 * @tid: its number in the system
 * @followed: it is on the path, which knows its last name; NULL: it is not
 * @name: else the last one that records have
 */
struct task {
	uint32_t pid;
	uint32_t tid;
	const struct softpt_flow_thread *followed;
	char name[16];
};

/* All zero at first */
struct tasks {
	struct report_index by_ids;
	struct task *task;
	uint32_t n;
};

/* Return: its number, from 1 on; 0 without memory */
uint32_t tasks_find(struct tasks *t, uint32_t pid, uint32_t tid);
/* @name: up to @len bytes */
void tasks_name(struct tasks *t, uint32_t task, const char *name, size_t len);
void tasks_write(const struct tasks *t, struct table_writer *to);
void tasks_free(struct tasks *t);

#endif /* SOFTPT_EXPORT_TABLES_TASKS_H */
