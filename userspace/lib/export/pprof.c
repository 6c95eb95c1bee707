// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile for pprof (https://github.com/google/pprof/blob/main/proto/profile.proto), not
 * compressed, which pprof takes, too: each path of calls is a sample, the innermost function
 * first, of calls and of instructions that the innermost executed itself.
 */
#include "export/profile.h"
#include "export/protobuf.h"

/* Fields of Profile, of its parts, and the texts that are there before any name */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6, PROFILE_DEFAULT_TYPE = 14,
};

enum {
	TYPE_TYPE = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2,
	LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4,
};

enum { TEXT_NONE, TEXT_CALLS, TEXT_INSTRUCTIONS, TEXT_COUNT, TEXT_FIRST };

static void put(const struct profile *p, const struct protobuf *m)
{
	fwrite(m->byte, 1, m->len, p->to);
}

static void put_text(const struct profile *p, const char *text)
{
	struct protobuf m;

	protobuf_init(&m);
	protobuf_text(&m, PROFILE_STRING, text);
	put(p, &m);
}

static void put_message(const struct profile *p, unsigned int field, const struct protobuf *part)
{
	struct protobuf m;

	protobuf_init(&m);
	protobuf_message(&m, field, part);
	put(p, &m);
}

static void put_type(const struct profile *p, uint64_t type)
{
	struct protobuf m;

	protobuf_init(&m);
	protobuf_uint(&m, TYPE_TYPE, type);
	protobuf_uint(&m, TYPE_UNIT, TEXT_COUNT);
	put_message(p, PROFILE_SAMPLE_TYPE, &m);
}

/* A function is one location; it and its location have the same number, from 1 on. */
static void put_function(const struct profile *p, size_t group)
{
	struct protobuf function, location, line;

	protobuf_init(&function);
	protobuf_uint(&function, FUNCTION_ID, group + 1);
	protobuf_uint(&function, FUNCTION_NAME, TEXT_FIRST + 2 * group);
	protobuf_uint(&function, FUNCTION_FILE, TEXT_FIRST + 2 * group + 1);
	put_message(p, PROFILE_FUNCTION, &function);
	protobuf_init(&line);
	protobuf_uint(&line, LINE_FUNCTION, group + 1);
	protobuf_init(&location);
	protobuf_uint(&location, LOCATION_ID, group + 1);
	protobuf_message(&location, LOCATION_LINE, &line);
	put_message(p, PROFILE_LOCATION, &location);
}

/* The fields of a sample, whose stack is @n of @p->stack; @to may be NULL. Return: bytes */
static size_t put_fields(const struct profile *p, size_t n, const struct report_link *link,
			 FILE *to)
{
	size_t len = 0;

	while (n)
		len += protobuf_put(to, SAMPLE_LOCATION,
				    report_link(p->report, p->stack[--n])->group + 1);
	len += protobuf_put(to, SAMPLE_VALUE, link->calls);
	return len + protobuf_put(to, SAMPLE_VALUE, link->self);
}

static void put_sample(const struct profile *p, size_t node)
{
	const struct report_link *link = report_link(p->report, node);
	const size_t n = profile_stack(p, node);

	protobuf_put_begin(p->to, PROFILE_SAMPLE, put_fields(p, n, link, NULL));
	put_fields(p, n, link, p->to);
}

static void put_texts(const struct profile *p)
{
	char name[REPORT_NAME_MAX];
	size_t i;

	put_text(p, "");
	put_text(p, "calls");
	put_text(p, "instructions");
	put_text(p, "count");
	for (i = 0; i < report_groups(p->report); i++) {
		const char *module = report_group(p->report, i)->module;

		put_text(p, profile_name(p, i, name));
		put_text(p, module ? module : "");
	}
}

static int write_pprof(const struct profile *p)
{
	struct protobuf type;
	size_t i;

	put_type(p, TEXT_CALLS);
	put_type(p, TEXT_INSTRUCTIONS);
	for (i = 0; i < report_links(p->report); i++)
		put_sample(p, i);
	for (i = 0; i < report_groups(p->report); i++)
		put_function(p, i);
	put_texts(p);
	protobuf_init(&type);
	protobuf_uint(&type, PROFILE_DEFAULT_TYPE, TEXT_INSTRUCTIONS);
	put(p, &type);
	return 0;
}

static int run_pprof(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return profile_export(e, streams, nr, REPORT_TREE, write_pprof);
}

const struct exporter export_pprof = { "pprof", run_pprof };
