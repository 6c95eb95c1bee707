// SPDX-License-Identifier: BSD-2-Clause
/* The sections of features in a perf.data file, as perf has them */
#include "perfdata/feature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/array.h"
#include "perfdata/buildid.h"

#define NAME_ALIGN	64	/* of strings */
#define EVENT_NAME	"softpt//"
#define VERSION_NAME	"softpt"

const unsigned int perffeatures[] = {
	PERFFILE_BUILD_ID, PERFFILE_HOSTNAME, PERFFILE_OSRELEASE, PERFFILE_VERSION, PERFFILE_ARCH,
	PERFFILE_NRCPUS, PERFFILE_CPUDESC, PERFFILE_CPUID, PERFFILE_TOTAL_MEM, PERFFILE_CMDLINE,
	PERFFILE_EVENT_DESC, PERFFILE_AUXTRACE, PERFFILE_SAMPLE_TIME,
};

const size_t perffeatures_nr = sizeof(perffeatures) / sizeof(perffeatures[0]);

/* ---- words ---- */

static void put_u32(struct perfbuf *b, uint32_t v)
{
	perfbuf_put(b, &v, sizeof(v));
}

static void put_u64(struct perfbuf *b, uint64_t v)
{
	perfbuf_put(b, &v, sizeof(v));
}

/* With at least one 0 behind it, up to a multiple of NAME_ALIGN */
static void put_padded(struct perfbuf *b, const char *text)
{
	static const char zeros[NAME_ALIGN];
	size_t n = strlen(text);

	perfbuf_put(b, text, n);
	perfbuf_put(b, zeros, NAME_ALIGN - n % NAME_ALIGN);
}

static uint32_t padded(const char *text)
{
	return (strlen(text) / NAME_ALIGN + 1) * NAME_ALIGN;
}

static void put_string(struct perfbuf *b, const char *text)
{
	put_u32(b, padded(text));
	put_padded(b, text);
}

/* ---- files ---- */

int perfnames_add(struct perfnames *names, const struct perf_event_header *rec)
{
	const struct softpt_perf_record r = {
		.type = rec->type, .misc = rec->misc, .body = rec + 1,
		.size = rec->size - sizeof(*rec) - sizeof(struct softpt_perf_id),
	};
	struct softpt_perf_map map;
	struct perfname *grown;
	size_t i;

	/* What has neither a path nor a name as [vdso] is no file. */
	if (!softpt_perf_map_of(&r, &map) || !(map.prot & PROT_EXEC) ||
	    (*map.name != '/' && *map.name != '['))
		return 0;
	for (i = 0; i < names->n; i++)
		if (!strcmp(names->v[i].name, map.name))
			return 0;
	grown = array_more(names->v, names->n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->v = grown;
	names->v[names->n] = (struct perfname){ strdup(map.name), map.pid == UINT32_MAX };
	return names->v[names->n].name ? (names->n++, 0) : -ENOMEM;
}

void perfnames_free(struct perfnames *names)
{
	while (names->n)
		free(names->v[--names->n].name);
	free(names->v);
}

/* As struct perf_record_header_build_id */
struct build_id {
	struct perf_event_header header;
	uint32_t pid;
	uint8_t id[BUILDID_MAX];
	uint8_t size;
	uint8_t reserved[3];
};

/*
 * None of the vdso's: perf would look for a file of that name, or for one in its cache, which perf
 * record fills and nobody else. So it takes its own vdso, as it does where it is told nothing.
 */
static void put_build_id(struct perfbuf *b, const struct perfname *name)
{
	bool kernel = name->kernel && !strncmp(name->name, "[kernel.kallsyms]", 17);
	const char *as = kernel ? "[kernel.kallsyms]" : name->name;
	struct build_id rec = { .pid = -1 };

	if (kernel)
		rec.size = buildid_of_kernel(rec.id);
	else if (*name->name == '/')
		rec.size = buildid_of_file(name->name, rec.id);
	if (!rec.size)
		return;
	rec.header.misc = (name->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			  PERFFILE_MISC_BUILD_ID_SIZE;
	rec.header.size = sizeof(rec) + padded(as);
	perfbuf_put(b, &rec, sizeof(rec));
	put_padded(b, as);
}

/* ---- the machine ---- */

#if defined(__x86_64__) || defined(__i386__)
static void put_cpuid(struct perfbuf *b)
{
	uint32_t leaf, family, model, regs[3];
	char vendor[13] = "", text[64];

	if (!__get_cpuid(0, &leaf, &regs[0], &regs[2], &regs[1]))
		return;
	memcpy(vendor, regs, 12);
	__get_cpuid(1, &leaf, &regs[0], &regs[1], &regs[2]);
	family = leaf >> 8 & 0xf;
	model = leaf >> 4 & 0xf;
	if (family == 6 || family == 15)
		model += leaf >> 12 & 0xf0;
	if (family == 15)
		family += leaf >> 20 & 0xff;
	snprintf(text, sizeof(text), "%s,%u,%u,%u", vendor, family, model, leaf & 0xf);
	put_string(b, text);
}
#else
static void put_cpuid(struct perfbuf *b)
{
	(void)b;
}
#endif

/* What stands behind @key in a file of /proc */
static bool find_line(const char *path, const char *key, char *value, size_t len)
{
	FILE *file = fopen(path, "re");
	bool found = false;
	char line[512], *p;

	while (file && !found && fgets(line, sizeof(line), file)) {
		p = strchr(line, ':');
		found = p && !strncmp(line, key, strlen(key));
		if (!found)
			continue;
		p += 1 + strspn(p + 1, " \t");
		p[strcspn(p, "\n")] = '\0';
		snprintf(value, len, "%s", p);
	}
	if (file)
		fclose(file);
	return found;
}

static void put_machine(struct perfbuf *b, unsigned int feature)
{
	struct utsname u;
	char text[256];

	if (uname(&u))
		return;
	switch (feature) {
	case PERFFILE_HOSTNAME:
		put_string(b, u.nodename);
		break;
	case PERFFILE_OSRELEASE:
		put_string(b, u.release);
		break;
	case PERFFILE_ARCH:
		put_string(b, u.machine);
		break;
	case PERFFILE_NRCPUS:
		put_u32(b, sysconf(_SC_NPROCESSORS_CONF));
		put_u32(b, sysconf(_SC_NPROCESSORS_ONLN));
		break;
	case PERFFILE_CPUDESC:
		if (find_line("/proc/cpuinfo", "model name", text, sizeof(text)))
			put_string(b, text);
		break;
	case PERFFILE_CPUID:
		put_cpuid(b);
		break;
	case PERFFILE_TOTAL_MEM:
		if (find_line("/proc/meminfo", "MemTotal", text, sizeof(text)))
			put_u64(b, strtoull(text, NULL, 10));
		break;
	}
}

/* ---- the recording ---- */

/* What this process was called with */
static void put_cmdline(struct perfbuf *b)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	struct perfbuf words = { 0 };
	char *word = NULL;
	size_t alloc = 0;
	uint32_t n = 0;

	while (file && getdelim(&word, &alloc, '\0', file) > 0) {
		put_string(&words, word);
		n++;
	}
	if (file)
		fclose(file);
	if (n && !words.err) {
		put_u32(b, n);
		perfbuf_put(b, words.buf, words.len);
	}
	free(words.buf);
	free(word);
}

static void put_event(struct perfbuf *b, const struct perffeatures *f)
{
	put_u32(b, 1);
	put_u32(b, PERFFILE_ATTR_SIZE);
	perfbuf_put(b, f->attr, PERFFILE_ATTR_SIZE);
	put_u32(b, 1);
	put_string(b, EVENT_NAME);
	put_u64(b, f->id);
}

void perffeature_make(struct perfbuf *b, const struct perffeatures *f, unsigned int feature)
{
	size_t i;

	switch (feature) {
	case PERFFILE_BUILD_ID:
		for (i = 0; i < f->names->n; i++)
			put_build_id(b, &f->names->v[i]);
		break;
	case PERFFILE_VERSION:
		put_string(b, VERSION_NAME);
		break;
	case PERFFILE_CMDLINE:
		put_cmdline(b);
		break;
	case PERFFILE_EVENT_DESC:
		put_event(b, f);
		break;
	case PERFFILE_AUXTRACE:
		put_u64(b, f->nindex);
		perfbuf_put(b, f->index, f->nindex * sizeof(*f->index));
		break;
	case PERFFILE_SAMPLE_TIME:
		if (f->first > f->last)
			break;
		put_u64(b, f->first);
		put_u64(b, f->last);
		break;
	default:
		put_machine(b, feature);
	}
}
