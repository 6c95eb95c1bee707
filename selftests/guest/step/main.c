// SPDX-License-Identifier: BSD-2-Clause
/*
 * step TEST [WORK]: all works, or that of the target
 * step ptrace PROGRAM [ARG]...: its instructions, by task (tree.c)
 * step plain PROGRAM [ARG]...: exec it as each target is
 */
#include "step.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path64[512], path32[512], ptwrite64[512], ptwrite32[512], freeze[512], tf[512];
const char *target = path64;
const char *target32 = path32;
const char *target_freeze = freeze;
const char *target_tf = tf;
const char *target_ptwrite[2] = { ptwrite64, ptwrite32 };
const char *only;

static const struct {
	const char *name;
	void (*fn)(void);
} tests[] = {
	{ "flow", test_flow },
	{ "undisturbed", test_undisturbed },
	{ "lifetime", test_lifetime },
	{ "inherit", test_inherit },
	{ "attach", test_attach },
	{ "many", test_many },
	{ "tf", test_tf },
	{ "debugger", test_debugger },
	{ "uprobes", test_uprobes },
	{ "hotplug", test_hotplug },
	{ "no-module", test_no_module },
	{ "same-bytes", test_same_bytes },
	{ "ptwrite", test_ptwrite },
	{ "cost", test_cost },
	{ "count", test_count },
	{ "freeze", test_freeze },
};

/* The programs that are stepped lie beside this one. */
static void find_targets(void)
{
	char self[256], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		kit_bail("/proc/self/exe");
	self[n] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	snprintf(path64, sizeof(path64), "%s/step-target", self);
	snprintf(path32, sizeof(path32), "%s/step-target32", self);
	snprintf(tf, sizeof(tf), "%s/step-target-tf", self);
	snprintf(ptwrite64, sizeof(ptwrite64), "%s/step-target-ptwrite", self);
	snprintf(ptwrite32, sizeof(ptwrite32), "%s/step-target-ptwrite32", self);
	snprintf(freeze, sizeof(freeze), "%s/step-target-freeze", self);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc > 2 && !strcmp(argv[1], "ptrace"))
		return tree_print(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "plain"))
		trace_exec(-1, argv + 2, 0);
	find_targets();
	only = argc > 2 ? argv[2] : NULL;
	for (i = 0; argc > 1 && i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (strcmp(tests[i].name, argv[1]))
			continue;
		tests[i].fn();
		return kit_done();
	}
	fprintf(stderr, "usage: step flow|undisturbed|lifetime|inherit|attach|many|tf|debugger|uprobes|hotplug|no-module|same-bytes|ptwrite|cost|count|freeze [WORK]\n"
		"       step ptrace|plain PROGRAM [ARG]...\n");
	return 2;
}
