// SPDX-License-Identifier: BSD-2-Clause
/* softpt info: what this machine, the module and each key can do */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <softpt/params.h>

#include "cli/device.h"
#include "cli/tool.h"

#define CPUID_7_EBX_PT	(1u << 25)

static const struct option_row options[] = {
	{ 'c', "config", "KEY=VALUE,...", "judge this: what would libipt and perf misread?" },
	{ 'f', "format", "text|json", "what is printed (text)" },
	{ 0 }
};

struct flag {
	const char *key;
	uint32_t bit;
};

static const struct flag flags[] = {
#define FLAG(key, flag, def, what) { #key, flag },
	SOFTPT_PARAM_FLAGS(FLAG)
#undef FLAG
};

static bool cpu_has_pt(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & CPUID_7_EBX_PT;
#else
	return false;
#endif
}

/* A key that is a flag works where the module knows the flag; others always do. */
static bool key_works(const char *key, const struct softpt_caps *caps)
{
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strcmp(flags[i].key, key))
			return caps->config_flags & flags[i].bit;
	return true;
}

static void print_sources(const struct softpt_caps *caps, const char *format)
{
	const char *name, *between = "";
	unsigned int i;

	for (i = 0; (name = device_source_name(i)); i++) {
		if (!(caps->sources & 1u << i))
			continue;
		fputs(between, stdout);
		printf(format, name);
		between = *format == '"' ? "," : " ";
	}
}

static void print_text(const struct softpt_caps *caps)
{
	const struct softpt_param *p;
	unsigned int i;

	printf("processor trace of the CPU's own: %s\n", cpu_has_pt() ? "yes" : "no");
	printf("ABI version: %u\nsources: ", caps->abi_version);
	print_sources(caps, "%s");
	printf("\nTSC: %u.%03u MHz\n", caps->tsc_khz / 1000, caps->tsc_khz % 1000);
	printf("CPUs: %u, %ld online\n", caps->nr_cpus, sysconf(_SC_NPROCESSORS_ONLN));
	printf("ring: up to %" PRIu64 " bytes per CPU\n\n", (uint64_t)caps->max_ring);
	printf("%-12s%-36s%-12s\n", "KEY", "VALUES", "DEFAULT");
	for (i = 0; (p = softpt_config_param(i)); i++)
		printf("%-12s%-36s%-12s%s%s\n", p->key, p->values, p->def,
		       key_works(p->key, caps) ? "" : "not known to this module: ", p->what);
}

static void print_json(const struct softpt_caps *caps)
{
	const struct softpt_param *p;
	unsigned int i;

	printf("{\"hardware_pt\":%s,\"abi_version\":%u,\"sources\":[",
	       cpu_has_pt() ? "true" : "false", caps->abi_version);
	print_sources(caps, "\"%s\"");
	printf("],\"tsc_khz\":%u,\"nr_cpus\":%u,\"max_ring\":%" PRIu64 ",\"keys\":[", caps->tsc_khz,
	       caps->nr_cpus, (uint64_t)caps->max_ring);
	for (i = 0; (p = softpt_config_param(i)); i++)
		printf("%s{\"key\":\"%s\",\"values\":\"%s\",\"default\":\"%s\",\"known\":%s}",
		       i ? "," : "", p->key, p->values, p->def,
		       key_works(p->key, caps) ? "true" : "false");
	printf("]}\n");
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct softpt_config cfg;
	struct softpt_caps caps;
	bool json = false;
	int id, dev, err;

	softpt_config_default(&cfg);
	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'c':
			if (config_option(&cfg, optarg))
				return EXIT_USAGE;
			break;
		case 'f':
			json = !strcmp(optarg, "json");
			if (!json && strcmp(optarg, "text"))
				return misuse(cmd, "--format %s: text or json", optarg);
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind < argc)
		return misuse(cmd, "%s: takes no argument", argv[optind]);
	if (config_done(&cfg))
		return EXIT_USAGE;
	config_warn_stock(&cfg);
	dev = device_open();
	if (dev < 0)
		return EXIT_REFUSED;
	err = softpt_device_caps(dev, &caps);
	close(dev);
	if (err)
		return refuse(SOFTPT_DEVICE, "capabilities: %s", softpt_strerror(err));
	if (json)
		print_json(&caps);
	else
		print_text(&caps);
	return 0;
}

const struct command command_info = {
	.name = "info",
	.args = "",
	.what = "tell what the module and each key of a configuration can do",
	.options = options,
	.run = run,
};
