/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes that a program was built with (USDT): notes "stapsdt", as sys/sdt.h writes them */
#ifndef SOFTPT_CODE_NAMES_PROBES_H
#define SOFTPT_CODE_NAMES_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct symbol_file;

/**
 * struct probe - a place that is one
 * @addr: its NOP, as the file was linked
 * @semaphore: where the file has the counter that the program looks at before it
 * @has_semaphore: there is such a counter
 */
struct probe {
	uint64_t addr;
	uint64_t semaphore;
	bool has_semaphore;
};

typedef void (*probe_fn)(void *ctx, const struct probe *probe);

/* Each place of the probes that are called PROVIDER:NAME; both may be patterns */
void probes_each(const struct symbol_file *f, const char *name, probe_fn fn, void *ctx);

#endif /* SOFTPT_CODE_NAMES_PROBES_H */
