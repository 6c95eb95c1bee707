// SPDX-License-Identifier: BSD-2-Clause
/* The processes that were there before, as perf events tell of later ones */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sideband/maps.h"
#include "sideband/system.h"

int process_threads(pid_t pid, int (*each)(pid_t tid, void *arg), void *arg)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && !err && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = each(atoi(entry->d_name), arg);
	if (tasks)
		closedir(tasks);
	return err;
}

struct naming {
	pid_t pid;
	struct softpt_perf_writer *writer;
	uint64_t time;
};

static int put_name(pid_t tid, void *arg)
{
	const struct naming *n = arg;
	char comm[16];

	if (tid == n->pid || !comm_read(tid, comm))
		return 0;
	return comm_put(n->writer, n->pid, tid, comm, false, n->time);
}

int process_describe(pid_t pid, struct softpt_perf_writer *w, uint64_t time)
{
	struct naming naming = { .pid = pid, .writer = w, .time = time };
	struct maps *m = maps_open(pid, true);
	int err;

	if (!m)
		return -ENOMEM;
	err = maps_drain(m, w, time, time);
	maps_close(m);
	return err ? err : process_threads(pid, put_name, &naming);
}

static int describe(pid_t pid, struct softpt_perf_writer *w, uint64_t time)
{
	struct maps *m = maps_open(pid, true);
	int err;

	if (!m)
		return 0;
	err = maps_drain(m, w, time, time);
	maps_close(m);
	return err;
}

int system_describe(struct softpt_perf_writer *w, uint64_t time)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!proc)
		return 0;
	while (!err && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = describe(atoi(entry->d_name), w, time);
	closedir(proc);
	return err;
}

int start_put(struct softpt_perf_writer *w, pid_t pid, pid_t tid, uint32_t cpu, uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		struct softpt_perf_id id;
	} rec = {
		.header = { .type = PERF_RECORD_ITRACE_START, .size = sizeof(rec) },
		.pid = pid, .tid = tid,
		.id = { .pid = pid, .tid = tid, .time = time, .cpu = cpu },
	};

	return softpt_perf_writer_record(w, &rec.header);
}
