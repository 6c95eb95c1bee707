/* SPDX-License-Identifier: BSD-2-Clause */
/* The signal that has ended a thread, as text */
#ifndef SOFTPT_TOOL_CRASH_SIGNAL_H
#define SOFTPT_TOOL_CRASH_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <softpt/flow.h>
#include <softpt/perf.h>

/* The last crash of thread @tid, 0: of any. @perf may be NULL. Return: false: there is none */
bool crash_find(const struct softpt_perf *perf, uint32_t tid, struct softpt_perf_crash *crash);

/* Which signal, why, and where */
void crash_print_signal(const struct softpt_perf_crash *crash);

/* What the instruction that was not executed, of @size bytes at most, has in memory */
void crash_print_memory(const struct softpt_perf_crash *crash, const uint8_t *code, size_t size,
			unsigned int bits);

/* All of them, with the symbols that they point at in the process of @row */
void crash_print_registers(const struct softpt_perf_crash *crash,
			   const struct softpt_flow_row *row);

#endif /* SOFTPT_TOOL_CRASH_SIGNAL_H */
