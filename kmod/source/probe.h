/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes of tracepoints that are not exported by symbol, and so are found by name */
#ifndef _SOFTPT_PROBE_H
#define _SOFTPT_PROBE_H

#include <linux/types.h>
#include <asm/trap_pf.h>

#include <softpt/classes.h>

struct tracepoint;

/**
 * struct softpt_probe - a row of a source's table
 * @name: the tracepoint
 * @fn: the probe; its first argument is NULL
 * @tp: set by softpt_probes_find()
 */
struct softpt_probe {
	const char *name;
	void *fn;
	struct tracepoint *tp;
};

/* The subclass of a page fault, by its error code */
static inline u16 softpt_page_fault(unsigned long error_code)
{
	if (error_code & X86_PF_INSTR)
		return SOFTPT_SUB_PAGE_FAULTS_FETCH;
	return error_code & X86_PF_WRITE ? SOFTPT_SUB_PAGE_FAULTS_WRITE :
					   SOFTPT_SUB_PAGE_FAULTS_READ;
}

/* Return: whether this kernel has all of the tracepoints. */
bool softpt_probes_find(struct softpt_probe *probes, unsigned int n);

/* All or none. Return: 0 or -errno. */
int softpt_probes_register(struct softpt_probe *probes, unsigned int n);

/* No probe runs any more when this returns. Context: may sleep. */
void softpt_probes_unregister(struct softpt_probe *probes, unsigned int n);

#endif /* _SOFTPT_PROBE_H */
